//! `hybrid-composition`: the impl of some modules is spliced with the goldens of others.

use rustc_hash::FxHashMap;

use crate::base::{FileId, Site, Span, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::{ModuleName, Part, Program};
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_call, each_expression, each_statement};
use crate::rules::calls::{bodies, last_name};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::{Role, role};

/// The rule.
pub static RULE: Rule = Rule {
    name: "hybrid-composition",
    group: Group::Golden,
    summary: "the impl of some modules is composed with the goldens of others",
    severity: Severity::Error,
    rows: &[],
    verify: Some(Probe::Imports),
    page: include_str!("../../../rules/golden/hybrid-composition.md"),
    check: Check::File(check),
};

const HELP: &str = "compare the cumulative impl wrapper with the cumulative golden of the same phase, both on the primary inputs; \
                    end-to-end equivalence is checked by composition verification";

/// Which side of the comparison a value or function is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Impl,
    Golden,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Impl => "impl",
            Side::Golden => "golden",
        }
    }

    /// The side that a name speaks of.
    fn of(name: &str) -> Option<Side> {
        if let Some(name) = ModuleName::parse(name) {
            return Some(if name.part == Part::Golden { Side::Golden } else { Side::Impl });
        }
        let name = name.to_ascii_lowercase();
        let words = |words: &[&str]| name.split('_').any(|word| words.contains(&word));
        if words(&["golden", "goldens", "truth", "reference"]) {
            Some(Side::Golden)
        } else if words(&["impl", "impls", "wrapper", "wrappers", "candidate", "kernel"]) {
            Some(Side::Impl)
        } else {
            None
        }
    }
}

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    if !matches!(role(program, file), Some(Role::Runner | Role::Test(_))) {
        return;
    }
    let model = &program.file(file).model;
    for function in bodies(model) {
        let body = model.function(function);
        let symbol = program.symbol_of(file, function);
        if body.kind == FunctionKind::Def && is_hybrid_name(body.name.as_str()) {
            let message = format!("`{}` composes the impl of some modules with the goldens of others", body.name);
            let finding = Findings::new_finding(&RULE, site(file, body.name_span), symbol, message);
            findings.push(finding.help(HELP));
            continue;
        }
        if within_hybrid(model, function) {
            continue;
        }
        if let Some(mix) = Flow::new(model, function).mix() {
            let message = format!("the {} is fed with a result of the {}", mix.fed.name(), mix.from.name());
            let finding = Findings::new_finding(&RULE, Site { file, span: mix.span }, symbol, message);
            findings.push(
                finding
                    .confidence(Confidence::Medium)
                    .because(site(file, mix.source), "this result goes into it")
                    .help(HELP),
            );
        }
    }
}

fn is_hybrid_name(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.starts_with("build_hybrid")
        || name == "hybrid"
        || name.starts_with("compose_hybrid")
        || name.starts_with("make_hybrid")
}

fn within_hybrid(model: &File, function: LocalFunction) -> bool {
    let mut at = model.function(function).parent;
    while let Some(id) = at {
        if is_hybrid_name(model.function(id).name.as_str()) {
            return true;
        }
        at = model.function(id).parent;
    }
    false
}

/// A call of one side that takes a result of the other.
struct Mix {
    span: Span,
    source: Span,
    fed: Side,
    from: Side,
}

/// What flows where in one function, without regard to order.
struct Flow<'a> {
    model: &'a File,
    function: LocalFunction,
    /// Names that hold results of one side, and where they get them.
    results: FxHashMap<Symbol, Vec<(Side, Span)>>,
}

impl<'a> Flow<'a> {
    fn new(model: &'a File, function: LocalFunction) -> Self {
        let mut flow = Flow { model, function, results: FxHashMap::default() };
        let mut found: Vec<(Symbol, Side, Span)> = Vec::new();
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            let (targets, value) = match stmt {
                Stmt::Assign { targets, value } => (model.list(*targets), *value),
                Stmt::Annotated { target, value: Some(value), .. } => (std::slice::from_ref(target), *value),
                _ => return,
            };
            let Some((side, span)) = flow.call_in(value) else { return };
            for &target in targets {
                each_expression(model, target, &mut |_, part| {
                    if let Expr::Name(name) = part {
                        found.push((name, side, span));
                    }
                });
            }
        });
        for (name, side, span) in found {
            flow.results.entry(name).or_default().push((side, span));
        }
        flow
    }

    /// The side whose function `value` calls, outermost first.
    fn call_in(&self, value: ExprId) -> Option<(Side, Span)> {
        let mut found = None;
        each_expression(self.model, value, &mut |id, expr| {
            if found.is_none()
                && let Expr::Call(index) = expr
                && let Some(side) = self.side_called(self.model.call(index).callee)
            {
                found = Some((side, self.model.span(id)));
            }
        });
        found
    }

    /// The side that a callee belongs to: `attn_module1_wrapper`, `impl.run`, `GOLDENS[j]`. Helpers that load, resolve or
    /// compare are of neither.
    fn side_called(&self, callee: ExprId) -> Option<Side> {
        let name = match self.model.expr(callee) {
            Expr::Name(name) => name,
            Expr::Attribute { value, name } => match Side::of(name.as_str()) {
                Some(_) => name,
                None if is_helper(name.as_str()) || !matches!(self.model.expr(value), Expr::Name(_)) => return None,
                None => last_name(self.model, value).filter(|object| object.as_str().starts_with("impl"))?,
            },
            Expr::Subscript(table, _) => last_name(self.model, table)?,
            _ => return None,
        };
        if is_helper(name.as_str()) {
            return None;
        }
        Side::of(name.as_str())
    }

    fn mix(&self) -> Option<Mix> {
        let mut found: Option<Mix> = None;
        each_call(self.model, self.function, &mut |id, call| {
            let Some(side) = self.side_called(call.callee) else { return };
            let args = self.model.list(call.args).iter().copied();
            for arg in args.chain(self.model.keywords(call).iter().map(|keyword| keyword.value)) {
                if found.is_none()
                    && let Some((from, source)) = self.foreign(arg, side)
                {
                    found = Some(Mix { span: self.model.span(id), source, fed: side, from });
                }
            }
        });
        found
    }

    /// A result of the other side inside an argument.
    fn foreign(&self, arg: ExprId, side: Side) -> Option<(Side, Span)> {
        let mut found = None;
        each_expression(self.model, arg, &mut |id, expr| {
            if found.is_some() {
                return;
            }
            found = match expr {
                Expr::Call(index) => self
                    .side_called(self.model.call(index).callee)
                    .filter(|&from| from != side)
                    .map(|from| (from, self.model.span(id))),
                Expr::Name(name) => {
                    self.results.get(&name).and_then(|all| all.iter().find(|(from, _)| *from != side)).copied()
                }
                _ => None,
            };
        });
        found
    }
}

fn is_helper(name: &str) -> bool {
    const VERBS: [&str; 17] = [
        "load", "resolve", "import", "compare", "check", "sanitize", "get", "find", "list", "validate", "assert",
        "report", "print", "log", "describe", "parse", "detailed",
    ];
    let bare = name.trim_start_matches('_');
    VERBS.iter().any(|verb| bare.strip_prefix(verb).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
        && ModuleName::parse(name).is_none()
}
