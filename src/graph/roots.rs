//! Roots outside their group: a fact that needs no comparison of classes, only what is known of root and group together.

mod own;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{Assignment, Axes, Effect, EffectId, Evaluator, Event, GroupKey, Node, Truth, Value, World, parts};
use crate::model::{BinaryOp, CompareOp};

use super::evaluate::Engine;
use super::left_over::is_left_over;
use super::origin::leaf;
use own::{chosen_without, is_own_of_a_loop};

/// A root that is no member of the group it is the root of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignRoot {
    /// The function it stands in.
    pub function: FunctionId,
    /// The operation, or the call that hands it root and group.
    pub site: Site,
    /// Below that call: the operation, and the calls that lead to it, the last first.
    through: Vec<Site>,
    /// `src` or `dst`.
    pub parameter: Symbol,
    /// What is wrong, in one sentence.
    pub message: String,
    /// How sure.
    pub confidence: Confidence,
}

/// Calls looked into, and arguments looked at.
const MAX_LOOKS: u32 = 24;

/// Parts of a root that are looked at.
const MAX_PARTS: usize = 24;

/// The job that is thought of.
const WORLD: World = World { size: 4, extent: 4, axes: Axes::ALL, single: Axes::NONE };

/// What has been looked at already.
#[derive(Default)]
pub(super) struct ForeignRoots {
    seen: FxHashSet<EffectId>,
    /// Where one was reported: what lies within was said there.
    told: FxHashSet<Site>,
    /// Operations on a group that a caller hands down, reported as a guess: which of the reports they are.
    guessed: FxHashMap<Site, usize>,
    /// The functions in which those stand.
    guessing: FxHashSet<FunctionId>,
}

/// A part of the tree on the way down.
struct Step {
    effect: EffectId,
    /// The innermost call around it, in [`Around`].
    call: Option<usize>,
    /// The condition it stands under, in [`Way`].
    under: Option<usize>,
}

/// A call, and the one around it.
struct Around {
    site: Site,
    call: Option<usize>,
}

/// A condition, and the one around it.
struct Way {
    test: Value,
    /// Whether it holds there.
    holds: bool,
    around: Option<usize>,
}

impl ForeignRoots {
    /// Collects the roots outside their group in what the function issues. Callees come before their callers: what is
    /// known in a callee is found there, what a caller hands down is found at its call.
    pub(super) fn collect(
        &mut self,
        engine: &mut Engine<'_>,
        function: FunctionId,
        root: EffectId,
        out: &mut Vec<ForeignRoot>,
    ) {
        let mut pending = vec![Step { effect: root, call: None, under: None }];
        let mut ways: Vec<Way> = Vec::new();
        let mut calls: Vec<Around> = Vec::new();
        while let Some(Step { effect, call, under }) = pending.pop() {
            if !engine.effects.summed(effect).events || !self.seen.insert(effect) {
                continue;
            }
            match engine.effects.get(effect) {
                Effect::Event(event) => {
                    let event = engine.effects.event(*event);
                    let (Some(root), Some(parameter)) = (event.root, event.root_parameter) else { continue };
                    let alone = || worked_out_alone(engine, function, event, root);
                    let described = describe(engine, event, root, &ways, under).or_else(alone);
                    let Some((what, confidence)) = described else { continue };
                    let around = std::iter::successors(call, |&call| calls[call].call);
                    let around = around.map(|call| calls[call].site);
                    let mut through: Vec<Site> = std::iter::once(event.site).chain(around).collect();
                    let site = through.pop().unwrap_or(event.site);
                    let left = is_left_over(engine.program, function);
                    let confidence = if left { Confidence::Low } else { confidence };
                    // Who hands the group over knows what it is.
                    if confidence > Confidence::Low
                        && let Some(guessed) = self.guessed.remove(&event.site)
                    {
                        out[guessed].confidence = confidence;
                    }
                    if !self.told.contains(&event.site) && self.told.insert(site) {
                        if confidence == Confidence::Low && through.is_empty() {
                            self.guessed.insert(event.site, out.len());
                            self.guessing.insert(function);
                        }
                        let message = format!("`{parameter}` of `{}` is {what}", event.op);
                        out.push(ForeignRoot { function, site, through, parameter, message, confidence });
                    }
                }
                Effect::Choice { test, then, otherwise, .. } => {
                    for (effect, holds) in [(*otherwise, false), (*then, true)] {
                        ways.push(Way { test: *test, holds, around: under });
                        pending.push(Step { effect, call, under: Some(ways.len() - 1) });
                    }
                }
                // Nothing else asks for a look into this call: a root and a group that go down together do.
                Effect::Pending { function: callee, site, args }
                    if hands_down(engine, args) || self.asks_for_group(engine, *callee, args) =>
                {
                    let site = *site;
                    if call.is_some() && self.told.contains(&site) {
                        continue;
                    }
                    let body = engine.looked_through(effect, MAX_LOOKS, true);
                    if body != effect {
                        pending.push(Step { effect: body, call, under });
                    }
                }
                Effect::Call { site, .. } if self.told.contains(site) => {}
                Effect::Call { site, body, .. } => {
                    calls.push(Around { site: *site, call });
                    pending.push(Step { effect: *body, call: Some(calls.len() - 1), under });
                }
                _ => {
                    let below = engine.below(effect).into_iter().rev();
                    pending.extend(below.map(|effect| Step { effect, call, under }));
                }
            }
        }
    }

    /// Whether a function in which something is guessed of a group is handed one that is known.
    fn asks_for_group(&self, engine: &Engine<'_>, callee: FunctionId, args: &[Value]) -> bool {
        self.guessing.contains(&callee) && args.iter().any(|&given| subgroup(engine, given, 0).is_some())
    }
}

impl ForeignRoot {
    /// Drops those that are said where a call further down stands: a caller may have been looked at first.
    pub(super) fn said_once(roots: &mut Vec<ForeignRoot>) {
        let sites: FxHashSet<Site> = roots.iter().map(|root| root.site).collect();
        roots.retain(|root| !root.through.iter().any(|site| sites.contains(site)));
    }
}

/// Whether a number and a subgroup are among the arguments.
fn hands_down(engine: &Engine<'_>, args: &[Value]) -> bool {
    let mut pending: Vec<Value> = args.to_vec();
    let (mut number, mut group) = (false, false);
    for _ in 0..MAX_LOOKS {
        let Some(value) = pending.pop() else { break };
        match engine.values.node(value) {
            Node::Int(_) => number = true,
            Node::Sequence(parts) => pending.extend(parts.iter()),
            Node::Mapping(parts) => pending.extend(parts.iter().map(|part| part.1)),
            _ => group |= subgroup(engine, value, 0).is_some(),
        }
    }
    number && group
}

fn describe(
    engine: &Engine<'_>,
    event: &Event,
    root: Value,
    ways: &[Way],
    under: Option<usize>,
) -> Option<(String, Confidence)> {
    let class = Assignment::default();
    let evaluator = Evaluator::new(&engine.values, WORLD, &class);
    let group = event.group;
    let in_group = "a rank within the group where a rank of the job is meant";
    let literal = match engine.values.node(root) {
        Node::Int(known) => Some(*known),
        _ => None,
    };
    let counts = counts_members(engine, root, group) && engine.program.has_subgroups(event.site.file);
    if counts && !is_asked_for(engine, group, ways, under) {
        let what = format!("{in_group}: it counts the members of the group");
        return Some((what, Confidence::Medium));
    }
    match (evaluator.group(group), literal) {
        (GroupKey::Made(_, ranks), Some(root)) if !ranks.contains(&root) => {
            Some((format!("rank {root}, which is not in the group of ranks {ranks:?}"), Confidence::High))
        }
        (GroupKey::Axis(axes), Some(root)) if !axes.is_all() => {
            (!is_asked_for(engine, group, ways, under)).then(|| {
                let (what, sure) = need_not_be_in(engine, root, axes);
                let bare = matches!(engine.values.node(group), Node::Parameter(..));
                let chosen = is_of_chosen_groups(engine, axes, ways, under);
                (what, if bare || chosen { Confidence::Low } else { sure })
            })
        }
        (GroupKey::Other(_), Some(root)) if is_one_of_several(engine, group) => {
            let what = format!("rank {root} of the job, which need not be in each of these groups");
            (!is_asked_for(engine, group, ways, under)).then_some((what, Confidence::Medium))
        }
        (GroupKey::Other(_), Some(root)) if is_own_of_a_loop(engine, group) => {
            let what =
                format!("rank {root} of the job, which is in one of the groups that the loop makes, not in each");
            let sure = if is_guarded(engine, Axes::ALL, ways, under) { Confidence::Low } else { Confidence::Medium };
            (!is_asked_for(engine, group, ways, under)).then_some((what, sure))
        }
        (GroupKey::Made(..) | GroupKey::NonMember, Some(root))
            if let Some((rank, ranks)) = chosen_without(engine, group, root) =>
        {
            let what = format!("rank {root}, which is not in the group of ranks {ranks:?} that rank {rank} has");
            let sure = if is_guarded(engine, Axes::ALL, ways, under) { Confidence::Low } else { Confidence::High };
            Some((what, sure))
        }
        // WORLD or a subgroup, as the caller likes: unless the code asks which, it goes wrong for the subgroup.
        (GroupKey::Other(_), Some(root)) => {
            let axes = subgroup(engine, group, 0)?;
            let bare = matches!(engine.values.node(group), Node::Parameter(..));
            (!is_asked_for(engine, group, ways, under)).then(|| {
                // A caller that may as well pass WORLD, and a rank that may as well be a member: two guesses.
                let (what, sure) = need_not_be_in(engine, root, axes);
                let chosen = is_of_chosen_groups(engine, axes, ways, under);
                (what, if bare || chosen { Confidence::Low } else { sure })
            })
        }
        (GroupKey::Axis(_) | GroupKey::Other(_) | GroupKey::Made(..), None) => {
            let axes = engine.values.group_axes(group);
            if axes.is_all() {
                return None;
            }
            match engine.values.node(root) {
                Node::Rank(known) if *known == axes => Some((in_group.to_owned(), Confidence::Medium)),
                Node::Rank(known) if known.is_all() && !is_guarded(engine, axes, ways, under) => {
                    // Of a group of which nothing is known, whoever comes here by its place may be the only member.
                    let is_unknown = matches!(evaluator.group(group), GroupKey::Other(_));
                    let alone = is_unknown && is_guarded(engine, Axes::ALL, ways, under);
                    let sure = if alone { Confidence::Low } else { Confidence::Medium };
                    Some(("this rank's own, another on each member of the group".to_owned(), sure))
                }
                Node::Rank(_) => None,
                _ => {
                    let what = format!("{in_group}: it is compared with this rank's place in the group");
                    is_place_within(engine, root, axes).then(|| (what, certainty(engine, group)))
                }
            }
        }
        _ => None,
    }
}

/// Whether each rank works out a root by itself, from what no two processes have alike: a hash of a text, a number drawn, the
/// number of the process.
fn worked_out_alone(
    engine: &Engine<'_>,
    function: FunctionId,
    event: &Event,
    root: Value,
) -> Option<(String, Confidence)> {
    let values = &engine.values;
    let chosen = |part: Value| matches!(values.node(part), Node::If(..) | Node::Rank(_) | Node::Agreed(..));
    if values.vary(root).is_empty() || values.any_part(root, MAX_PARTS, chosen) {
        return None;
    }
    let leaf = leaf(engine, root, values.vary(root))?;
    let is_chance = matches!(values.node(leaf), Node::Local(..))
        && ![&engine.marks.shares, &engine.marks.disks, &engine.marks.clocks].iter().any(|known| known.contains(&leaf));
    let birth = engine.birth(leaf, function, Some(event.site)).filter(|_| is_chance)?;
    let what = format!("worked out by each rank for itself: {}", birth.reason);
    Some((what, birth.confidence.min(Confidence::Medium)))
}

/// Whether a loop takes one group after the other out of several that an object or a module holds: not all of them are
/// WORLD.
fn is_one_of_several(engine: &Engine<'_>, group: Value) -> bool {
    let values = &engine.values;
    let is_held = |value: Value| {
        let kept = matches!(values.node(value), Node::Attribute(..) | Node::Mapping(_) | Node::Changed(..));
        kept || matches!(values.node(value), Node::Carried(..) | Node::Mapped(..))
    };
    match *values.node(group) {
        Node::Index(whole, key) => {
            let turns = |part: Value| matches!(values.node(part), Node::Item(..));
            is_held(whole) && values.any_part(key, MAX_LOOKS as usize, turns)
        }
        _ => false,
    }
}

fn need_not_be_in(engine: &Engine<'_>, root: i64, axes: Axes) -> (String, Confidence) {
    let name = engine.axes_name(axes).map_or_else(|| "a subgroup".to_owned(), |name| format!("the {name} group"));
    (format!("rank {root} of the job, which need not be in {name}"), Confidence::Medium)
}

/// The axes of the subgroup that a group is unless it is WORLD.
fn subgroup(engine: &Engine<'_>, group: Value, depth: u32) -> Option<Axes> {
    let whole = |value: Value| matches!(engine.values.node(value), Node::World | Node::None);
    match engine.values.node(group) {
        Node::AxisGroup(axes) => Some(*axes),
        Node::Parameter(..) => engine.values.meaning(group).and_then(|meaning| subgroup(engine, meaning, depth + 1)),
        Node::If(_, then, otherwise) if depth < 8 => match (whole(*then), whole(*otherwise)) {
            (true, false) => subgroup(engine, *otherwise, depth + 1),
            (false, true) => subgroup(engine, *then, depth + 1),
            (false, false) => {
                let one = subgroup(engine, *then, depth + 1)?;
                (subgroup(engine, *otherwise, depth + 1)? == one).then_some(one)
            }
            (true, true) => None,
        },
        Node::Carried(_, _, parts) if depth < 8 => {
            let mut parts = parts.iter().filter(|&&part| !whole(part)).map(|&part| subgroup(engine, part, depth + 1));
            let first = parts.next()??;
            parts.all(|part| part == Some(first)).then_some(first)
        }
        _ => None,
    }
    .filter(|axes| !axes.is_all())
}

/// The conditions on the way, the nearest first.
fn around(ways: &[Way], under: Option<usize>) -> impl Iterator<Item = &Way> {
    let at = |under: Option<usize>| under.and_then(|at| ways.get(at));
    std::iter::successors(at(under), move |way| at(way.around))
}

/// Whether a condition on the way asks which group it is.
fn is_asked_for(engine: &Engine<'_>, group: Value, ways: &[Way], under: Option<usize>) -> bool {
    let look = |value: Value, further: &mut Vec<Value>| {
        match engine.values.node(value) {
            Node::Not(inner) | Node::Length(inner) => further.push(*inner),
            Node::And(left, right) | Node::Or(left, right) | Node::Compare(_, left, right) => {
                further.extend([*left, *right]);
            }
            Node::If(test, then, otherwise) => further.extend([*test, *then, *otherwise]),
            Node::Apply(_, parts) => further.extend(parts.iter()),
            _ => {}
        }
        value == group
    };
    around(ways, under).any(|way| engine.values.search(way.test, MAX_LOOKS as usize, look) == Some(true))
}

/// Whether only some members of the group come here.
fn is_guarded(engine: &Engine<'_>, axes: Axes, ways: &[Way], under: Option<usize>) -> bool {
    around(ways, under).any(|way| {
        let facts = engine.values.facts(way.test);
        (facts.vary | facts.shape).meets(axes) || facts.open
    })
}

/// Whether only some of the groups along the axes come here, those of the first rank among them: a root that is chosen so is
/// meant for the group that has it.
fn is_of_chosen_groups(engine: &Engine<'_>, axes: Axes, ways: &[Way], under: Option<usize>) -> bool {
    around(ways, under).any(|way| {
        let mut first = Assignment::default();
        let places = |part: Value, further: &mut Vec<Value>| {
            if let Node::Rank(along) = engine.values.node(part) {
                first.coordinates.insert(*along, 0);
            }
            further.extend(parts(engine.values.node(part)));
            false
        };
        engine.values.search(way.test, MAX_LOOKS as usize, places);
        let chooses = first.coordinates.keys().any(|along| !along.is_all() && !along.meets(axes));
        chooses && Evaluator::new(&engine.values, WORLD, &first).truth(way.test) != Truth::Known(!way.holds)
    })
}

/// Whether the program compares the value with the place of this rank along the axes.
fn is_place_within(engine: &Engine<'_>, value: Value, axes: Axes) -> bool {
    let open = matches!(engine.values.node(value), Node::Parameter(..) | Node::Attribute(..) | Node::Unknown(_));
    let Some(place) = engine.values.known(&Node::Rank(axes)).filter(|_| open) else { return false };
    let compared = |left: Value, right: Value| engine.values.known(&Node::Compare(CompareOp::Eq, left, right));
    compared(place, value).or_else(|| compared(value, place)).is_some()
}

/// Whether a root goes from 0 to the number of members of a group that need not be all ranks.
fn counts_members(engine: &Engine<'_>, root: Value, group: Value) -> bool {
    let values = &engine.values;
    let count = match *values.node(root) {
        Node::Item(_, range) => match values.node(range) {
            Node::Range(parts) if parts.len() == 1 => parts[0],
            _ => return false,
        },
        // The last of so many.
        Node::Binary(BinaryOp::Sub, count, one) if *values.node(one) == Node::Int(1) => {
            values.meaning(count).unwrap_or(count)
        }
        _ => return false,
    };
    is_part_of_job(engine, group, 0) && is_size(engine, count, values.group_axes(group), 0)
}

/// Whether a group is a smaller one than that of all ranks, at least where its caller says so.
fn is_part_of_job(engine: &Engine<'_>, group: Value, depth: u32) -> bool {
    match engine.values.node(group) {
        Node::AxisGroup(axes) => !axes.is_all(),
        Node::Parameter(..) | Node::Attribute(..) => true,
        Node::If(_, then, otherwise) if depth < 8 => {
            is_part_of_job(engine, *then, depth + 1) || is_part_of_job(engine, *otherwise, depth + 1)
        }
        _ => false,
    }
}

/// Whether a number is that of the ranks along the axes, or the length of a list with an element for each of them.
fn is_size(engine: &Engine<'_>, count: Value, axes: Axes, depth: u32) -> bool {
    let deeper = |value: Value| is_size(engine, value, axes, depth + 1);
    match engine.values.node(count) {
        _ if depth > 12 => false,
        Node::Size(known) => *known == axes,
        Node::Length(inner) => deeper(*inner),
        Node::Range(parts) | Node::Mapped(_, parts) | Node::Changed(_, parts) | Node::Carried(_, _, parts) => {
            parts.first().is_some_and(|&first| deeper(first))
        }
        Node::If(_, then, otherwise) => deeper(*then) || deeper(*otherwise),
        Node::Binary(BinaryOp::Mul, left, right) => match (engine.values.node(*left), engine.values.node(*right)) {
            (Node::Sequence(one), _) if one.len() == 1 => deeper(*right),
            (_, Node::Sequence(one)) if one.len() == 1 => deeper(*left),
            _ => false,
        },
        _ => false,
    }
}

/// A group that a caller hands down is WORLD for most, or begins with rank 0.
fn certainty(engine: &Engine<'_>, group: Value) -> Confidence {
    match engine.values.node(group) {
        Node::Parameter(..) => Confidence::Low,
        Node::If(_, then, otherwise) => certainty(engine, *then).min(certainty(engine, *otherwise)),
        _ => Confidence::Medium,
    }
}
