//! Failures that only some ranks can meet, raised there, in front of a collective that their peers enter.
//!
//! One rank downloads, or reads, for all; when that fails it raises, and its peers stand in the barrier behind until
//! somebody ends them.

mod found_out;
mod kept_by_others;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{
    Assignment, Axes, ChoiceForm, Effect, EffectId, Effects, Evaluator, EventId, Exit, Node, POOLED, Truth, Value,
    World,
};

use super::by_rank::compares_rank;
use super::evaluate::Engine;
use super::program::Program;
use found_out::{Guard, asks_for_place, ends_in_failure, found_out};
use kept_by_others::raised_by_some;

/// Nodes looked at for one function.
const MAX_NODES: u32 = 4_000;

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 40;

/// A failure of some ranks in front of a collective of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranded {
    /// The function it stands in.
    pub function: FunctionId,
    /// Where the failure is raised on.
    pub raised: Site,
    /// The condition under which only some ranks come there.
    pub guard: Site,
    /// Whether that is asked of what each rank has of its own, not of its place.
    pub asks_own: bool,
    /// What the peers are in.
    pub op: Symbol,
    /// Where that is issued.
    pub event: Site,
    /// The call that leads to it, if it is not issued in the function itself.
    pub call: Option<(Site, Symbol)>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// Adds the failures of one function.
pub(super) fn stranded(
    engine: &Engine<'_>,
    program: &Program,
    function: FunctionId,
    root: EffectId,
    out: &mut Vec<Stranded>,
) {
    let summed = engine.effects.summed(root);
    if !summed.events || !summed.pending && (!summed.raises || summed.varies.is_empty()) {
        return;
    }
    // A test that fails on one rank says so, and is run by somebody who waits for it.
    let is_test = program.file(program.locate(function).0).is_test();
    let sure = if is_test { Confidence::Low } else { Confidence::Medium };
    Walk { engine, function, sure, nodes: 0, called: false, outside: None, out }.effect(root, None);
}

/// The first event behind a place.
type Behind = Option<(EventId, Option<(Site, Symbol)>)>;

struct Walk<'a, 'e> {
    engine: &'a Engine<'e>,
    function: FunctionId,
    sure: Confidence,
    nodes: u32,
    /// Whether it is a callee that is looked at.
    called: bool,
    /// What its caller issues behind the call.
    outside: Behind,
    out: &'a mut Vec<Stranded>,
}

impl Walk<'_, '_> {
    fn effect(&mut self, effect: EffectId, behind: Behind) {
        self.nodes += 1;
        let engine = self.engine;
        let summed = engine.effects.summed(effect);
        if self.nodes > MAX_NODES || !summed.raises && !summed.pending {
            return;
        }
        match engine.effects.get(effect) {
            Effect::Seq(parts) => {
                let mut behind = behind;
                for &part in parts.iter().rev() {
                    self.effect(part, behind);
                    behind = match engine.effects.get(part) {
                        // Nobody comes to what stands behind.
                        Effect::Exit(Exit::Raise(_) | Exit::Abort, _) => None,
                        Effect::Exit(Exit::Return, _) => self.outside,
                        _ => first_event(engine, part, None).or(behind),
                    };
                }
            }
            Effect::Choice { test, site, form, then, otherwise } => {
                let vary = engine.values.truth_axes(*test);
                let on_group = |(event, _): &(EventId, _)| {
                    engine.values.group_axes(engine.effects.event(*event).group).meets(vary)
                };
                if let Some((event, call)) = behind.filter(on_group)
                    && !vary.is_empty()
                    && compares_rank(engine, *test)
                    && let Some((raised, always)) = [*then, *otherwise].into_iter().find_map(|arm| {
                        let met = engine.effects.event(event).op;
                        let guard = Guard { test: *test, site: *site };
                        let alone = || asks_for_place(engine, *test).then(|| found_out(engine, arm, guard)).flatten();
                        passed_on(engine, arm, met).or_else(|| Some((alone()?, true)))
                    })
                {
                    // Who has thought of a failure that is none lets pass on only what nobody has thought of.
                    let sure = if always { self.sure } else { Confidence::Low };
                    self.found(raised, (*site, false), (event, call), sure);
                    return;
                }
                if let Some((event, call)) = behind.filter(on_group)
                    && (pools_what_is_asked(engine, *test, event) || asks_what_was_dealt(engine, *test))
                    && let Some(raised) = [*then, *otherwise].into_iter().find_map(|arm| ends_in_failure(engine, arm))
                {
                    self.found(raised, (*site, true), (event, call), self.sure);
                    return;
                }
                if let Some((event, call)) = behind.filter(on_group)
                    && *form != ChoiceForm::Assertion
                    && let Some(raised) = raised_by_some(engine, *test, *then, *otherwise)
                {
                    self.found(raised, (*site, true), (event, call), self.sure);
                    return;
                }
                let with_peers = comes_out_with_peers(engine, *test);
                for (arm, answer) in [(*then, true), (*otherwise, false)] {
                    if with_peers.is_none_or(|known| known == answer) {
                        self.effect(arm, behind);
                    }
                }
            }
            Effect::Loop { body, orelse, .. } => {
                self.effect(*body, behind);
                self.effect(*orelse, behind);
            }
            Effect::Scope { body, .. } => self.effect(*body, behind),
            Effect::Try { body, handlers, orelse, finally } => {
                // What is raised inside may be caught here, and `finally` may be where the peers are met.
                if *finally == Effects::NOTHING || !engine.effects.summed(*finally).events {
                    if handlers.is_empty() {
                        self.effect(*body, behind);
                    }
                    handlers.iter().for_each(|handler| self.effect(handler.body, behind));
                    self.effect(*orelse, behind);
                }
            }
            // Who calls it issues what the peers wait in.
            Effect::Call { function, body, .. } => self.callee(*function, *body, behind),
            Effect::Pending { function, .. } => {
                if let Some(body) = engine.known_effects(*function) {
                    self.callee(*function, body, behind);
                }
            }
            Effect::Nothing | Effect::Event(_) | Effect::Exit(..) | Effect::Hole | Effect::Invoke { .. } => {}
        }
    }

    fn found(
        &mut self,
        raised: Site,
        (guard, asks_own): (Site, bool),
        (event, call): (EventId, Option<(Site, Symbol)>),
        sure: Confidence,
    ) {
        if self.out.iter().any(|known| known.raised == raised) {
            return;
        }
        let event = self.engine.effects.event(event);
        self.out.push(Stranded {
            function: self.function,
            raised,
            guard,
            asks_own,
            op: event.op,
            event: event.site,
            call,
            confidence: event.confidence.min(sure),
        });
    }

    /// What a function issues and raises that is called in front of what its caller issues.
    fn callee(&mut self, function: FunctionId, body: EffectId, behind: Behind) {
        if self.called || behind.is_none() {
            return;
        }
        let caller = std::mem::replace(&mut self.function, function);
        (self.called, self.outside) = (true, behind);
        self.effect(body, behind);
        (self.function, self.called, self.outside) = (caller, false, None);
    }
}

/// How a question for the number of processes comes out wherever there are several, and whoever asks.
fn comes_out_with_peers(engine: &Engine<'_>, test: Value) -> Option<bool> {
    let with = |size: i64| {
        let class = Assignment::default();
        let world = World { size, extent: size, axes: Axes::ALL, single: Axes::NONE };
        let evaluator = Evaluator::new(&engine.values, world, &class);
        let truth = evaluator.truth(test);
        let missing = evaluator.missing.borrow();
        let is_plain = !missing.rank && missing.axes.is_empty() && missing.sizes.is_empty() && missing.atoms.is_empty();
        match truth {
            Truth::Known(answer) if is_plain => Some(answer),
            _ => None,
        }
    };
    with(2).filter(|&answer| with(64) == Some(answer))
}

/// Whether a question is about a number of each rank's own that the operation pools: before it does, the number may be what
/// it must not be on one rank alone.
fn pools_what_is_asked(engine: &Engine<'_>, test: Value, event: EventId) -> bool {
    let event = engine.effects.event(event);
    let Some(pooled) = event.shaped.filter(|_| !event.implicit) else { return false };
    engine.values.any_part(test, MAX_PARTS, |part| match engine.values.node(part) {
        Node::Apply(name, asked) if name.as_str() == POOLED => {
            engine.values.any_part(asked[0], MAX_PARTS, |of| of == pooled)
        }
        _ => false,
    })
}

/// Whether a question is how many there are of what is dealt out by rank, one to each in turn: of few of them the last ranks
/// get none.
fn asks_what_was_dealt(engine: &Engine<'_>, test: Value) -> bool {
    match *engine.values.node(test) {
        Node::Not(inner) => is_dealt(engine, inner) || asks_what_was_dealt(engine, inner),
        Node::Compare(_, left, right) => [left, right].into_iter().any(|side| match *engine.values.node(side) {
            Node::Length(of) => is_dealt(engine, of),
            _ => false,
        }),
        _ => false,
    }
}

/// `things[rank::world_size]`, or a list of these.
fn is_dealt(engine: &Engine<'_>, value: Value) -> bool {
    let by_rank = |bounds: &[Value]| match *bounds {
        [from, _, step] => {
            matches!(engine.values.node(from), Node::Rank(_)) && matches!(engine.values.node(step), Node::Size(_))
        }
        _ => false,
    };
    match engine.values.node(value) {
        Node::Index(_, places) => matches!(engine.values.node(*places), Node::Range(bounds) if by_rank(bounds)),
        Node::Mapped(name, parts) if matches!(name.as_str(), "list" | "tuple" | "sorted") => {
            parts.first().is_some_and(|&first| is_dealt(engine, first))
        }
        _ => false,
    }
}

/// The first event that every rank reaches which comes to the effect.
fn first_event(engine: &Engine<'_>, effect: EffectId, call: Option<(Site, Symbol)>) -> Behind {
    if !engine.effects.summed(effect).events {
        return None;
    }
    match engine.effects.get(effect) {
        Effect::Event(event) => Some((*event, call)),
        Effect::Seq(parts) => parts.iter().find_map(|&part| first_event(engine, part, call)),
        Effect::Choice { test, then, otherwise, .. } if engine.values.truth_axes(*test) == Axes::NONE => {
            first_event(engine, *then, call).or_else(|| first_event(engine, *otherwise, call))
        }
        Effect::Scope { body, .. } => first_event(engine, *body, call),
        Effect::Try { body, .. } => first_event(engine, *body, call),
        Effect::Loop { body, .. } => first_event(engine, *body, call),
        Effect::Call { function, site, body } => {
            first_event(engine, *body, call.or_else(|| Some((*site, engine.function_name(*function)))))
        }
        _ => None,
    }
}

/// Where a handler in the arm passes a failure on, without having met the peers in the operation they are in, and whether
/// it always does.
fn passed_on(engine: &Engine<'_>, arm: EffectId, op: Symbol) -> Option<(Site, bool)> {
    if !engine.effects.summed(arm).raises {
        return None;
    }
    match engine.effects.get(arm) {
        Effect::Seq(parts) => parts.iter().find_map(|&part| passed_on(engine, part, op)),
        Effect::Choice { then, otherwise, .. } => {
            passed_on(engine, *then, op).or_else(|| passed_on(engine, *otherwise, op))
        }
        Effect::Loop { body, .. } | Effect::Scope { body, .. } => passed_on(engine, *body, op),
        Effect::Try { body, handlers, finally, .. } => {
            if engine.effects.summed(*finally).events {
                return None;
            }
            let outer = handlers.is_empty().then(|| passed_on(engine, *body, op)).flatten();
            let met = |handler: EffectId| {
                first_event(engine, handler, None).is_some_and(|(event, _)| engine.effects.event(event).op == op)
            };
            let local = handlers.iter().filter(|handler| is_local(&handler.catches) && !met(handler.body));
            outer.or_else(|| local.into_iter().find_map(|handler| raise_in(engine, handler.body)))
        }
        _ => None,
    }
}

fn raise_in(engine: &Engine<'_>, effect: EffectId) -> Option<(Site, bool)> {
    if !engine.effects.summed(effect).raises {
        return None;
    }
    match engine.effects.get(effect) {
        Effect::Exit(Exit::Raise(_), site) => Some((*site, true)),
        Effect::Seq(parts) => parts.iter().find_map(|&part| raise_in(engine, part)),
        Effect::Choice { then, otherwise, .. } => match (raise_in(engine, *then), raise_in(engine, *otherwise)) {
            (Some((one, true)), Some((_, true))) => Some((one, true)),
            (one, other) => one.or(other).map(|(site, _)| (site, false)),
        },
        Effect::Loop { body, .. } | Effect::Scope { body, .. } => raise_in(engine, *body),
        _ => None,
    }
}

/// Whether a handler catches what can befall one rank: files, network, anything. A missing module or key is missing for
/// all of them.
fn is_local(catches: &[Symbol]) -> bool {
    const WORDS: [&str; 10] =
        ["OSError", "IOError", "Runtime", "File", "Permission", "Timeout", "Connection", "HTTP", "Client", "Storage"];
    let local = |name: &Symbol| {
        let name = name.as_str();
        matches!(name, "Exception" | "BaseException" | "EnvironmentError")
            || WORDS.iter().any(|word| name.contains(word))
    };
    catches.is_empty() || catches.iter().any(local)
}
