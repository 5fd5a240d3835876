//! `stdlib-tempfile`: `tempfile` left to choose the place, or told to use one outside the working directory.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Symbol};
use crate::finding::Severity;
use crate::graph::Program;
use crate::model::{Constant, Expr, File, Stmt, each_statement};
use crate::rules::calls::{CallSite, argument, bodies, calls_named, passes_unseen, symbols};
use crate::rules::fixes::{Safety, added_argument, fix};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::folder::outside;
use super::{graded, graded_default, is_allowed, spelled};

/// The rule.
pub static RULE: Rule = Rule {
    name: "stdlib-tempfile",
    group: Group::Filesystem,
    summary: "`tempfile` picks the place, which is outside the working directory",
    severity: Severity::Warning,
    rows: &[],
    verify: Some(Probe::Writes),
    page: include_str!("../../../rules/filesystem/stdlib-tempfile.md"),
    check: Check::File(check),
};

/// The functions of `tempfile` that create something, and the position of their `dir`.
const MAKERS: &[(&str, usize)] = &[
    ("mkdtemp", 2),
    ("mkstemp", 2),
    ("mktemp", 2),
    ("TemporaryDirectory", 2),
    ("NamedTemporaryFile", 6),
    ("TemporaryFile", 6),
    ("SpooledTemporaryFile", 7),
];

static NAMES: LazyLock<FxHashSet<Symbol>> = LazyLock::new(|| symbols(MAKERS.iter().map(|(name, _)| *name)));

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    let calls = calls_named(program, file, &NAMES);
    if calls.is_empty() || sets_tempdir(program, file, model) {
        return;
    }
    for call in calls {
        let Some(callee) = call.callee(program) else { continue };
        let Some((name, position)) = callee
            .as_str()
            .strip_prefix("tempfile.")
            .and_then(|name| MAKERS.iter().find(|(maker, _)| *maker == name).copied())
        else {
            continue;
        };
        check_call(program, model, call, name, position, findings);
    }
}

fn check_call(program: &Program, model: &File, call: CallSite, name: &str, position: usize, findings: &mut Findings) {
    let symbol = program.symbol_of(call.file, call.function);
    let dir = argument(model, call.call, Some(position), "dir")
        .filter(|&dir| program.constant(call.file, call.function, dir) != Some(Constant::None));
    let help = "name a folder below the working directory and create it, or pass it as `dir=`";
    let finding = match dir {
        None if passes_unseen(model, call.call) || is_allowed(&program.facts, "/tmp") => return,
        None => {
            let message = format!("`tempfile.{name}` picks a place outside the working directory");
            let mut finding = Findings::new_finding(&RULE, call.site(model), symbol, message).help(help);
            // Somebody may look for the file where it was. A `None` that stands at the place of `dir` leaves no room.
            if model.list(call.call.args).len() <= position {
                let edit = added_argument(program, call.file, call.expr, call.call, "dir", "\".\"");
                let message = "create it in the working directory: `dir=\".\"`";
                finding.fix = edit.map(|edit| fix(Safety::Unsafe, message, vec![edit]));
            }
            return findings.push(graded_default(program, call.file, finding));
        }
        Some(dir) => {
            let Some(place) = outside(program, call, dir) else { return };
            let shown = place.shown();
            let finding = Findings::new_finding(
                &RULE,
                call.site(model),
                symbol,
                format!("`tempfile.{name}` is told to use `{shown}`, outside the working directory"),
            );
            spelled(finding.confidence(place.confidence), place.defined, &shown)
        }
    };
    findings.push(graded(program, call.file, finding.help(help)));
}

/// Whether the file assigns `tempfile.tempdir`, so that every call without `dir` uses that.
fn sets_tempdir(program: &Program, file: FileId, model: &File) -> bool {
    let mut sets = false;
    for function in bodies(model) {
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            let Stmt::Assign { targets, .. } = stmt else { return };
            sets |= model.list(*targets).iter().any(|&target| {
                matches!(model.expr(target), Expr::Attribute { name, .. } if name.as_str() == "tempdir")
                    && program.resolve(file, function, target).is_some_and(|name| name.as_str() == "tempfile.tempdir")
            });
        });
    }
    sets
}
