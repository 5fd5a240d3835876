//! Compares what classes of ranks issue on one group: whether they part ways in a function, and where first.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{Assignment, Axes, EffectId, GroupKey, Healed, Missing, Tracer, Value, World, disputed};

use super::classes::{
    MAX_VARIED, Outline, Terms, axes_of, bases, contradicts, groups, is_misplaced, members, needed, neighbours,
    outline, world_size,
};
use super::witness::Found;

/// Trees heavier than this are not traced.
pub(super) const MAX_WEIGHT: u32 = 1_600;

/// Steps of one function's comparison on one group.
pub(super) const FUEL: u32 = 2_000;

/// Axes that are tried with one rank along them.
const MAX_SINGLE: usize = 3;

/// What a function's comparisons have in common.
pub(super) struct Question {
    root: EffectId,
    outline: Outline,
    size: i64,
    /// The groups on which something is issued that classes may disagree about.
    pub groups: BTreeSet<GroupKey>,
}

impl Question {
    /// What to ask of a function; nothing where nothing in it can part ranks.
    pub fn of(terms: Terms<'_>, root: EffectId) -> Option<Question> {
        let summed = terms.effects.summed(root);
        if !summed.events || summed.varies.is_empty() || summed.weight > MAX_WEIGHT {
            return None;
        }
        let disputed = disputed(terms.effects, terms.values, root);
        if disputed.is_empty() {
            return None;
        }
        let outline = outline(terms.effects, root);
        let size = world_size(terms, &outline);
        Some(Question { root, outline, size, groups: groups(terms, &disputed, size) })
    }

    /// Where classes of ranks first differ on the group, but for what is healed.
    pub fn first_difference(&self, terms: Terms<'_>, group: &GroupKey, healed: &Healed) -> Answer<Found> {
        first_difference(terms, self.root, &self.outline, group, self.size, healed)
    }

    /// What was asked about.
    pub fn root(&self) -> EffectId {
        self.root
    }
}

/// A function in which ranks part ways: what was asked, and the first answer, of the first group that has one.
pub(super) struct Parting {
    /// What was asked.
    pub question: Question,
    /// What was found, with as much healed as then.
    pub found: Found,
}

/// Whether ranks part ways somewhere in the function.
pub(super) fn parts_ranks(terms: Terms<'_>, root: EffectId, healed: &Healed) -> Answer<Parting> {
    let Some(question) = Question::of(terms, root) else {
        return match terms.effects.summed(root).weight > MAX_WEIGHT {
            true => Answer::TooLarge,
            false => Answer::InStep,
        };
    };
    let mut answer = Answer::InStep;
    for group in &question.groups {
        match first_difference(terms, root, &question.outline, group, question.size, healed) {
            Answer::Parted(found) => return Answer::Parted(Box::new(Parting { question, found: *found })),
            Answer::TooLarge => answer = Answer::TooLarge,
            Answer::InStep => {}
        }
    }
    answer
}

fn first_difference(
    terms: Terms<'_>,
    root: EffectId,
    outline: &Outline,
    group: &GroupKey,
    size: i64,
    healed: &Healed,
) -> Answer<Found> {
    let axes = axes_of(terms, group);
    let extent = size.min(4);
    let world = World { size, extent, axes, single: Axes::NONE };
    let members = members(terms, group, outline);
    let missing = needed(terms, outline, world);
    match compare_classes(terms, root, group, world, &members, &missing, healed) {
        Answer::InStep => {}
        // Too large with all axes: as a rule too large with one less.
        answer @ (Answer::Parted(_) | Answer::TooLarge) => return answer,
    }
    // A job need not use every axis: what is done where there is one rank along it counts as well.
    let others = missing.sizes.iter().filter(|asked| !axes.without(**asked).is_empty()).take(MAX_SINGLE);
    let mut answers = others.copied().map(|single| {
        let world = World { single, ..world };
        let missing = needed(terms, outline, world);
        compare_classes(terms, root, group, world, &members, &missing, healed)
    });
    answers.find(|answer| matches!(answer, Answer::Parted(_))).unwrap_or(Answer::InStep)
}

/// What a comparison of classes shows.
pub(super) enum Answer<T> {
    /// They issue the same.
    InStep,
    /// They do not.
    Parted(Box<T>),
    /// Nothing, within the steps it may take.
    TooLarge,
}

/// Compares classes of ranks in a job of that form.
fn compare_classes(
    terms: Terms<'_>,
    root: EffectId,
    group: &GroupKey,
    world: World,
    members: &BTreeMap<Value, bool>,
    missing: &Missing,
    healed: &Healed,
) -> Answer<Found> {
    let World { size, extent, .. } = world;
    let atoms: Vec<Value> = missing.atoms.iter().copied().filter(|atom| !members.contains_key(atom)).collect();
    let ranks: Vec<i64> = match (group, missing.rank) {
        (GroupKey::Made(_, ranks), _) => ranks.iter().copied().filter(|rank| (0..size).contains(rank)).collect(),
        (_, true) => (0..size).collect(),
        (_, false) => vec![0],
    };
    if ranks.is_empty() {
        return Answer::InStep;
    }
    let mut tracer = Tracer::new(terms.values, terms.effects, world, group.clone(), healed, FUEL);
    // First ranks that answer every question of fact alike, and part for what they are: that shows more than that
    // facts may differ.
    let (no_axes, first) = (BTreeSet::new(), &ranks[..1]);
    let places = |base: &Assignment| neighbours(base, &[], &missing.axes, &ranks, extent);
    let facts = |base: &Assignment| neighbours(base, &atoms, &no_axes, first, extent);
    let bases = bases(&atoms, &missing.axes, members, &ranks);
    let pairs = bases.iter().map(|base| (base, places(base))).chain(bases.iter().map(|base| (base, facts(base))));
    let possible = |class: &Assignment| !(contradicts(terms, class) || missing.rank && is_misplaced(class));
    for (base, others) in pairs {
        if contradicts(terms, base) {
            continue;
        }
        for other in others.into_iter().filter(|other| possible(other)) {
            if let Some(difference) = tracer.compare(root, base, &other) {
                if !two_ranks(&mut tracer, root, (base, &other), &missing.axes, &ranks, extent) {
                    continue;
                }
                // Where a fact that parts them holds for all, they may still part for what they are.
                let by_fact = base.rank == other.rank && base.coordinates == other.coordinates;
                let by_place =
                    places(&other).into_iter().filter(|class| by_fact && possible(class)).find_map(|class| {
                        let difference = tracer.compare(root, &other, &class)?;
                        Some((other.clone(), class, difference))
                    });
                let (one, other, difference) = by_place.unwrap_or_else(|| (base.clone(), other, difference));
                return Answer::Parted(Box::new(Found { group: group.clone(), world, one, other, difference }));
            }
            if tracer.exhausted() {
                return Answer::TooLarge;
            }
        }
    }
    // Of what has not been varied nobody knows.
    if atoms.len() > MAX_VARIED { Answer::TooLarge } else { Answer::InStep }
}

/// Whether two ranks can be what the classes say. Classes that differ in a fact alone are one rank where only one rank
/// asks for that fact: the only sender of a message does not part ways with itself.
fn two_ranks(
    tracer: &mut Tracer<'_>,
    root: EffectId,
    (one, other): (&Assignment, &Assignment),
    axes: &BTreeSet<Axes>,
    ranks: &[i64],
    extent: i64,
) -> bool {
    if one.rank != other.rank || one.coordinates != other.coordinates || ranks.len() < 2 && axes.is_empty() {
        return true;
    }
    let elsewhere = |class: &Assignment| neighbours(class, &[], axes, ranks, extent);
    elsewhere(other).iter().any(|other| tracer.compare(root, one, other).is_some())
        || elsewhere(one).iter().any(|one| tracer.compare(root, one, other).is_some())
        || tracer.exhausted()
}
