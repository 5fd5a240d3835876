//! What a fact of the disk is worth: it parts ranks where one of them changes what another has yet to ask for, not where
//! all of them come upon what was there before.

mod made;
mod objects;
mod places;

use crate::base::{Site, Symbol};
use crate::flow::{Decided, Effect, EffectId, Exit, Node, Truth, Value};
use crate::model::{Call, CompareOp, Expr, ExprId, File, LocalFunction, each_expression};

use super::communication::calls_in;
use super::confidence::Evidence;
use super::evaluate::Engine;
use super::hazard::may_fail_somehow;
use super::witness::SplitKind;
use places::fetches;

/// Parts of a question that are looked at.
const MAX_DEPTH: u32 = 12;

impl Evidence<'_, '_> {
    /// Whether a rank that finds something on its disk goes on with it, and one that misses it goes without: nobody makes
    /// here what is asked for. It was there before the job, for all of them, or is missing for all of them.
    pub(super) fn finds_what_was_there(&self) -> bool {
        let decided = self.decision.is_some_and(|decision| !decision.is_loop);
        let goes_on = match self.issuer_finds_it() {
            // An exception that parts ranks is caught: somebody has thought of one that misses it alone.
            Some(true) => !self.misses_and_complains(),
            // Whoever misses it complains, and somebody else makes do without it.
            Some(false) => self.misses_and_complains(),
            None => false,
        };
        decided && goes_on && !self.was_handed_on()
    }

    /// Whether the rank that issues the operation has come there by an exception raised where it missed something.
    fn misses_and_complains(&self) -> bool {
        let Some(cause) = self.cause.filter(|_| self.kind == SplitKind::EarlyExit) else { return false };
        let Effect::Choice { then, otherwise, .. } = self.engine.effects.get(cause.effect) else { return false };
        let raises = |effect: EffectId| matches!(self.engine.effects.get(effect), Effect::Exit(Exit::Raise(_), _));
        raises(*then) || raises(*otherwise)
    }

    /// Whether what the disk is asked for was handed to somebody earlier in the function, who may have made it.
    fn was_handed_on(&self) -> bool {
        let Some(&Node::Local(born, _)) = self.leaf.map(|leaf| self.engine.values.node(leaf)) else { return false };
        let Some((model, question)) = self.engine.written_at(born) else { return false };
        let Some(local) = self.engine.function_at(born) else { return false };
        let names_in = |root: ExprId| {
            let mut names = Vec::new();
            each_expression(model, root, &mut |_, expr| {
                if let Expr::Name(name) = expr {
                    names.push(name);
                }
            });
            names
        };
        let Expr::Call(asked) = model.expr(question) else { return false };
        let names: Vec<Symbol> = model.list(model.call(asked).args).iter().flat_map(|&arg| names_in(arg)).collect();
        calls_in(model, model.function(local).body).into_iter().any(|(expr, call)| {
            let before = model.span(expr).end <= born.span.start;
            let given =
                || model.list(call.args).iter().any(|&arg| names_in(arg).iter().any(|name| names.contains(name)));
            before && !is_quiet(self.engine, born, local, model, call) && given()
        })
    }

    /// Whether whoever misses something on the disk waits in a barrier before anything else is done: nobody has made it
    /// while somebody has yet to ask. Who exchanges data instead has something that it takes for its own.
    pub(super) fn waits_before_it_makes(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let inside = matches!(self.kind, SplitKind::Conditional | SplitKind::GroupCreation);
        let waits = event.op.as_str() == "barrier";
        inside && waits && self.issuer_finds_it() == Some(false) && self.comes_first(event.site)
    }

    /// Whether the rank that issues the operation is the one that finds what it asks its disk for.
    fn issuer_finds_it(&self) -> Option<bool> {
        let leaf = self.leaf.filter(|leaf| self.engine.marks.disks.contains(leaf))?;
        let holds = match self.issuer? {
            Decided::Truth(Truth::Known(holds)) => holds,
            _ => return None,
        };
        finds(self.engine, self.test?, leaf, holds, MAX_DEPTH)
    }

    /// Whether nothing that matters is done between the question and the operation.
    fn comes_first(&self, event: Site) -> bool {
        let Some(decision) = self.decision else { return false };
        let mut from = decision.site;
        for &(call, _) in self.calls {
            // Calls on the way to the question itself lie before it.
            if call.file == from.file && call.span.start < from.span.start && self.engine.same_function(call, from) {
                continue;
            }
            if !self.is_quiet_until(from, call) {
                return false;
            }
            from = call;
        }
        self.is_quiet_until(from, event)
    }

    /// Whether nothing that matters is called in the function of `to` before it, and behind `from` where that stands in
    /// the same one.
    pub(super) fn is_quiet_until(&self, from: Site, to: Site) -> bool {
        let model = &self.engine.program.file(to.file).model;
        let Some(local) = self.engine.function_at(to) else { return false };
        let function = model.function(local);
        let start = if self.engine.function_at(from) == Some(local) && from.file == to.file {
            from.span.end
        } else {
            function.span.start
        };
        let quiet = |(expr, call): (ExprId, Call)| {
            let span = model.span(expr);
            let between = start <= span.start && span.end <= to.span.start;
            !between || is_quiet(self.engine, to, local, model, call)
        };
        calls_in(model, function.body).into_iter().all(quiet)
    }
}

/// Whether a call makes nothing on the disk: it logs, asks, or puts a path together.
fn is_quiet(engine: &Engine<'_>, at: Site, function: LocalFunction, model: &File, call: Call) -> bool {
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { return false };
    const QUIET: [&str; 9] = ["join", "exists", "isfile", "isdir", "basename", "dirname", "abspath", "format", "Path"];
    if name.as_str() == "save" || fetches(model, call) {
        return false;
    }
    // A function that is given nothing knows nothing of what was asked for.
    let given = !model.list(call.args).is_empty() || !model.keywords(call).is_empty();
    let knows = given || engine.program.resolve(at.file, function, call.callee).is_none();
    !knows || !may_fail_somehow(engine.program, at.file, function, call) || QUIET.contains(&name.as_str())
}

/// Whether a rank on which the question has that answer has found what it asks its disk for.
fn finds(engine: &Engine<'_>, test: Value, leaf: Value, holds: bool, depth: u32) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    if test == leaf {
        return Some(holds);
    }
    let values = &engine.values;
    let is = |value: Value, node: &Node| values.node(value) == node;
    match values.node(test) {
        Node::Not(inner) => finds(engine, *inner, leaf, !holds, depth),
        Node::Length(inner) | Node::Attribute(inner, _) => finds(engine, *inner, leaf, holds, depth),
        Node::Apply(_, parts) if parts.len() == 1 => finds(engine, parts[0], leaf, holds, depth),
        Node::Mapped(_, parts) => finds(engine, *parts.first()?, leaf, holds, depth),
        Node::And(left, right) | Node::Or(left, right) => {
            let sides = [*left, *right].map(|side| finds(engine, side, leaf, holds, depth));
            match sides {
                [Some(one), Some(other)] => (one == other).then_some(one),
                [one, other] => one.or(other),
            }
        }
        Node::If(test, then, otherwise) if is(*then, &Node::Bool(true)) && is(*otherwise, &Node::Bool(false)) => {
            finds(engine, *test, leaf, holds, depth)
        }
        Node::Compare(CompareOp::Eq, left, right) if is(*right, &Node::Int(0)) => {
            finds(engine, *left, leaf, !holds, depth)
        }
        Node::Compare(CompareOp::NotEq, left, right) if is(*right, &Node::Int(0)) => {
            finds(engine, *left, leaf, holds, depth)
        }
        Node::Compare(CompareOp::Less, left, right) if is(*left, &Node::Int(0)) => {
            finds(engine, *right, leaf, holds, depth)
        }
        _ => None,
    }
}
