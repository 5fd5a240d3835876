//! A split in words that a rule can use: the event, where ranks part and why, the call chain, and two ranks.

mod ranks;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::{Confidence, WitnessRank};
use crate::flow::{
    Assignment, Axes, ChoiceForm, Difference, Effect, EffectId, Evaluator, EventId, GroupKey, Heal, Healed, LoopKind,
    Node, Value, World,
};

use super::blame::{Blame, blame};
use super::confidence::Evidence;
use super::descent::{contains, depends_on_caller, paths_to, preorder, question_of, site_of};
use super::divergence::form_of;
use super::evaluate::Engine;
use super::origin::{counting, event_leaf, group_name, leaf, origin, set_apart};
use ranks::{exits, witness};

/// A difference between two classes of ranks on one group.
pub(super) struct Found {
    pub(super) group: GroupKey,
    pub(super) world: World,
    pub(super) one: Assignment,
    pub(super) other: Assignment,
    pub(super) difference: Difference,
    /// Whether all but one fact was left open.
    pub(super) open: bool,
}

/// What sort of split it is; each collectives rule words one or more of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitKind {
    /// Only some ranks reach the event.
    Conditional,
    /// Some ranks leave before the event.
    EarlyExit,
    /// Ranks take a different number of turns round the event.
    Loop,
    /// A group is created by some ranks only, or from different members.
    GroupCreation,
    /// The group differs between ranks, or is wider than the ranks that get there.
    WrongGroup,
    /// Ranks name different roots.
    WrongRoot,
    /// Ranks issue different operations, or with different reduce operators.
    Order,
}

/// An operation as a finding shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitEvent {
    /// Its name.
    pub op: Symbol,
    /// Where it is issued.
    pub site: Site,
    /// Whether it hides behind a call that does not look like it.
    pub implicit: bool,
    /// Whether it communicates only where the model is sharded.
    pub sharded: bool,
}

/// The condition or loop at which ranks part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The condition, or what a loop iterates.
    pub site: Site,
    /// Whether it is a loop.
    pub is_loop: bool,
    /// Whether it is an `assert`.
    pub is_assertion: bool,
    /// Whether a decorator or dispatcher decides.
    pub is_wrapper: bool,
}

/// Where ranks can part ways.
#[derive(Clone, Debug)]
pub struct Split {
    /// What sort it is.
    pub kind: SplitKind,
    /// The function in whose terms it was found.
    pub function: FunctionId,
    /// The event on which ranks disagree.
    pub event: SplitEvent,
    /// The event that the others issue instead, if they issue one.
    pub instead: Option<SplitEvent>,
    /// The group in words.
    pub group: String,
    /// Where ranks part.
    pub decision: Option<Decision>,
    /// Where the difference was born, and why: the second half of a sentence.
    pub origin: Option<(Site, String)>,
    /// Where the rank leaves that does not issue the event.
    pub leaves: Option<Site>,
    /// Where a variable takes the difference on: it is set under a condition on which ranks part.
    pub set_apart: Option<(Site, String)>,
    /// Calls between the function and the event, outermost first, with the called function's name.
    pub calls: Vec<(Site, Symbol)>,
    /// Two ranks and what each issues.
    pub witness: Vec<WitnessRank>,
    /// How sure.
    pub confidence: Confidence,
    /// Whether what differs is something that the function is given, of which only its name says so.
    pub is_handed: bool,
    /// Whether all that speaks against it is that this very operation may not be issued there: it communicates only where
    /// the model is sharded, say, and nobody has said that it is.
    pub is_supposed: bool,
}

/// Where a reported split is healed: its site, below which call, and how.
pub(super) type Heals = Vec<(Site, Option<Site>, Heal)>;

/// Puts a difference into words, and says what is healed by that.
pub(super) fn explain(
    engine: &Engine<'_>,
    function: FunctionId,
    root: EffectId,
    found: &Found,
    healed: &Healed,
) -> Option<(Split, Heals)> {
    let blame = blame(engine, root, found, healed);
    let events = blame.difference.events();
    let cause = blame.cause.map(|parting| parting.effect);
    let under = |event: EventId| cause.is_some_and(|cause| contains(engine, cause, event));
    let differs = |event: EventId| differing(engine, found, event);
    // Of two different events the surprising one is that under the condition, of two there the first in the source;
    // without a condition it is the one that is not the same operation for both ranks.
    let main = match (events, cause) {
        ([Some(one), Some(other)], Some(_)) => match (under(one), under(other)) {
            (true, true) => first_of(engine, one, other),
            (false, true) => other,
            _ => one,
        },
        ([Some(event), None] | [None, Some(event)], Some(_)) => event,
        (_, None) => {
            let seen = events.into_iter().flatten().find(|&event| differs(event).is_some());
            seen.or_else(|| first_differing(engine, root, found)).or(events.into_iter().flatten().next())?
        }
        ([None, None], _) => return None,
    };
    let instead = events.into_iter().flatten().find(|&event| event != main);
    let decision = cause.and_then(|cause| decision(engine, cause));
    let kind = match cause {
        Some(cause) => kind(engine, found, &events, main, cause, blame.inside),
        None => match differs(main) {
            _ if engine.effects.event(main).creates => SplitKind::GroupCreation,
            Some(Part::Group) => SplitKind::WrongGroup,
            Some(Part::Root) => SplitKind::WrongRoot,
            Some(Part::Other) => SplitKind::Order,
            None if instead.is_some() => SplitKind::Order,
            None => SplitKind::Conditional,
        },
    };
    let test = cause.map(|cause| question_of(engine, cause).unwrap_or(engine.none));
    let leaf = match test {
        Some(test) => {
            let deciding = match cause.map(|cause| engine.effects.get(cause)) {
                Some(Effect::Loop { kind: LoopKind::For { .. }, .. }) => counting(engine, test, found.world.axes),
                _ => deciding(engine, found, test),
            };
            leaf(engine, deciding, found.world.axes)
        }
        None => event_leaf(engine, main, found),
    };
    let parting = decision.map(|decision| decision.site);
    let birth = leaf.and_then(|leaf| engine.birth(leaf, function, parting));
    let origin = origin(engine, leaf, birth, decision);
    let set_apart = test.zip(leaf).and_then(|(test, leaf)| {
        let place = set_apart(engine, test, (leaf, found.world.axes), function, decision)?;
        (origin.as_ref().is_none_or(|origin| origin.0 != place.0)).then_some(place)
    });
    let mut calls = calls(engine, root, main, &blame, healed);
    let site = engine.effects.event(main).site;
    let mut heals = blame.heals.clone();
    if heals.is_empty() {
        heals.push((site, depends_on_caller(engine, root, &calls, site), Heal::Alike));
    }
    // What stands in a function inside this one is shown there.
    let called = |site: Site| {
        preorder(engine, root).into_iter().find_map(|effect| match engine.effects.get(effect) {
            Effect::Call { function, site: at, .. } if *at == site => Some(*function),
            _ => None,
        })
    };
    let down = blame.path.iter().take_while(|(site, _)| called(*site).is_some_and(|f| engine.is_nested(f, function)));
    let down = down.count();
    if blame.inside && down == blame.path.len() {
        calls.drain(..down.min(calls.len()));
    }
    let evidence = Evidence {
        engine,
        function,
        root,
        found,
        kind,
        main,
        instead,
        cause: blame.cause,
        issuer: blame.cause.map(|cause| if events[0] == Some(main) { cause.one } else { cause.other }),
        decision,
        test,
        leaf,
        birth,
        same_event: differs(main).is_none(),
        calls: &calls,
    };
    let confidence = evidence.confidence();
    let is_supposed = confidence == Confidence::Low
        && cause.is_some()
        && (engine.effects.event(main).sharded || evidence.doubts_the_operation());
    let split = Split {
        kind,
        function,
        event: split_event(engine, main),
        instead: instead.map(|event| split_event(engine, event)),
        group: group_name(engine, &found.group, engine.effects.event(main).group),
        decision,
        origin,
        leaves: exits(engine, &blame).into_iter().flatten().next().map(|leaving| leaving.site),
        set_apart,
        witness: witness(engine, found, &blame, decision, site),
        calls,
        confidence,
        is_handed: leaf
            .is_some_and(|leaf| matches!(*engine.values.node(leaf), Node::Parameter(of, _) if of == function)),
        is_supposed,
    };
    Some((split, heals))
}

/// The part of a question that the two ranks answer differently, where the others go alike for both.
fn deciding(engine: &Engine<'_>, found: &Found, mut test: Value) -> Value {
    let one = Evaluator::new(&engine.values, found.world, &found.one);
    let other = Evaluator::new(&engine.values, found.world, &found.other);
    let differs = |part: Value| one.truth(part) != other.truth(part);
    loop {
        test = match *engine.values.node(test) {
            Node::Not(inner) => inner,
            Node::And(left, right) | Node::Or(left, right) => match (differs(left), differs(right)) {
                (true, false) => left,
                (false, true) => right,
                _ => return test,
            },
            _ => return test,
        };
    }
}

/// What of an event is not the same for two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Group,
    Root,
    Other,
}

fn differing(engine: &Engine<'_>, found: &Found, event: EventId) -> Option<Part> {
    let event = engine.effects.event(event);
    let one = Evaluator::new(&engine.values, found.world, &found.one);
    let other = Evaluator::new(&engine.values, found.world, &found.other);
    if one.group(event.group) != other.group(event.group) {
        return Some(Part::Group);
    }
    let differs = |value: Option<Value>| one.wire(value) != other.wire(value);
    let root = |evaluator: &Evaluator<'_>| evaluator.root_wire(event.root, &evaluator.group(event.group));
    if root(&one) != root(&other) {
        return Some(Part::Root);
    }
    let members = |evaluator: &Evaluator<'_>| evaluator.members_wire(event.members);
    (differs(event.operator) || members(&one) != members(&other)).then_some(Part::Other)
}

/// The first event in the source of which something is not the same for the two ranks.
fn first_differing(engine: &Engine<'_>, root: EffectId, found: &Found) -> Option<EventId> {
    let on_group = |class: &Assignment, event: EventId| {
        Evaluator::new(&engine.values, found.world, class).group(engine.effects.event(event).group) == found.group
    };
    preorder(engine, root).into_iter().find_map(|effect| match engine.effects.get(effect) {
        Effect::Event(event) => {
            let here = on_group(&found.one, *event) || on_group(&found.other, *event);
            (here && differing(engine, found, *event).is_some()).then_some(*event)
        }
        _ => None,
    })
}

fn first_of(engine: &Engine<'_>, one: EventId, other: EventId) -> EventId {
    let place = |event: EventId| {
        let site = engine.effects.event(event).site;
        (site.file.index(), site.span.start)
    };
    if place(other) < place(one) { other } else { one }
}

fn split_event(engine: &Engine<'_>, event: EventId) -> SplitEvent {
    let event = engine.effects.event(event);
    SplitEvent { op: event.op, site: event.site, implicit: event.implicit, sharded: event.sharded }
}

fn decision(engine: &Engine<'_>, effect: EffectId) -> Option<Decision> {
    let form = form_of(&engine.effects, effect);
    Some(Decision {
        site: site_of(engine, effect)?,
        is_loop: form.is_none(),
        is_assertion: form == Some(ChoiceForm::Assertion),
        is_wrapper: form == Some(ChoiceForm::Wrapper),
    })
}

fn kind(
    engine: &Engine<'_>,
    found: &Found,
    events: &[Option<EventId>; 2],
    main: EventId,
    cause: EffectId,
    inside: bool,
) -> SplitKind {
    if engine.effects.event(main).creates {
        return SplitKind::GroupCreation;
    }
    let is_loop = form_of(&engine.effects, cause).is_none();
    if !inside {
        return SplitKind::EarlyExit;
    }
    if let [Some(one), Some(other)] = *events
        && contains(engine, cause, one)
        && contains(engine, cause, other)
    {
        let (one, other) = (engine.effects.event(one), engine.effects.event(other));
        let roots = one.op == other.op && one.root != other.root;
        return if roots { SplitKind::WrongRoot } else { SplitKind::Order };
    }
    if is_loop {
        return SplitKind::Loop;
    }
    let test = question_of(engine, cause).unwrap_or(engine.none);
    let varies = engine.values.truth_axes(test);
    // A batch is no stage: its ranks belong to the job, they only part over what they read.
    let by_data = leaf(engine, test, found.world.axes).is_some_and(|leaf| {
        matches!(engine.values.node(leaf), Node::Local(..) | Node::Parameter(..))
            && engine.values.vary(leaf) == Axes::named(super::evaluate::data::AXES)
    });
    if !by_data && found.group == GroupKey::World && !varies.is_all() && !varies.is_empty() {
        // Only some stages get here, and the default group is everybody's.
        return SplitKind::WrongGroup;
    }
    SplitKind::Conditional
}

/// The calls that lead to the event, by way of the cause where it stands under that.
fn calls(engine: &Engine<'_>, root: EffectId, event: EventId, blame: &Blame, healed: &Healed) -> Vec<(Site, Symbol)> {
    let is_event = |effect: EffectId| matches!(engine.effects.get(effect), Effect::Event(found) if *found == event);
    if let Some(cause) = blame.cause
        && let Some(below) = paths_to(engine, cause.effect, &is_event).into_iter().next()
    {
        return blame.path.iter().copied().chain(below).collect();
    }
    let site = engine.effects.event(event).site;
    let mut ways = paths_to(engine, root, &is_event);
    let fresh = ways.iter().position(|way| !healed.covers(site, way.first().map(|call| call.0)));
    if ways.is_empty() { Vec::new() } else { ways.swap_remove(fresh.unwrap_or(0)) }
}
