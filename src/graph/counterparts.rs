//! Peers that issue the same elsewhere, as often as nobody knows.

use rustc_hash::FxHashSet;

use crate::base::{Site, Span, Symbol};
use crate::flow::{Effect, EffectId, EventId, Exit, LoopKind, Node, Value};
use crate::model::{CompareOp, ExprId, FunctionKind, Stmt, each_statement};

use super::blocks::{conditions_in, span_of, speaks_of_rank};
use super::communication::calls_in;
use super::confidence::Evidence;
use super::descent::{arm_without, preorder};
use super::evaluate::Engine;
use super::untaken::ways_out;
use super::ways::{demanded, ways_to};
use super::witness::SplitKind;

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 60;

/// Methods that go over what a model is made of.
const PARTS_OF_MODELS: [&str; 5] = ["parameters", "named_parameters", "buffers", "named_buffers", "modules"];

/// What stands for all that a library does with a checkpoint.
const COMPOSED: [&str; 2] = ["checkpoint_save", "checkpoint_load"];

impl Evidence<'_, '_> {
    /// Whether what a rank is chooses between two arms that both issue the operation, one of them at least only under a
    /// condition that ranks answer alike: whoever wrote them as two ends of one thing knows that it holds where there are both.
    pub(super) fn is_matched_under_a_condition(&self) -> bool {
        let by_rank = self.kind == SplitKind::Conditional && !self.is_opaque();
        let Some(cause) = self.cause.filter(|_| by_rank) else { return false };
        let Effect::Choice { test, then, otherwise, .. } = *self.engine.effects.get(cause.effect) else { return false };
        // Where one arm is of another case than the other, `stage == VALID and rank == 0`, `elif stage == TEST`, they are
        // no two ends.
        let demanded = demanded(self.engine, test);
        let ways = |arm: EffectId, demanded: &[Value]| ways_to(self.engine, arm, self.main, demanded);
        matches!((ways(then, &[]), ways(otherwise, &demanded)), (Some(one), Some(other)) if !(one && other))
    }

    /// Whether both arms issue the operation from one root, which the question makes the same:
    /// `if owner == rank: broadcast(t, src=rank)`, `else: broadcast(t, src=owner)`.
    pub(super) fn is_one_root_in_two_words(&self) -> bool {
        let engine = self.engine;
        let Some(cause) = self.cause else { return false };
        let Effect::Choice { test, then, otherwise, .. } = *engine.effects.get(cause.effect) else { return false };
        let &Node::Compare(CompareOp::Eq, left, right) = engine.values.node(test) else { return false };
        let roots = |arm: EffectId| -> Vec<Value> {
            let issued = preorder(engine, arm).into_iter().filter_map(|effect| match engine.effects.get(effect) {
                Effect::Event(issued) if is_of_the_kind(engine, *issued, self.main) => {
                    engine.effects.event(*issued).root
                }
                _ => None,
            });
            issued.collect()
        };
        match (&roots(then)[..], &roots(otherwise)[..]) {
            (&[one], &[other]) => [one, other] == [left, right] || [one, other] == [right, left],
            _ => false,
        }
    }

    /// Whether those who have no part in something issue the operation so many times and return, and the others, who go on,
    /// issue it on their way as well: `if not mine: for each: barrier(); return`, and `for each: build(); barrier()` behind
    /// it.
    pub(super) fn is_matched_by_what_follows(&self) -> bool {
        let engine = self.engine;
        let Some(cause) = self.cause else { return false };
        let Effect::Choice { then, otherwise, .. } = *engine.effects.get(cause.effect) else { return false };
        let issues = |effect: EffectId| {
            preorder(engine, effect).into_iter().any(|effect| match engine.effects.get(effect) {
                Effect::Event(issued) => is_of_the_kind(engine, *issued, self.main),
                _ => false,
            })
        };
        let repeats = |effect: EffectId| {
            preorder(engine, effect)
                .into_iter()
                .any(|effect| matches!(engine.effects.get(effect), Effect::Loop { body, .. } if issues(*body)))
        };
        let returns = |effect: EffectId| {
            let ends = ways_out(engine, effect, &|_| false).into_iter();
            ends.map(|way| engine.effects.get(way.end)).any(|end| matches!(end, Effect::Exit(Exit::Return, _)))
        };
        let leaving = [then, otherwise].into_iter().find(|&arm| repeats(arm) && returns(arm));
        leaving.is_some()
            && preorder(engine, self.root).into_iter().any(|effect| match engine.effects.get(effect) {
                Effect::Seq(parts) => {
                    let at = parts.iter().position(|&part| part == cause.effect);
                    at.is_some_and(|at| parts[at + 1..].iter().any(|&after| repeats(after)))
                }
                _ => false,
            })
    }

    /// Whether both arms go through something of their own and issue the operation for each of it, where what one goes
    /// through and what the other does is mostly the same thing twice: the entries of a state dict, beside those of the
    /// dict that they replace. Ranges say how long they are.
    pub(super) fn is_matched_in_the_other_arm(&self) -> bool {
        let Some(cause) = self.cause.filter(|_| self.kind == SplitKind::Conditional) else { return false };
        let Effect::Choice { then, otherwise, .. } = *self.engine.effects.get(cause.effect) else { return false };
        let counted = |arm: EffectId| turns_issuing(self.engine, arm, self.main);
        match (counted(then), counted(otherwise)) {
            (Some(one), Some(other)) => !one || !other,
            _ => false,
        }
    }

    /// Whether it stands in a function within another one, to be called by somebody else, and ranks that are told apart in
    /// that one issue the same there: one rank runs what an optimiser calls, and its peers follow in a loop.
    pub(super) fn is_met_around(&self) -> bool {
        let engine = self.engine;
        let event = engine.effects.event(self.main);
        let Some(local) = engine.function_at(event.site) else { return false };
        let model = &engine.program.file(event.site.file).model;
        let Some(home) = model.function(local).parent.map(|home| model.function(home)) else { return false };
        if home.kind != FunctionKind::Def {
            return false;
        }
        let by_rank = conditions_in(model, home.body)
            .into_iter()
            .filter(|&(_, test)| speaks_of_rank(&engine.program.catalog, model, test));
        let by_rank: Vec<Span> = by_rank.map(|(block, _)| block).collect();
        calls_in(model, home.body).into_iter().any(|(expr, call)| {
            model.last_name(call.callee) == Some(event.op) && by_rank.iter().any(|block| block.holds(model.span(expr)))
        })
    }

    /// Whether who has something tells its peers how much it is and sends it piece by piece, and they take the number first
    /// and as many pieces then: both arms issue the operation once and again for each piece. Numbers of turns on both sides are
    /// compared as they are: here one side goes through something of its own.
    pub(super) fn is_taken_piece_by_piece(&self) -> bool {
        let engine = self.engine;
        let Some(cause) = self.cause else { return false };
        preorder(engine, self.root).into_iter().any(|effect| match *engine.effects.get(effect) {
            Effect::Choice { then, otherwise, .. } => {
                let is_here = effect == cause.effect
                    || [then, otherwise].into_iter().any(|arm| preorder(engine, arm).contains(&cause.effect));
                is_here
                    && match [then, otherwise].map(|arm| announced_pieces(engine, arm, self.main)) {
                        [Some((one, by_number)), Some((other, by_its_number))] => {
                            one == other && !(by_number && by_its_number)
                        }
                        _ => false,
                    }
            }
            _ => false,
        })
    }

    /// Whether those who go another way issue something on the same group themselves, where the operation stands for
    /// whatever a library does to read or write a checkpoint: they do the same in words of their own.
    pub(super) fn is_done_in_other_words(&self) -> bool {
        let engine = self.engine;
        let meant = engine.effects.event(self.main);
        if !meant.implicit || !COMPOSED.contains(&meant.op.as_str()) {
            return false;
        }
        let Some(cause) = self.cause else { return false };
        let choice = engine.effects.get(cause.effect);
        let Effect::Choice { then, otherwise, .. } = *choice else { return false };
        let Some(without) = arm_without(engine, choice, self.main) else { return false };
        let with = if without == then { otherwise } else { then };
        let arm = preorder(engine, with);
        let leaves = returns(engine, with);
        let is_said = |effect: EffectId| match engine.effects.get(effect) {
            Effect::Event(issued) => {
                let issued = engine.effects.event(*issued);
                !issued.implicit && issued.group == meant.group
            }
            _ => false,
        };
        preorder(engine, without).into_iter().any(is_said)
            || leaves && preorder(engine, self.root).into_iter().any(|effect| is_said(effect) && !arm.contains(&effect))
    }

    /// Whether those who go the other way hand somebody the function that is called here, or one that they have defined there
    /// and that issues the operation: whoever is handed it calls it, nobody knows how often.
    pub(super) fn is_called_back_in_the_other_arm(&self) -> bool {
        let engine = self.engine;
        let Some(decision) = self.decision else { return false };
        let Some(local) = engine.function_at(decision.site) else { return false };
        let model = &engine.program.file(decision.site.file).model;
        let main = engine.effects.event(self.main);
        let is_here = |site: &Site| site.file == decision.site.file && engine.function_at(*site) == Some(local);
        let way = self.calls.iter().map(|call| call.0).chain([main.site]);
        let Some(issued) = way.filter(is_here).last() else { return false };
        let calls = calls_in(model, model.function(local).body);
        let here = calls.iter().find(|(expr, _)| model.span(*expr) == issued.span);
        let called = here.and_then(|(_, call)| model.last_name(call.callee));
        let op = main.op;
        let is_handed_on = |arm: Span| {
            let within = |span: Span| arm.holds(span);
            let defined =
                model.functions.iter().filter(|function| within(function.span) && function.mentions.contains(&op));
            let names: Vec<Symbol> = defined.map(|function| function.name).collect();
            calls.iter().any(|&(expr, call)| {
                let is_defined = |name: Symbol| names.contains(&name);
                let is_called = |name: Symbol| called == Some(name) && within(model.span(expr));
                let given = |argument: ExprId| {
                    model.last_name(argument).is_some_and(|name| is_defined(name) || is_called(name))
                };
                model.list(call.args).iter().copied().any(given)
                    || model.keywords(call).iter().any(|keyword| given(keyword.value))
            })
        };
        let mut is_called_back = false;
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            if let Stmt::If { test, body, orelse } = stmt
                && model.span(*test) == decision.site.span
            {
                let arms = [*body, *orelse].into_iter().filter_map(|arm| span_of(model, arm));
                is_called_back |= arms.into_iter().any(|arm| !arm.holds(issued.span) && is_handed_on(arm));
            }
        });
        is_called_back
    }
}

/// What each turn of a loop issues that comes behind an operation of that kind, where its turns issue it as well; and whether
/// a number says how many turns it takes.
fn announced_pieces(engine: &Engine<'_>, arm: EffectId, meant: EventId) -> Option<(FxHashSet<Symbol>, bool)> {
    let mut is_announced = false;
    let mut pending = vec![arm];
    while let Some(effect) = pending.pop() {
        match engine.effects.get(effect) {
            Effect::Event(issued) => is_announced |= is_of_the_kind(engine, *issued, meant),
            Effect::Loop { kind, body, .. } => {
                let by_number = match kind {
                    LoopKind::For { iter, .. } => matches!(engine.values.node(*iter), Node::Range(_)),
                    LoopKind::While { .. } => true,
                };
                let issued = || {
                    preorder(engine, *body).into_iter().filter_map(|effect| match engine.effects.get(effect) {
                        Effect::Event(issued) => Some(*issued),
                        _ => None,
                    })
                };
                if is_announced && issued().any(|issued| is_of_the_kind(engine, issued, meant)) {
                    return Some((issued().map(|issued| engine.effects.event(issued).op).collect(), by_number));
                }
            }
            _ => pending.extend(engine.below(effect).into_iter().rev()),
        }
    }
    None
}

pub(super) fn is_of_the_kind(engine: &Engine<'_>, issued: EventId, meant: EventId) -> bool {
    let (issued, meant) = (engine.effects.event(issued), engine.effects.event(meant));
    issued.op == meant.op && issued.group == meant.group
}

/// Whether the arm issues an operation of that kind on the same group for each of what all ranks have as much of, and
/// whether that is a range.
fn turns_issuing(engine: &Engine<'_>, arm: EffectId, event: EventId) -> Option<bool> {
    let issues = |body: EffectId| {
        let is_meant = |effect: EffectId| match engine.effects.get(effect) {
            Effect::Event(issued) => is_of_the_kind(engine, *issued, event),
            _ => false,
        };
        preorder(engine, body).into_iter().any(is_meant)
    };
    let is_handed = |part: Value| matches!(engine.values.node(part), Node::Agreed(..));
    preorder(engine, arm).into_iter().find_map(|effect| match engine.effects.get(effect) {
        Effect::Loop { kind: LoopKind::For { iter, .. }, body, .. }
            if (engine.values.shape(*iter).is_empty() || goes_over_a_model(engine, *iter)) && issues(*body) =>
        {
            Some(matches!(engine.values.node(*iter), Node::Range(_)))
        }
        // As long as something is left: of what the other arm has said how much it is.
        Effect::Loop { kind: LoopKind::While { test }, body, .. }
            if *engine.values.node(*test) != Node::Bool(true)
                && (engine.values.vary(*test).is_empty() || engine.values.any_part(*test, MAX_PARTS, is_handed))
                && issues(*body) =>
        {
            Some(false)
        }
        _ => None,
    })
}

/// Whether it is what a model is made of: the model of another arm is made of as much.
fn goes_over_a_model(engine: &Engine<'_>, iter: Value) -> bool {
    engine.values.any_part(iter, MAX_PARTS, |part| match engine.values.node(part) {
        Node::Apply(name, _) | Node::Mapped(name, _) => PARTS_OF_MODELS.contains(&name.last_part().as_str()),
        _ => false,
    })
}

/// Whether somebody may return in an arm of a function: what is called there comes back to it.
fn returns(engine: &Engine<'_>, arm: EffectId) -> bool {
    match engine.effects.get(arm) {
        Effect::Exit(exit, _) => *exit == Exit::Return,
        Effect::Call { .. } => false,
        _ => engine.below(arm).into_iter().any(|part| returns(engine, part)),
    }
}
