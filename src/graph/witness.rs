//! A split in words that a rule can use: the event, where ranks part and why, the call chain, and two ranks.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::{Confidence, WitnessEvent, WitnessRank};
use crate::flow::{
    Assignment, Axes, ChoiceForm, Difference, Effect, EffectId, EventId, GroupKey, LoopKind, Node, Reached, Value,
    World,
};

use super::divergence::{event_of, form_of, group_confidence};
use super::evaluate::{Birth, Engine};

/// A difference between two classes of ranks on one group.
pub(super) struct Found {
    pub(super) group: GroupKey,
    pub(super) world: World,
    pub(super) one: Assignment,
    pub(super) other: Assignment,
    pub(super) difference: Difference,
    pub(super) decisions: Vec<(EffectId, bool)>,
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
    /// Calls between the function and the event, outermost first, with the called function's name.
    pub calls: Vec<(Site, Symbol)>,
    /// Two ranks and what each issues.
    pub witness: Vec<WitnessRank>,
    /// How sure.
    pub confidence: Confidence,
}

/// Puts a difference into words.
pub(super) fn explain(engine: &Engine<'_>, function: FunctionId, root: EffectId, found: &Found) -> Split {
    let events = [found.difference.one, found.difference.other].map(|reached| match reached {
        Reached::Event(event) => Some(event),
        _ => None,
    });
    let main = event_of(&found.difference);
    let deciding = deciding(engine, root, found, &events);
    let decision = deciding.map(|(effect, _)| decision(engine, effect));
    let inside = deciding.is_some_and(|(_, inside)| inside);
    let test = deciding.map(|(effect, _)| test_of(engine, effect));
    // Of two different events the one under the condition is the surprising one.
    let main = match (events, deciding) {
        ([Some(one), Some(other)], Some((effect, true))) if !contains(engine, effect, one) => {
            let _ = one;
            other
        }
        _ => main.unwrap_or(EventId(0)),
    };
    let instead = events.into_iter().flatten().find(|&event| event != main).map(|event| split_event(engine, event));
    let kind = kind(engine, found, &events, main, deciding, inside);
    let leaf = test.map(|test| leaf(engine, test, found.world.axes)).unwrap_or_else(|| event_leaf(engine, main, found));
    let birth = leaf.and_then(|leaf| engine.birth(leaf, function));
    let origin = origin(engine, leaf, birth, decision);
    let mut confidence = group_confidence(&found.group).min(engine.effects.event(main).confidence);
    if let Some(birth) = birth {
        confidence = confidence.min(birth.confidence);
    }
    if found.one.rank == found.other.rank && found.one.coordinates == found.other.coordinates {
        // An opaque fact: it may differ, nobody has shown a rank on which it does.
        confidence = confidence.min(Confidence::Medium);
    }
    let site = engine.effects.event(main).site;
    let text = decision.map_or(String::new(), |decision| snippet(engine, decision.site));
    Split {
        kind,
        function,
        event: split_event(engine, main),
        instead,
        group: group_name(engine, &found.group, engine.effects.event(main).group),
        decision,
        origin,
        calls: calls(engine, root, main),
        witness: witness(engine, found, &text, site),
        confidence,
    }
}

fn split_event(engine: &Engine<'_>, event: EventId) -> SplitEvent {
    let event = engine.effects.event(event);
    SplitEvent { op: event.op, site: event.site, implicit: event.implicit }
}

/// The choice or loop that explains the difference: the outermost around one of the events, else the first that
/// makes some ranks leave.
fn deciding(
    engine: &Engine<'_>,
    root: EffectId,
    found: &Found,
    events: &[Option<EventId>; 2],
) -> Option<(EffectId, bool)> {
    let order = preorder(engine, root);
    let mut decided: Vec<EffectId> =
        order.into_iter().filter(|effect| found.decisions.iter().any(|(decision, _)| decision == effect)).collect();
    decided.dedup();
    let around = decided.iter().find(|&&effect| events.iter().flatten().any(|&event| contains(engine, effect, event)));
    if let Some(&effect) = around {
        return Some((effect, true));
    }
    let leaving = decided.iter().find(|&&effect| engine.effects.summed(effect).exits);
    leaving.or(decided.first()).map(|&effect| (effect, false))
}

fn preorder(engine: &Engine<'_>, root: EffectId) -> Vec<EffectId> {
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(effect) = pending.pop() {
        if !seen.insert(effect) {
            continue;
        }
        out.push(effect);
        pending.extend(engine.below(effect).into_iter().rev());
    }
    out
}

fn contains(engine: &Engine<'_>, effect: EffectId, event: EventId) -> bool {
    let site = engine.effects.event(event).site;
    preorder(engine, effect).into_iter().any(|below| match engine.effects.get(below) {
        Effect::Event(found) => *found == event || engine.effects.event(*found).site == site,
        _ => false,
    })
}

fn decision(engine: &Engine<'_>, effect: EffectId) -> Decision {
    let form = form_of(&engine.effects, effect);
    let site = match engine.effects.get(effect) {
        Effect::Choice { site, .. } | Effect::Loop { site, .. } => *site,
        _ => Site { file: crate::base::FileId(0), span: crate::base::Span::default() },
    };
    Decision {
        site,
        is_loop: form.is_none(),
        is_assertion: form == Some(ChoiceForm::Assertion),
        is_wrapper: form == Some(ChoiceForm::Wrapper),
    }
}

fn test_of(engine: &Engine<'_>, effect: EffectId) -> Value {
    match engine.effects.get(effect) {
        Effect::Choice { test, .. } => *test,
        Effect::Loop { kind: LoopKind::For { iter, .. }, .. } => *iter,
        Effect::Loop { kind: LoopKind::While { test }, .. } => *test,
        _ => engine.none,
    }
}

fn kind(
    engine: &Engine<'_>,
    found: &Found,
    events: &[Option<EventId>; 2],
    main: EventId,
    deciding: Option<(EffectId, bool)>,
    inside: bool,
) -> SplitKind {
    let event = engine.effects.event(main);
    if event.creates {
        return SplitKind::GroupCreation;
    }
    if let [Some(one), Some(other)] = *events {
        let (one, other) = (engine.effects.event(one), engine.effects.event(other));
        if one.op == other.op {
            return if one.root != other.root
                || deciding.is_none() && one.root.is_some_and(|root| !engine.values.vary(root).is_empty())
            {
                SplitKind::WrongRoot
            } else {
                SplitKind::Order
            };
        }
    }
    let Some((effect, _)) = deciding else {
        return match event.root.is_some_and(|root| !engine.values.vary(root).is_empty()) {
            true => SplitKind::WrongRoot,
            false => SplitKind::WrongGroup,
        };
    };
    if form_of(&engine.effects, effect).is_none() {
        return SplitKind::Loop;
    }
    if !inside {
        return SplitKind::EarlyExit;
    }
    if events.iter().all(Option::is_some) && events.iter().flatten().all(|&event| contains(engine, effect, event)) {
        return SplitKind::Order;
    }
    let varies = engine.values.truth_axes(test_of(engine, effect));
    if found.group == GroupKey::World && !varies.is_all() && !varies.is_empty() {
        // Only some stages get here, and the default group is everybody's.
        return SplitKind::WrongGroup;
    }
    SplitKind::Conditional
}

/// The first part of a value that differs by itself.
fn leaf(engine: &Engine<'_>, value: Value, axes: Axes) -> Option<Value> {
    let mut seen = FxHashSet::default();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        if !seen.insert(value) || seen.len() > 2_000 {
            continue;
        }
        let differs = engine.values.vary(value) | engine.values.shape(value);
        if !differs.meets(axes) {
            continue;
        }
        let mut push = |parts: &[Value]| pending.extend(parts.iter().rev());
        match engine.values.node(value) {
            Node::Rank(_) | Node::Local(..) | Node::Spread(..) => return Some(value),
            Node::Parameter(..) => return Some(value),
            Node::Not(inner)
            | Node::Length(inner)
            | Node::Attribute(inner, _)
            | Node::Keyword(inner, _)
            | Node::Item(_, inner)
            | Node::Forward(inner) => push(&[*inner]),
            Node::And(left, right)
            | Node::Or(left, right)
            | Node::Compare(_, left, right)
            | Node::Binary(_, left, right)
            | Node::Index(left, right)
            | Node::Agreed(_, left, right) => push(&[*left, *right]),
            Node::If(test, then, otherwise) => push(&[*test, *then, *otherwise]),
            Node::Sequence(parts)
            | Node::Apply(_, parts)
            | Node::Range(parts)
            | Node::Mapped(_, parts)
            | Node::Changed(_, parts)
            | Node::Carried(_, _, parts) => push(parts),
            Node::Mapping(parts) => {
                let parts: Vec<Value> = parts.iter().flat_map(|part| [part.0, part.1]).collect();
                push(&parts);
            }
            Node::Invoked(callee, args) => {
                push(&[*callee]);
                push(args);
            }
            _ => {}
        }
    }
    None
}

fn event_leaf(engine: &Engine<'_>, event: EventId, found: &Found) -> Option<Value> {
    let event = engine.effects.event(event);
    [Some(event.group), event.root, event.operator, event.members]
        .into_iter()
        .flatten()
        .find_map(|value| leaf(engine, value, found.world.axes))
}

fn origin(
    engine: &Engine<'_>,
    leaf: Option<Value>,
    birth: Option<Birth>,
    decision: Option<Decision>,
) -> Option<(Site, String)> {
    if let Some(birth) = birth {
        // The condition itself need not be pointed at twice.
        let same_line = decision.is_some_and(|decision| {
            decision.site.file == birth.site.file
                && decision.site.span.start <= birth.site.span.start
                && birth.site.span.end <= decision.site.span.end
        });
        if birth.site.span == crate::base::Span::default() {
            return None;
        }
        return (!same_line).then(|| (birth.site, birth.reason.as_str().to_owned()));
    }
    match engine.values.node(leaf?) {
        Node::Local(site, _) | Node::Spread(site, ..) if site.file.index() < engine.program_files() => {
            Some((*site, "this differs between ranks".to_owned()))
        }
        _ => None,
    }
}

/// The group as a person would call it.
fn group_name(engine: &Engine<'_>, key: &GroupKey, group: Value) -> String {
    match key {
        GroupKey::World => "WORLD".to_owned(),
        GroupKey::Axis(_) => match engine.axis_name(group) {
            Some(name) => format!("the {name} group"),
            None => "its group".to_owned(),
        },
        GroupKey::Made(_, ranks) => format!("the group of ranks {ranks:?}"),
        GroupKey::Other(_) | GroupKey::NonMember => "its group".to_owned(),
    }
}

fn calls(engine: &Engine<'_>, root: EffectId, event: EventId) -> Vec<(Site, Symbol)> {
    let mut path = Vec::new();
    let mut seen = FxHashSet::default();
    descend(engine, root, event, &mut path, &mut seen);
    path
}

fn descend(
    engine: &Engine<'_>,
    effect: EffectId,
    event: EventId,
    path: &mut Vec<(Site, Symbol)>,
    seen: &mut FxHashSet<EffectId>,
) -> bool {
    if !seen.insert(effect) {
        return false;
    }
    match engine.effects.get(effect) {
        Effect::Event(found) => *found == event,
        Effect::Call { function, site, body } => {
            path.push((*site, engine.function_name(*function)));
            if descend(engine, *body, event, path, seen) {
                return true;
            }
            path.pop();
            false
        }
        _ => engine.below(effect).into_iter().any(|below| descend(engine, below, event, path, seen)),
    }
}

fn witness(engine: &Engine<'_>, found: &Found, condition: &str, site: Site) -> Vec<WitnessRank> {
    let by_rank = found.one.rank != found.other.rank;
    let axis = found.one.coordinates.iter().find(|(axis, at)| found.other.coordinates.get(axis) != Some(at));
    let name = |class: &Assignment, first: bool| {
        if by_rank {
            return format!("rank {}", class.rank);
        }
        if let Some((axis, _)) = axis {
            let at = class.coordinates.get(axis).copied().unwrap_or(0);
            let axis = engine.axes_name(*axis).unwrap_or_else(|| "group".to_owned());
            return format!("{axis} rank {at}");
        }
        let _ = first;
        let holds = found
            .one
            .atoms
            .iter()
            .find(|(atom, holds)| found.other.atoms.get(atom) != Some(holds))
            .is_some_and(|(atom, _)| class.atoms.get(atom) == Some(&true));
        match (holds, condition.is_empty()) {
            (_, true) => if holds { "one rank" } else { "another rank" }.to_owned(),
            (true, false) => format!("a rank where `{condition}` holds"),
            (false, false) => "a rank where it does not".to_owned(),
        }
    };
    let before: Vec<WitnessEvent> =
        found.difference.before.iter().rev().take(2).rev().map(|&event| witness_event(engine, event, found)).collect();
    let side = |class: &Assignment, reached: Reached, first: bool| {
        let mut trace = before.clone();
        trace.push(match reached {
            Reached::Event(event) => witness_event(engine, event, found),
            Reached::End => WitnessEvent { op: "goes on without it".to_owned(), group: String::new(), site },
            Reached::Again => WitnessEvent { op: "goes to the next turn".to_owned(), group: String::new(), site },
            Reached::Leave => WitnessEvent { op: "leaves the loop".to_owned(), group: String::new(), site },
        });
        WitnessRank { rank: name(class, first), trace }
    };
    let mut out = vec![side(&found.one, found.difference.one, true), side(&found.other, found.difference.other, false)];
    // The rank that issues something comes first: the other is the one that is missing.
    if !matches!(found.difference.one, Reached::Event(_)) {
        out.reverse();
    }
    out
}

fn witness_event(engine: &Engine<'_>, event: EventId, found: &Found) -> WitnessEvent {
    let event = engine.effects.event(event);
    WitnessEvent {
        op: event.op.as_str().to_owned(),
        group: group_name(engine, &found.group, event.group),
        site: event.site,
    }
}

fn snippet(engine: &Engine<'_>, site: Site) -> String {
    let text = engine.text(site);
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > 48 {
        true => format!("{}…", line.chars().take(47).collect::<String>()),
        false => line,
    }
}
