//! Where a decision comes from: the value at the bottom of a test that may differ, and where it was born.

use rustc_hash::FxHashSet;

use super::evaluate::{Birth, Engine};
use super::witness::{Decision, Found};
use crate::base::{FunctionId, Site};
use crate::flow::{Axes, EventId, GroupKey, Node, Value, parts};

/// Values that are looked at on the way from a test to what differs by itself.
const MAX_WAY: usize = 500;

/// The first part of a value that differs by itself.
pub(super) fn leaf(engine: &Engine<'_>, value: Value, axes: Axes) -> Option<Value> {
    let mut seen = FxHashSet::default();
    let mut pending = vec![value];
    // A batch explains more than a clock or a disk that went into the same container.
    let mut outside = None;
    // Too deep to be told apart: whatever is found behind it explains more.
    let mut deep = None;
    while let Some(value) = pending.pop() {
        if !seen.insert(value) || seen.len() > 20_000 {
            continue;
        }
        let differs = engine.values.vary(value) | engine.values.shape(value);
        if !differs.meets(axes) {
            continue;
        }
        let mut push = |parts: &[Value]| pending.extend(parts.iter().rev());
        match engine.values.node(value) {
            Node::Local(..) if !engine.values.behind(value).is_empty() => {
                deep = deep.or(Some(value));
                push(engine.values.behind(value));
            }
            Node::Local(..) if !engine.marks.shares.contains(&value) => outside = outside.or(Some(value)),
            Node::Parameter(..) | Node::Rank(_) | Node::Spread(..)
                if outside.is_some() && !engine.marks.shares.contains(&value) => {}
            Node::Rank(_) | Node::Local(..) | Node::Spread(..) => return Some(value),
            Node::Parameter(..) => return Some(value),
            Node::Item(_, inner) if let Some(batch) = engine.values.yielded(*inner) => push(&[batch]),
            Node::Loader(inner, _) => push(&[*inner]),
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
    outside.or(deep)
}

/// The part of what a loop iterates that decides about the number of its turns: the bounds of a slice, not what is in it.
pub(super) fn counting(engine: &Engine<'_>, iterated: Value, axes: Axes) -> Value {
    let values = &engine.values;
    let mut counting = iterated;
    for _ in 0..MAX_WAY {
        let longer = |parts: &[Value]| parts.iter().copied().find(|&part| values.shape(part).meets(axes));
        let inner = match values.node(counting) {
            Node::Index(whole, bounds) if matches!(values.node(*bounds), Node::Range(_)) => {
                longer(&[*whole]).or(Some(*bounds))
            }
            Node::Apply(_, parts) | Node::Mapped(_, parts) | Node::Changed(_, parts) => longer(parts),
            Node::Loader(inner, _) | Node::Keyword(inner, _) => longer(&[*inner]),
            _ => None,
        };
        match inner {
            Some(inner) => counting = inner,
            None => break,
        }
    }
    counting
}

/// Where ranks have set a variable differently on the way from a test to the leaf: the condition that the difference went
/// through.
pub(super) fn set_apart(
    engine: &Engine<'_>,
    test: Value,
    differing: (Value, Axes),
    function: FunctionId,
    decision: Option<Decision>,
) -> Option<(Site, String)> {
    let variable = variable_set_apart(engine, test, differing, function, decision)?;
    let place = engine.where_set_apart(variable, function)?;
    let of = place.variable.map_or_else(String::new, |variable| format!(" of `{variable}`"));
    Some((place.site, format!("here ranks come to different values{of}")))
}

/// That variable, as the choice of what it is set to.
pub(super) fn variable_set_apart(
    engine: &Engine<'_>,
    test: Value,
    (differing, axes): (Value, Axes),
    function: FunctionId,
    decision: Option<Decision>,
) -> Option<Value> {
    let values = &engine.values;
    let parting = decision.map(|decision| decision.site);
    let mut found = None;
    values.search(test, MAX_WAY, |value, further| {
        if !(values.vary(value) | values.shape(value)).meets(axes) {
            return false;
        }
        further.extend(parts(values.node(value)).into_iter().rev());
        let Node::If(asked, ..) = *values.node(value) else { return false };
        if leaf(engine, asked, axes) != Some(differing) {
            return false;
        }
        let is_elsewhere = engine.where_set_apart(value, function).is_some_and(|place| parting != Some(place.site));
        found = is_elsewhere.then_some(value);
        is_elsewhere
    });
    found
}

pub(super) fn event_leaf(engine: &Engine<'_>, event: EventId, found: &Found) -> Option<Value> {
    let event = engine.effects.event(event);
    [Some(event.group), event.root, event.operator, event.members]
        .into_iter()
        .flatten()
        .find_map(|value| leaf(engine, value, found.world.axes))
        .or_else(|| event.members.and_then(|members| engine.values.part_of_the_job_in(members)))
}

pub(super) fn origin(
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
        // A call that decides by failing does not look like a condition.
        let fails = leaf.is_some_and(|leaf| engine.marks.failures.contains(&leaf));
        return (!same_line || fails).then(|| (birth.site, birth.reason.as_str().to_owned()));
    }
    match engine.values.node(leaf?) {
        Node::Local(site, _) if site.file.index() < engine.program_files() => {
            Some((*site, "this differs between ranks".to_owned()))
        }
        Node::Spread(site, ..) if site.file.index() < engine.program_files() => {
            Some((*site, "this leaves a different value on each member of the group".to_owned()))
        }
        _ => None,
    }
}

/// The group as a person would call it.
pub(super) fn group_name(engine: &Engine<'_>, key: &GroupKey, group: Value) -> String {
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

/// The text at a site, on one line and cut short.
pub(super) fn snippet(engine: &Engine<'_>, site: Site) -> String {
    let text = engine.text(site);
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > 48 {
        true => format!("{}…", line.chars().take(47).collect::<String>()),
        false => line,
    }
}
