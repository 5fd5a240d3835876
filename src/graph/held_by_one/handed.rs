//! What one rank alone has, handed on: to functions that use it on all ranks, and by functions that answer with it.

use super::Body;
use crate::base::{FunctionId, Site, Symbol};
use crate::catalog::{Entry, Wrapper};
use crate::graph::context::each_in_context;
use crate::graph::helpers::called;
use crate::graph::resolve::Target;
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, each_call, each_statement};

/// Functions that something is handed down to, one by the other.
const MAX_DEPTH: usize = 3;

/// Where a function uses what it was handed, though it is `None` on all ranks but one.
pub(super) struct Failing {
    /// The function.
    pub(super) function: FunctionId,
    /// The variable there.
    pub(super) name: Symbol,
    /// Where it is used.
    pub(super) used: Site,
}

impl Body<'_> {
    /// Where a function to which all ranks hand a variable fails on those that have `None` in it.
    pub(super) fn fails_below(&self, given: ExprId) -> Option<Failing> {
        self.fails_within(given, MAX_DEPTH)
    }

    fn fails_within(&self, given: ExprId, depth: usize) -> Option<Failing> {
        let (callee, name) = self.handed_to(given)?;
        let (file, function) = self.program.locate(callee);
        let body = Body { program: self.program, taint: self.taint, file, function, object: None, is_below: true };
        let definition = body.model().function(function);
        if definition.skeleton || definition.is_async {
            return None;
        }
        let seen = body.seen();
        let is_bound = seen.bindings.iter().any(|binding| binding.name == name);
        if is_bound || seen.ends {
            return None;
        }
        seen.reads.iter().filter(|(_, _, read)| read.name == name).find_map(|(_, conditions, read)| {
            if !body.is_of_all(&seen, name, conditions) {
                return None;
            }
            match read.goes_into_it {
                true => Some(Failing { function: callee, name, used: body.site(body.model().span(read.expr)) }),
                false => (depth > 1).then(|| body.fails_within(read.expr, depth - 1)).flatten(),
            }
        })
    }

    /// The function that a variable is handed to, and what it is called there.
    fn handed_to(&self, given: ExprId) -> Option<(FunctionId, Symbol)> {
        let model = self.model();
        let mut found = None;
        each_call(model, self.function, &mut |_, call| {
            let at = model.list(call.args).iter().position(|&argument| argument == given);
            let by_name = model.keywords(call).iter().find(|keyword| keyword.value == given);
            if found.is_none() && (at.is_some() || by_name.is_some()) {
                found = Some((call, at, by_name.and_then(|keyword| keyword.name)));
            }
        });
        let (call, at, by_name) = found?;
        if model.list(call.args).iter().any(|&argument| matches!(model.expr(argument), Expr::Starred(_))) {
            return None;
        }
        let callee = called(self.program, self.file, self.function, call.callee)?;
        let definition = self.program.function(callee);
        let bound = usize::from(definition.takes_object());
        let parameter = match (by_name, at) {
            (Some(name), _) => definition.parameters.iter().find(|parameter| parameter.name == name),
            (None, Some(at)) => definition.parameters.get(at + bound),
            _ => None,
        };
        Some((callee, parameter?.name))
    }

    /// Whether a call answers `None` on every rank but the first: it answers with something behind a question for the rank,
    /// and with nothing otherwise.
    pub(super) fn is_answered_to_one(&self, value: ExprId) -> bool {
        self.is_call_of(value, |body| body.answers_one())
    }

    /// Whether a call answers `None, None` on every rank but the first, and with as many things there.
    pub(super) fn is_answered_in_parts(&self, value: ExprId) -> bool {
        self.is_call_of(value, |body| body.answers_one_in_parts())
    }

    /// Whether a call answers with something on the first rank alone, whole or in parts.
    pub(super) fn is_answered_alone(&self, value: ExprId) -> bool {
        self.is_call_of(value, |body| body.answers_one() || body.answers_one_in_parts())
    }

    fn is_call_of(&self, value: ExprId, answers: impl Fn(&Body<'_>) -> bool) -> bool {
        let Expr::Call(call) = self.model().expr(value) else { return false };
        if self.is_below || self.object.is_some() {
            return false;
        }
        let callee = self.model().call(call).callee;
        let Some(callee) = called(self.program, self.file, self.function, callee) else { return false };
        let (file, function) = self.program.locate(callee);
        let body = Body { program: self.program, taint: self.taint, file, function, object: None, is_below: true };
        let definition = body.model().function(function);
        !definition.skeleton && !definition.is_async && answers(&body)
    }

    /// Whether the function answers `None` on every rank but the first, by what it asks or by a decorator that does.
    pub(super) fn answers_one(&self) -> bool {
        self.lets_in_one() && self.answers_behind_question(is_nothing) || self.answers() && self.is_decorated_for_one()
    }

    /// Whether the function answers `None, None` on every rank but the first, by what it asks.
    pub(super) fn answers_one_in_parts(&self) -> bool {
        self.lets_in_one() && self.answers_behind_question(is_nothing_in_parts)
    }

    /// Whether the function answers with anything.
    fn answers(&self) -> bool {
        let model = self.model();
        let mut found = false;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| {
            found |= matches!(stmt, Stmt::Return(Some(said)) if model.expr(*said) != Expr::None);
        });
        found
    }

    /// Whether a decorator runs the function on the first rank alone: one of a library, or one of the program.
    fn is_decorated_for_one(&self) -> bool {
        let model = self.model();
        model.list(model.function(self.function).decorators).iter().any(|&decorator| {
            match self.program.target(self.file, self.function, decorator) {
                Some(Target::External(name)) => {
                    matches!(self.program.catalog.entry(name), Some(Entry::Wrapper(Wrapper::FirstRankOnly)))
                }
                Some(Target::Function(decorator)) => self.wraps_for_one(decorator),
                _ => false,
            }
        })
    }

    /// Whether a decorator of the program makes a function that answers on the first rank alone.
    fn wraps_for_one(&self, decorator: FunctionId) -> bool {
        let (file, decorator) = self.program.locate(decorator);
        let functions = &self.program.file(file).model.functions;
        functions.iter().enumerate().filter(|(_, inner)| inner.parent == Some(decorator)).any(|(index, _)| {
            let inner = Body { file, function: LocalFunction(index as u32), object: None, is_below: true, ..*self };
            inner.lets_in_one() && inner.answers_behind_question(is_nothing)
        })
    }

    /// Whether the function answers with something on the first rank alone, and with nothing, of the kind that is asked for, on
    /// the others.
    fn answers_behind_question(&self, is_nothing: fn(&File, Option<ExprId>) -> bool) -> bool {
        let model = self.model();
        let (mut to_one, mut to_others) = (0, 0);
        each_in_context(model, self.function, &mut |_, stmt, context| {
            let Stmt::Return(said) = *stmt else { return };
            let conditions = || context.conditions.iter().copied().zip(context.answers.iter().copied());
            let is_first = conditions().any(|asked| self.lets_in_first(asked));
            let is_other = conditions().any(|(condition, answer)| self.lets_in_first((condition, !answer)));
            match said {
                _ if is_nothing(model, said) => {}
                Some(said) if !is_other && (is_first || self.is_named_for_one(said)) => to_one += 1,
                _ => to_others += 1,
            }
        });
        to_one > 0 && to_others == 0
    }

    /// Whether a variable is bound on the first rank, and to `None` on the others.
    fn is_named_for_one(&self, said: ExprId) -> bool {
        let Expr::Name(name) = self.model().expr(said) else { return false };
        if self.model().function(self.function).parameters.iter().any(|parameter| parameter.name == name) {
            return false;
        }
        let seen = self.seen();
        let bindings = || seen.bindings.iter().filter(|binding| binding.name == name);
        !seen.odd.contains(&name)
            && bindings().any(|binding| binding.alone.is_some() && !binding.is_none && binding.under.is_empty())
            && bindings().any(|binding| binding.alone.is_none())
            && bindings().all(|binding| binding.alone.is_some() || binding.is_none)
    }
}

/// Whether a `return` answers `None`.
fn is_nothing(model: &File, said: Option<ExprId>) -> bool {
    said.is_none_or(|said| model.expr(said) == Expr::None)
}

/// Whether a `return` answers with nothing but `None`s, several at once.
fn is_nothing_in_parts(model: &File, said: Option<ExprId>) -> bool {
    let Some(Expr::Tuple(parts) | Expr::ListDisplay(parts)) = said.map(|said| model.expr(said)) else { return false };
    let parts = model.list(parts);
    parts.len() > 1 && parts.iter().all(|&part| model.expr(part) == Expr::None)
}
