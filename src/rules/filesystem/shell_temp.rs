//! `shell-temp`: shell commands that write to a temporary place, in Python's command strings and in scripts.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Site, Span, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{BinaryOp, Constant, Expr, ExprId, File};
use crate::rules::calls::{CallSite, argument, calls_named, definition, keyword, last_name, symbols};
use crate::rules::text::{HOLE, text_of};
use crate::rules::{Check, Findings, Group, Probe, Rule, Script};

use super::helpers::Helpers;
use super::shell::{Word, Write, writes, writes_of_words};
use super::{Outside, graded, is_allowed};

/// The rule.
pub static RULE: Rule = Rule {
    name: "shell-temp",
    group: Group::Filesystem,
    summary: "a shell command writes to a temporary place: `mktemp`, `> /tmp/…`",
    severity: Severity::Warning,
    rows: &[],
    verify: Some(Probe::Writes),
    page: include_str!("../../../rules/filesystem/shell-temp.md"),
    check: Check::FileAndScript(check, check_script),
};

/// Functions that run a command given as their first argument.
const RUNNERS: [&str; 16] = [
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "os.system",
    "os.popen",
    "asyncio.create_subprocess_shell",
    "asyncio.create_subprocess_exec",
    "asyncio.subprocess.create_subprocess_shell",
    "asyncio.subprocess.create_subprocess_exec",
    "pexpect.spawn",
    "pexpect.run",
    "pty.spawn",
];

static NAMES: LazyLock<FxHashSet<Symbol>> =
    LazyLock::new(|| symbols(RUNNERS.iter().map(|name| name.rsplit('.').next().unwrap_or(name))));

const HELP: &str = "write below the working directory: `mkdir -p out && … > out/log`, `mktemp -p out`";

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    let mut helpers = Helpers::default();
    for call in calls_named(program, file, &NAMES) {
        if !call.callee(program).is_some_and(|callee| RUNNERS.contains(&callee.as_str())) {
            continue;
        }
        check_environment(program, model, call, findings);
        let Some(command) = argument(model, call.call, Some(0), "args").or(keyword(model, call.call, "cmd")) else {
            continue;
        };
        let exec = call.last_name(model).is_some_and(|name| name.as_str() == "create_subprocess_exec");
        let written = match exec {
            true => writes_of_words(&words(program, model, call, model.list(call.call.args))),
            false => command_writes(program, model, call, command),
        };
        if written.is_empty() {
            helpers.note(model, call, command);
        }
        report(program, model, call, command, written, Confidence::High, findings);
    }
    for (call, command, _) in helpers.calls(program, file) {
        let written = command_writes(program, model, call, command);
        report(program, model, call, command, written, Confidence::Medium, findings);
    }
}

/// The writes of a command: a list of words, or a string that a shell reads.
fn command_writes(program: &Program, model: &File, call: CallSite, command: ExprId) -> Vec<Write> {
    match model.expr(command) {
        Expr::ListDisplay(parts) | Expr::Tuple(parts) => {
            writes_of_words(&words(program, model, call, model.list(parts)))
        }
        Expr::Binary(BinaryOp::Add, left, right) if is_list(model, left) || is_list(model, right) => {
            let mut all = command_writes(program, model, call, left);
            all.extend(command_writes(program, model, call, right));
            all
        }
        Expr::Name(name) => {
            use crate::graph::Scope;
            if let Scope::Local(owner) = program.scope_of(call.file, call.function, name)
                && let Some(value) = program.single_assignment(call.file, owner, name)
                && value != command
            {
                let at = CallSite { function: owner, ..call };
                return relocated(command_writes(program, model, at, value), model, command, value);
            }
            let text = text_of(program, call, command);
            relocated(writes(&text), model, command, command)
        }
        Expr::Call(index) if split_text(model, index).is_some() => {
            split_text(model, index).map_or_else(Vec::new, |inner| command_writes(program, model, call, inner))
        }
        _ => {
            let text = text_of(program, call, command);
            relocated(writes(&text), model, command, command)
        }
    }
}

/// Writes found in a text that is not the source's own get the place of the expression. A list spelled elsewhere keeps
/// its words' places.
fn relocated(found: Vec<Write>, model: &File, command: ExprId, value: ExprId) -> Vec<Write> {
    match is_list(model, value) {
        true => found,
        false => {
            let span = model.span(if matches!(model.expr(value), Expr::Name(_)) { command } else { value });
            found.into_iter().map(|write| Write { span, ..write }).collect()
        }
    }
}

fn is_list(model: &File, expr: ExprId) -> bool {
    matches!(model.expr(expr), Expr::ListDisplay(_) | Expr::Tuple(_))
}

/// The string that `shlex.split(…)` or `"…".split()` takes apart.
fn split_text(model: &File, index: u32) -> Option<ExprId> {
    let call = model.call(index);
    if last_name(model, call.callee)?.as_str() != "split" {
        return None;
    }
    match model.list(call.args).first() {
        Some(&text) => Some(text),
        None => match model.expr(call.callee) {
            Expr::Attribute { value, .. } => Some(value),
            _ => None,
        },
    }
}

fn words(program: &Program, model: &File, call: CallSite, parts: &[ExprId]) -> Vec<Word> {
    let word = |&part: &ExprId| Word { text: text_of(program, call, part), span: model.span(part) };
    parts.iter().map(word).collect()
}

/// `env={"TMPDIR": "/tmp"}` and `env=dict(os.environ, TMPDIR="/tmp")`.
fn check_environment(program: &Program, model: &File, call: CallSite, findings: &mut Findings) {
    let Some(environment) = keyword(model, call.call, "env") else { return };
    let mut pairs: Vec<(Symbol, ExprId)> = Vec::new();
    crate::model::each_expression(model, environment, &mut |_, expr| match expr {
        Expr::Dict(parts) => {
            for pair in model.list(parts).chunks_exact(2) {
                if let Expr::Str(key) = model.expr(pair[0]) {
                    pairs.push((key, pair[1]));
                }
            }
        }
        Expr::Call(index) => {
            let keywords = model.keywords(model.call(index));
            pairs.extend(keywords.iter().filter_map(|keyword| Some((keyword.name?, keyword.value))));
        }
        _ => {}
    });
    for (key, value) in pairs {
        if !matches!(key.as_str(), "TMPDIR" | "TMP" | "TEMP") {
            continue;
        }
        let constant = program.constant(call.file, call.function, value);
        let Some(path) = constant.as_ref().and_then(Constant::prefix) else { continue };
        if Outside::of(path).is_some() && !is_allowed(&program.facts, path) {
            let message = format!("the command runs with `{key}` set to `{path}`, outside the working directory");
            let symbol = program.symbol_of(call.file, call.function);
            let finding = Findings::new_finding(&RULE, call.site_of(model, value), symbol, message);
            findings.push(graded(program, call.file, finding.help(HELP)));
        }
    }
}

fn report(
    program: &Program,
    model: &File,
    call: CallSite,
    command: ExprId,
    written: Vec<Write>,
    confidence: Confidence,
    findings: &mut Findings,
) {
    let mut spans: Vec<Span> = Vec::new();
    for write in written {
        if write.path.as_ref().is_some_and(|path| is_allowed(&program.facts, path)) || spans.contains(&write.span) {
            continue;
        }
        spans.push(write.span);
        let mut finding = Findings::new_finding(
            &RULE,
            Site { file: call.file, span: write.span },
            program.symbol_of(call.file, call.function),
            worded(&write),
        )
        .confidence(confidence)
        .help(HELP);
        if let Some(defined) =
            definition(program, call.file, call.function, command).filter(|site| *site != finding.site)
        {
            finding = finding.because(defined, "the command is spelled here");
        }
        if !within(write.span, model.span(call.expr)) {
            finding = finding.because(call.site(model), "the command is run here");
        }
        findings.push(graded(program, call.file, finding));
    }
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn worded(write: &Write) -> String {
    match &write.path {
        Some(path) => {
            let path: String = path.replace(HOLE, "…").lines().next().unwrap_or_default().to_owned();
            format!("{} `{path}`, outside the working directory", write.what)
        }
        None => format!("{} outside the working directory", write.what),
    }
}

fn check_script(script: &Script<'_>, findings: &mut Findings) {
    for write in writes(script.text) {
        if write.path.as_ref().is_some_and(|path| is_allowed(script.facts, path)) {
            continue;
        }
        let site = Site { file: script.file, span: write.span };
        findings.push(Findings::new_finding(&RULE, site, "", worded(&write)).help(HELP));
    }
}
