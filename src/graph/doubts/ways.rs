//! Doubts about the way from where ranks part to the operation, and about the operation.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::super::confidence::{Evidence, MAX_PARTS};
use super::super::descent::{arm_without, contains, preorder};
use super::super::evaluate::Engine;
use super::super::membership::is_world_rank;
use super::super::questions::asks_for_kind;
use super::super::witness::{Decision, Found, SplitKind};
use crate::base::Site;
use crate::finding::Confidence;
use crate::flow::{
    Assignment, ChoiceForm, Effect, EffectId, Evaluator, EventId, Exit, GroupKey, IS_MEMBER, MEMBERS, Node, Truth,
    Value,
};
use crate::model::{CompareOp, Expr, each_expression};

/// Calls down to an event that are one inferred step of their own.
const LONG_WAY: usize = 4;

impl Evidence<'_, '_> {
    /// Whether some flag chooses between it and the same of a smaller group.
    pub(in crate::graph) fn is_chosen_by_flag(&self) -> bool {
        self.found.group == GroupKey::World && chosen_by_flag(self.engine, self.root, self.main)
    }

    /// A failing assertion ends the job, so that nobody waits, unless somebody catches it; a wrong argument is wrong on
    /// every rank.
    pub(in crate::graph) fn ends_the_job(&self) -> bool {
        let asserted =
            |decision: Decision| decision.is_assertion || self.engine.marks.refusals.contains(&decision.site);
        self.kind == SplitKind::EarlyExit
            && (self.decision.is_some_and(asserted)
                || self.cause.is_some_and(|cause| leaves_by_assertion(self.engine, cause.effect)))
    }

    /// Whether the operation is asked of an element of some collection, behind the question what kind of thing it is:
    /// nobody has shown one that communicates.
    pub(in crate::graph) fn asks_what_it_is(&self) -> bool {
        let Some(cause) = self.cause.filter(|_| matches!(self.found.group, GroupKey::Other(_))) else { return false };
        let engine = self.engine;
        let speaks_of_shards =
            |asked: Site| self.decision.is_some_and(|decision| engine.speaks_of_shards(asked, decision.site));
        preorder(engine, cause.effect).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Choice { test, site, then, otherwise, .. } if engine.values.vary(*test).is_empty() => {
                asks_for_kind(engine, *test)
                    && !speaks_of_shards(*site)
                    && contains(engine, *then, self.main) != contains(engine, *otherwise, self.main)
            }
            _ => false,
        })
    }

    /// Whether no rank comes to where it is issued, for the rank that it is: a question that was reported before keeps out
    /// those that a question inside lets in.
    pub(in crate::graph) fn is_out_of_reach(&self) -> bool {
        let Found { one, other, world, .. } = self.found;
        let bare = |class: &Assignment| Assignment { atoms: BTreeMap::new(), ..class.clone() };
        let mut places = vec![bare(one), bare(other)];
        for class in [one, other] {
            for (&axis, at) in class.coordinates.keys().flat_map(|axis| (0..world.extent).map(move |at| (axis, at))) {
                let mut place = bare(class);
                place.coordinates.insert(axis, at);
                places.push(place);
            }
        }
        let is_reached_from = |place: &Assignment| {
            let mut ranks = std::iter::once(place.rank).chain(0..world.size);
            ranks.any(|rank| self.is_reached_by(&Assignment { rank, ..place.clone() }))
        };
        !places.iter().any(is_reached_from)
    }

    /// Whether a rank may come to where it is issued.
    fn is_reached_by(&self, class: &Assignment) -> bool {
        let engine = self.engine;
        let evaluator = Evaluator::new(&engine.values, self.found.world, class);
        let site = engine.effects.event(self.main).site;
        let mut seen = FxHashSet::default();
        let mut pending = vec![self.root];
        while let Some(effect) = pending.pop() {
            if !seen.insert(effect) {
                continue;
            }
            match *engine.effects.get(effect) {
                Effect::Event(event) if event == self.main || engine.effects.event(event).site == site => return true,
                Effect::Choice { test, then, otherwise, .. } => match evaluator.truth(test) {
                    Truth::Known(true) => pending.push(then),
                    Truth::Known(false) => pending.push(otherwise),
                    Truth::Same(_) => pending.extend([then, otherwise]),
                },
                _ => pending.extend(engine.below(effect)),
            }
        }
        false
    }

    /// Whether a rank that finds something on its disk loads that with its peers: what is loaded was there before the job,
    /// for all of them.
    pub(in crate::graph) fn loads_what_it_finds(&self) -> bool {
        let loads = self.engine.effects.event(self.main).op.as_str() == "checkpoint_load";
        loads && self.is_opaque() && self.born_outside().is_some()
    }

    /// Of a group of which nothing is known all members may have the same place on their nodes.
    pub(in crate::graph) fn may_be_alike_on_nodes(&self) -> bool {
        let unnamed = match self.found.group {
            GroupKey::World | GroupKey::Made(..) => false,
            GroupKey::Axis(_) => self.engine.axis_name(self.engine.effects.event(self.main).group).is_none(),
            GroupKey::Other(_) | GroupKey::NonMember => true,
        };
        unnamed && self.leaf.is_some_and(|leaf| is_world_rank(self.engine, leaf)) && self.asks_for_place_on_node()
    }

    pub(in crate::graph) fn asks_for_place_on_node(&self) -> bool {
        let Some((model, question)) = self.question() else { return false };
        let mut asks = false;
        each_expression(model, question, &mut |_, expr| {
            if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                asks |= self.engine.is_place_on_node(name);
            }
        });
        asks
    }

    /// Each call of the way is looked up by name: a long one beside another inferred step is too much. A function that
    /// bears the operation's name is a wrapper of it: the way ends there.
    pub(in crate::graph) fn is_long_way(&self, sure: Confidence) -> bool {
        let world = self.found.group == GroupKey::World;
        let by_rank = world && self.found.one.rank != self.found.other.rank;
        let op = self.engine.effects.event(self.main).op;
        let steps = self.calls.iter().position(|(_, called)| *called == op).unwrap_or(self.calls.len());
        // Where nobody has shown a rank on which it differs, one step less is too much, but for turns of a loop.
        let vague = self.is_opaque() && self.kind != SplitKind::Loop;
        let long = if world && !vague { LONG_WAY } else { LONG_WAY - 1 };
        steps >= long && (sure < Confidence::High || !by_rank)
    }

    /// Whether the members of a group are asked for their rank once more: what part of a group has to do with its members is
    /// laid down where it is made.
    pub(in crate::graph) fn asks_members_further(&self) -> bool {
        let node = |value: Value| self.engine.values.node(value);
        let by_rank = self.leaf.is_some_and(|leaf| matches!(node(leaf), Node::Rank(_)));
        let named = |value: Value, wanted: &str| matches!(node(value), Node::Apply(name, _) if name.as_str() == wanted);
        let asks = |value: Value| match *node(value) {
            Node::Compare(CompareOp::In | CompareOp::NotIn, _, list) => named(list, MEMBERS),
            _ => named(value, IS_MEMBER),
        };
        self.test.filter(|_| by_rank).is_some_and(|test| self.engine.values.any_part(test, MAX_PARTS, asks))
    }

    /// Whether a group of unknown layout is itself another one, or none, on other ranks: those who hold it are asked for.
    pub(in crate::graph) fn is_asked_by_holders(&self) -> bool {
        let held = self.engine.effects.event(self.main).group;
        matches!(self.found.group, GroupKey::Other(_)) && !self.engine.values.vary(held).is_empty()
    }
}

/// Whether an effect is left in one way alone: an assertion in it fails, or a function that it calls refuses what it would
/// refuse to any rank, by what is alike on all of them.
fn leaves_by_assertion(engine: &Engine<'_>, effect: EffectId) -> bool {
    let mut refuses = false;
    let mut pending = vec![(effect, Around::default())];
    while let Some((effect, around)) = pending.pop() {
        match engine.effects.get(effect) {
            Effect::Choice { form: ChoiceForm::Assertion, then, .. } => {
                refuses = true;
                pending.push((*then, around));
            }
            Effect::Exit(Exit::Raise(_), _) if around.alike => refuses = true,
            Effect::Exit(Exit::Raise(_) | Exit::Abort, _) => return false,
            Effect::Exit(Exit::Return, _) if !around.called => return false,
            Effect::Exit(..) if !around.turned => return false,
            Effect::Call { body, .. } => {
                let is_alike = engine.effects.summed(*body).varies.is_empty() && may_return(engine, *body);
                pending.push((*body, Around { turned: true, called: true, alike: around.alike || is_alike }));
            }
            Effect::Loop { body, .. } => pending.push((*body, Around { turned: true, ..around })),
            _ => pending.extend(engine.below(effect).into_iter().map(|below| (below, around))),
        }
    }
    refuses
}

/// What stands around an effect that is looked at.
#[derive(Clone, Copy, Default)]
struct Around {
    /// A call or a loop takes what goes on or breaks off.
    turned: bool,
    /// A call takes what is returned.
    called: bool,
    /// It belongs to a function that comes out alike on all ranks that call it.
    alike: bool,
}

/// Whether a function comes to an end otherwise than by a failure.
fn may_return(engine: &Engine<'_>, body: EffectId) -> bool {
    let ends = match engine.effects.get(body) {
        Effect::Seq(parts) => parts.last().copied().unwrap_or(body),
        _ => body,
    };
    !matches!(engine.effects.get(ends), Effect::Exit(Exit::Raise(_) | Exit::Abort, _))
        || preorder(engine, body)
            .into_iter()
            .any(|below| matches!(engine.effects.get(below), Effect::Exit(Exit::Return, _)))
}

/// Whether a setting chooses the group of all ranks here and a smaller one for the same operation otherwise: who sets it
/// knows who gets here.
fn chosen_by_flag(engine: &Engine<'_>, root: EffectId, main: EventId) -> bool {
    let smaller = |effect: EffectId| {
        preorder(engine, effect).into_iter().any(|below| match engine.effects.get(below) {
            Effect::Event(event) => {
                let event = engine.effects.event(*event);
                let main = engine.effects.event(main);
                event.op == main.op
                    && engine.same_function(event.site, main.site)
                    && !engine.values.group_axes(event.group).is_all()
            }
            _ => false,
        })
    };
    preorder(engine, root).into_iter().any(|effect| match engine.effects.get(effect) {
        choice @ Effect::Choice { test, .. } if engine.values.vary(*test).is_empty() => {
            arm_without(engine, choice, main).is_some_and(smaller)
        }
        _ => false,
    })
}
