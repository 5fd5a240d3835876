//! `per-rank-test-flag`: a test flag whose name, value or presence depends on the rank.

use rustc_hash::FxHashSet;

use crate::base::{FileId, Site, Span};
use crate::finding::Severity;
use crate::graph::{Action, Context, Key, Program, each_in_context};
use crate::model::{Constant, Expr, ExprId, File, LocalFunction, Stmt, each_expression, expressions_of};
use crate::rules::calls::{bodies, last_name};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::rank;

/// The rule.
pub static RULE: Rule = Rule {
    name: "per-rank-test-flag",
    group: Group::Parity,
    summary: "a test flag whose name, value or presence depends on the rank",
    severity: Severity::Error,
    rows: &["OM-04", "OM-05"],
    verify: Some(Probe::EnvironmentParity),
    page: include_str!("../../../rules/parity/per-rank-test-flag.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let mut search = Search { program, file, model: &program.file(file).model, seen: FxHashSet::default(), findings };
    for access in program.environment().in_file(file) {
        let at = At { function: access.function, span: access.span };
        match (&access.key, access.action) {
            (Key::Prefix(prefix), _) if program.environment().is_test_prefix(prefix) => {
                if let Some(part) = search.rank_in(access.function, access.key_expr) {
                    search.report(at, format!("the name of the test flag `{prefix}…` is built from the rank"), part);
                }
            }
            (Key::Whole(key), Action::Write(_) | Action::Remove) if program.environment().is_test_key(key) => {
                let value = match access.action {
                    Action::Write(value) => value,
                    _ => None,
                };
                search.write(at, key, value, &access.conditions);
            }
            _ => {}
        }
    }
    if !program.environment().may_name_test_keys(&program.file(file).text) {
        return;
    }
    for function in bodies(search.model) {
        each_in_context(search.model, function, &mut |_, stmt, context| search.statement(function, stmt, context));
    }
}

/// Where something is done with a flag.
#[derive(Clone, Copy)]
struct At {
    function: LocalFunction,
    span: Span,
}

struct Search<'a> {
    program: &'a Program,
    file: FileId,
    model: &'a File,
    seen: FxHashSet<u32>,
    findings: &'a mut Findings,
}

impl Search<'_> {
    fn rank_in(&self, function: LocalFunction, expr: ExprId) -> Option<ExprId> {
        rank::mention(self.program, self.file, function, expr)
    }

    /// A flag that is set or removed: its value, or a condition that governs it, may speak of the rank.
    fn write(&mut self, at: At, key: &str, value: Option<ExprId>, conditions: &[ExprId]) {
        if let Some(part) = value.and_then(|value| self.rank_in(at.function, value)) {
            self.report(at, format!("the value of the test flag `{key}` depends on the rank"), part);
        } else if let Some(&condition) =
            conditions.iter().rev().find(|&&condition| self.rank_in(at.function, condition).is_some())
        {
            self.report(at, format!("the test flag `{key}` is set or removed on some ranks only"), condition);
        }
    }

    fn report(&mut self, at: At, message: String, rank: ExprId) {
        if !self.seen.insert(at.span.start) {
            return;
        }
        let finding = Findings::new_finding(
            &RULE,
            Site { file: self.file, span: at.span },
            self.program.symbol_of(self.file, at.function),
            message,
        )
        .because(site(self.file, self.model.span(rank)), "this differs from rank to rank")
        .help("set one flag to one value on every rank and let the value name the rank that acts: `SCOPE_TEST_DROP_ON_RANK=1`");
        self.findings.push(finding);
    }

    /// Flags in dictionaries that become some process's environment.
    fn statement(&mut self, function: LocalFunction, stmt: &Stmt, context: Context<'_>) {
        if let Stmt::Assign { targets, value } = stmt {
            for &target in self.model.list(*targets) {
                if let Expr::Subscript(_, key) = self.model.expr(target)
                    && let Some(key) = self.test_key(function, key)
                {
                    let at = At { function, span: self.model.span(target) };
                    self.write(at, &key, Some(*value), context.conditions);
                }
            }
        }
        let named = match stmt {
            Stmt::Assign { targets, .. } => {
                self.model.list(*targets).iter().any(|&target| self.is_environment_name(target))
            }
            _ => false,
        };
        for root in expressions_of(self.model, stmt) {
            self.expression(function, root, context.conditions, named);
        }
    }

    fn expression(&mut self, function: LocalFunction, root: ExprId, conditions: &[ExprId], named: bool) {
        let mut choices: Vec<(Span, ExprId)> = Vec::new();
        let mut pairs: Vec<(ExprId, String, ExprId, bool)> = Vec::new();
        each_expression(self.model, root, &mut |id, expr| match expr {
            Expr::IfElse(at) => choices.push((self.model.span(id), self.model.if_else(at)[0])),
            Expr::Dict(parts) => {
                for pair in self.model.list(parts).chunks_exact(2) {
                    if let Some(key) = self.test_key(function, pair[0]) {
                        pairs.push((pair[0], key, pair[1], named));
                    }
                }
            }
            Expr::Call(index) => {
                let call = self.model.call(index);
                let name = last_name(self.model, call.callee).map_or("", |name| name.as_str());
                let args = self.model.list(call.args);
                if matches!(name, "setenv" | "delenv" | "setdefault" | "putenv")
                    && let Some(key) = args.first().and_then(|&key| self.test_key(function, key))
                {
                    pairs.push((id, key, args.get(1).copied().unwrap_or(id), true));
                }
                for keyword in self.model.keywords(call) {
                    if name == "dict"
                        && let Some(key) =
                            keyword.name.filter(|key| self.program.environment().is_test_key(key.as_str()))
                    {
                        pairs.push((keyword.value, key.to_string(), keyword.value, true));
                    }
                    let environment = keyword.name.is_some_and(|name| name.as_str() == "env");
                    if let Expr::Dict(parts) = self.model.expr(keyword.value)
                        && environment
                    {
                        for pair in self.model.list(parts).chunks_exact(2) {
                            if let Some(key) = self.test_key(function, pair[0]) {
                                pairs.push((pair[0], key, pair[1], true));
                            }
                        }
                    }
                }
            }
            _ => {}
        });
        for (at, key, value, presence) in pairs {
            let span = self.model.span(at);
            let mut governing: Vec<ExprId> = if presence { conditions.to_vec() } else { Vec::new() };
            let around = choices.iter().filter(|(whole, _)| whole.start <= span.start && span.end <= whole.end);
            governing.extend(around.map(|&(_, test)| test));
            self.write(At { function, span }, &key, Some(value), &governing);
        }
    }

    fn test_key(&self, function: LocalFunction, key: ExprId) -> Option<String> {
        match self.program.constant(self.file, function, key)? {
            Constant::Str(key) if self.program.environment().is_test_key(&key) => Some(key),
            _ => None,
        }
    }

    fn is_environment_name(&self, target: ExprId) -> bool {
        last_name(self.model, target).is_some_and(|name| name.as_str().to_ascii_lowercase().contains("env"))
    }
}
