//! `conflicting-env-default`: one key is read in two places that disagree about what it means to leave it unset.

use crate::base::{FileId, Site, Span};
use crate::finding::{Confidence, Severity};
use crate::graph::{Action, Program};
use crate::model::{
    Constant, Expr, ExprId, File, LocalFunction, each_call, each_expression, each_statement, expressions_of,
};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "conflicting-env-default",
    group: Group::Parity,
    summary: "one environment key read with different defaults",
    severity: Severity::Warning,
    rows: &[],
    verify: Some(Probe::EnvironmentParity),
    page: include_str!("../../../rules/parity/conflicting-env-default.md"),
    check: Check::Program(check),
};

/// One read that says what an unset key means.
struct Read {
    key: String,
    default: String,
    shown: String,
    at: Site,
    function: LocalFunction,
}

fn check(program: &Program, findings: &mut Findings) {
    let mut reads: Vec<Read> = Vec::new();
    for file in program.file_ids().filter(|&file| !program.file(file).is_test()) {
        collect(program, file, &mut reads);
    }
    reads.sort_by(|one, other| {
        (&one.key, one.at.file, one.at.span.start).cmp(&(&other.key, other.at.file, other.at.span.start))
    });
    for same in reads.chunk_by(|one, other| one.key == other.key) {
        let mut told: Vec<&Read> = Vec::new();
        for read in same {
            let Some(other) =
                same.iter().find(|other| other.default != read.default && near(program, other.at.file, read.at.file))
            else {
                continue;
            };
            // Each pair once, at the later place.
            let later = (other.at.file, other.at.span.start) < (read.at.file, read.at.span.start);
            if !later || told.iter().any(|one| one.default == read.default) {
                continue;
            }
            told.push(read);
            let compared =
                program.environment().is_parity_checked(&read.key) || program.environment().is_test_key(&read.key);
            let finding = Findings::new_finding(
                &RULE,
                read.at,
                program.symbol_of(read.at.file, read.function),
                format!("`{}` defaults to `{}` here and to `{}` elsewhere", read.key, read.shown, other.shown),
            )
            .confidence(if compared { Confidence::High } else { Confidence::Low })
            .because(other.at, format!("`{}` is the default here", other.shown))
            .help("read the key in one place, and hand the value on: where it is unset, two parts of the program go on with different settings");
            findings.push(finding);
        }
    }
}

/// Whether two files belong to one program: the same folder, or packages of one tree.
fn near(program: &Program, one: FileId, other: FileId) -> bool {
    program.same_tree(one, other)
}

fn collect(program: &Program, file: FileId, out: &mut Vec<Read>) {
    let environment = program.environment();
    let accesses = environment.in_file(file);
    if accesses.is_empty() {
        return;
    }
    let model = &program.file(file).model;
    for (index, function) in model.functions.iter().enumerate() {
        let local = LocalFunction(index as u32);
        let of_function = || accesses.iter().filter(move |access| access.function == local && access.through.is_none());
        if function.skeleton || of_function().next().is_none() {
            continue;
        }
        let printed = format_strings(model, local);
        each_call(model, local, &mut |expr, call| {
            let span = model.span(expr);
            // What stands in for a missing value in a message is not what the program goes on with.
            if printed.iter().any(|text| text.start <= span.start && span.end <= text.end) {
                return;
            }
            let Some(access) = of_function().find(|access| access.span == span && access.action == Action::Read) else {
                return;
            };
            let Some(key) = access.key.whole().filter(|key| !is_identity(key)) else { return };
            let given = model.list(call.args).get(1).copied();
            let named = model.keywords(call).iter().find(|one| one.name.is_some_and(|name| name.as_str() == "default"));
            let Some(default) = given.or(named.map(|one| one.value)) else { return };
            let Some(value) = meaning(program, file, local, default) else { return };
            out.push(Read {
                key: key.to_owned(),
                default: value,
                shown: program.text(file, model.span(default)).to_owned(),
                at: Site { file, span },
                function: local,
            });
        });
    }
}

/// The format strings of a function.
fn format_strings(model: &File, function: LocalFunction) -> Vec<Span> {
    let mut found = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |expr, kind| {
                if matches!(kind, Expr::Format(_)) {
                    found.push(model.span(expr));
                }
            });
        }
    });
    found
}

/// What a default means, with the spellings of one truth value taken for the same.
fn meaning(program: &Program, file: FileId, function: LocalFunction, default: ExprId) -> Option<String> {
    let text = match program.constant(file, function, default)? {
        Constant::Str(text) => text,
        Constant::Int(value) => value.to_string(),
        Constant::Bool(value) => value.to_string(),
        Constant::None => return None,
        Constant::Prefix(_) => return None,
    };
    if matches!(program.file(file).model.expr(default), Expr::Missing) {
        return None;
    }
    Some(match text.to_ascii_lowercase().as_str() {
        "0" | "false" | "no" | "off" | "" => "0".to_owned(),
        "1" | "true" | "yes" | "on" => "1".to_owned(),
        _ => text,
    })
}

/// Keys with which a launcher tells a process who it is.
fn is_identity(key: &str) -> bool {
    key.ends_with("RANK") || key.ends_with("WORLD_SIZE") || key.starts_with("MASTER_") || key.starts_with("SLURM_")
}
