//! What a function binds and reads, and what lets one rank in there.

use rustc_hash::{FxHashMap, FxHashSet};

use super::reads::{Read, reads};
use super::{Asked, Body};
use crate::base::{Span, Symbol};
use crate::graph::blocks::{binds, span_of};
use crate::graph::context::{Context, each_in_context};
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_expression, expressions_of, names_in};

/// Calls that end a process: whoever makes one is not there any more.
const ENDS: [&str; 6] = ["exit", "_exit", "quit", "abort", "exec", "execv"];

/// A binding of a variable.
pub(super) struct Binding {
    pub(super) name: Symbol,
    pub(super) span: Span,
    /// Which of the statements of the function it is.
    pub(super) order: usize,
    pub(super) is_none: bool,
    /// What lets one rank in, where something does.
    pub(super) alone: Option<ExprId>,
    /// What else has to hold for it.
    pub(super) under: Vec<Asked>,
}

/// Methods that put something into a container.
const FILLS: [&str; 8] = ["append", "extend", "add", "update", "insert", "put", "setdefault", "appendleft"];

/// What a function binds and reads.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) bindings: Vec<Binding>,
    pub(super) reads: Vec<(usize, Vec<Asked>, Read)>,
    /// Variables of which more happens than is followed here.
    pub(super) odd: FxHashSet<Symbol>,
    /// Variables that one rank alone binds or fills, and where first: what is asked of them behind that may go with the
    /// rank.
    pub(super) told: FxHashMap<Symbol, u32>,
    /// Whether the ranks that are not let in somewhere leave for good.
    pub(super) ends: bool,
}

impl Body<'_> {
    /// Variables that a statement binds or fills.
    fn changed(&self, stmt: &Stmt, out: &mut FxHashMap<Symbol, u32>) {
        let model = self.model();
        if let Stmt::Expr(value) = stmt
            && let Expr::Call(call) = model.expr(*value)
            && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
            && FILLS.contains(&name.as_str())
            && let Expr::Name(filled) = model.expr(value)
        {
            out.entry(filled).or_insert(model.span(value).start);
        }
        for root in expressions_of(model, stmt) {
            for name in names_in(model, root).into_iter().filter(|&name| binds(model, stmt, name)) {
                out.entry(name).or_insert(model.span(root).start);
            }
        }
    }

    /// The variable that an expression is: a name, or an attribute of the object at hand where those are looked for.
    fn variable(&self, expr: ExprId) -> Option<Symbol> {
        let model = self.model();
        match (model.expr(expr), self.object) {
            (Expr::Name(name), None) => Some(name),
            (Expr::Attribute { value, name }, Some(object)) if model.expr(value) == Expr::Name(object) => Some(name),
            _ => None,
        }
    }

    pub(super) fn seen(&self) -> Seen {
        let model = self.model();
        let mut seen = Seen::default();
        if self.object.is_none() {
            seen.odd.extend(model.function(self.function).parameters.iter().map(|parameter| parameter.name));
        }
        if model.function(self.function).kind == FunctionKind::Module {
            // What functions bind for the whole file.
            for (index, _) in model.functions.iter().enumerate() {
                each_in_context(model, LocalFunction(index as u32), &mut |_, stmt, _| {
                    if let Stmt::Outer(names) = stmt {
                        seen.odd.extend(names.iter().copied());
                    }
                });
            }
        }
        let mut order = 0;
        let mut handled: Vec<Span> = Vec::new();
        each_in_context(model, self.function, &mut |_, stmt, context| {
            order += 1;
            if let Stmt::Try(parts) = stmt {
                handled.extend(parts.handlers.iter().filter_map(|handler| span_of(model, handler.body)));
            }
            self.statement(stmt, context, order, &mut seen);
        });
        // What is read where something has failed is not read by all.
        seen.reads.retain(|(.., read)| !handled.iter().any(|part| part.holds(model.span(read.expr))));
        seen
    }

    fn statement(&self, stmt: &Stmt, context: Context<'_>, order: usize, seen: &mut Seen) {
        let model = self.model();
        let asked: Vec<Asked> = context.conditions.iter().copied().zip(context.answers.iter().copied()).collect();
        let variable = |expr: ExprId| self.variable(expr);
        reads(model, stmt, &asked, &variable, &mut |conditions, read| {
            seen.reads.push((order, conditions.to_vec(), read))
        });
        if asked.iter().any(|&asked| self.lets_in_first(asked)) {
            self.changed(stmt, &mut seen.told);
        }
        let of_others = asked.iter().any(|&(condition, answer)| self.lets_in_first((condition, !answer)));
        if of_others && ends(model, stmt) {
            seen.ends = true;
        }
        // Where the others have left before, nobody is behind it who lacks the variable.
        let lets_in = |&&(condition, answer): &&Asked| {
            context.around.contains(&condition) && self.lets_in_first((condition, answer))
        };
        let alone = asked.iter().find(lets_in).map(|asked| asked.0);
        let mut bind = |name: Symbol, span: Span, is_none: bool, alone: Option<ExprId>| {
            let under: Vec<Asked> = asked.iter().copied().filter(|&asked| !self.lets_in_first(asked)).collect();
            seen.bindings.push(Binding { name, span, order, is_none, alone, under });
        };
        match stmt {
            Stmt::Assign { targets, value } => {
                for &target in model.list(*targets) {
                    self.assigned(target, Some(*value), alone, &mut bind);
                }
            }
            Stmt::Annotated { target, value: Some(value), .. } => {
                self.assigned(*target, Some(*value), alone, &mut bind)
            }
            Stmt::For { target, .. } => self.assigned(*target, None, alone, &mut bind),
            Stmt::With { items, .. } => {
                for target in items.iter().filter_map(|item| item.target) {
                    self.assigned(target, None, alone, &mut bind);
                }
            }
            Stmt::Function(_) | Stmt::Class(_) | Stmt::Import(_) if self.object.is_some() => {}
            Stmt::Function(inner) => bind(model.function(*inner).name, model.function(*inner).name_span, false, alone),
            Stmt::Class(class) => bind(model.class(*class).name, model.class(*class).span, false, alone),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let whole = alias.name.as_str();
                    let first = Symbol::new(whole.split('.').next().unwrap_or(whole));
                    bind(alias.alias.unwrap_or(first), alias.span, false, alone);
                }
            }
            Stmt::Try(parts) => {
                seen.odd.extend(parts.handlers.iter().filter_map(|handler| handler.name));
            }
            Stmt::Match { cases, .. } => seen.odd.extend(cases.iter().flat_map(|case| case.bindings.iter().copied())),
            Stmt::Outer(names) => seen.odd.extend(names.iter().copied()),
            Stmt::Delete(targets) => {
                let deleted = model.list(*targets).iter().flat_map(|&target| names_in(model, target));
                seen.odd.extend(deleted.chain(model.list(*targets).iter().filter_map(|&target| self.variable(target))));
            }
            _ => {}
        }
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                if let Expr::Walrus(name, _) = expr {
                    seen.odd.insert(name);
                }
            });
        }
    }

    /// The variables of a target; `thing if is_main else None` binds one rank to a thing and the others to nothing.
    fn assigned(
        &self,
        target: ExprId,
        value: Option<ExprId>,
        alone: Option<ExprId>,
        bind: &mut dyn FnMut(Symbol, Span, bool, Option<ExprId>),
    ) {
        let model = self.model();
        let span = model.span(target);
        let is_none = |value: ExprId| model.expr(value) == Expr::None;
        match (model.expr(target), value.map(|value| (value, model.expr(value)))) {
            (_, Some((_, Expr::IfElse(at))))
                if alone.is_none()
                    && let Some(name) = self.variable(target) =>
            {
                let [test, then, otherwise] = model.if_else(at);
                if self.lets_in_first((test, true)) && is_none(otherwise) && !is_none(then)
                    || self.lets_in_first((test, false)) && is_none(then) && !is_none(otherwise)
                {
                    bind(name, span, false, Some(test));
                    bind(name, span, true, None);
                } else {
                    bind(name, span, false, None);
                }
            }
            (_, Some((call, Expr::Call(_))))
                if alone.is_none()
                    && let Some(name) = self.variable(target)
                    && self.is_answered_to_one(call) =>
            {
                bind(name, span, false, Some(call));
                bind(name, span, true, None);
            }
            (Expr::Tuple(names) | Expr::ListDisplay(names), Some((call, Expr::Call(_))))
                if alone.is_none() && self.is_answered_in_parts(call) =>
            {
                for &part in model.list(names) {
                    if let Some(name) = self.variable(part) {
                        bind(name, model.span(part), false, Some(call));
                        bind(name, model.span(part), true, None);
                    }
                }
            }
            (_, value) if let Some(name) = self.variable(target) => {
                bind(name, span, value.is_some_and(|(value, _)| is_none(value)), alone);
            }
            (Expr::Tuple(names) | Expr::ListDisplay(names), value) => {
                let values = match value {
                    Some((_, Expr::Tuple(values))) if model.list(values).len() == model.list(names).len() => {
                        Some(model.list(values))
                    }
                    _ => None,
                };
                for (index, &part) in model.list(names).iter().enumerate() {
                    self.assigned(part, values.map(|values| values[index]), alone, bind);
                }
            }
            (Expr::Starred(inner), _) => self.assigned(inner, None, alone, bind),
            _ => {}
        }
    }
}

/// Whether a statement ends the process, or never does.
fn ends(model: &File, stmt: &Stmt) -> bool {
    let mut found = matches!(stmt, Stmt::While { test, .. } if model.expr(*test) == Expr::Bool(true));
    if let Stmt::Expr(value) = stmt {
        each_expression(model, *value, &mut |_, expr| {
            if let Expr::Call(call) = expr {
                let called = model.last_name(model.call(call).callee);
                found |= called.is_some_and(|name| ENDS.contains(&name.as_str()));
            }
        });
    }
    found
}
