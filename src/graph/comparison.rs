//! Compares what classes of ranks issue on one group: whether they part ways in a function, and where first.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::flow::{
    Asked, Assignment, Axes, Bearing, EffectId, Evaluator, GroupKey, Healed, Missing, Node, Tracer, Value, World,
    disputed,
};

use super::classes::{
    MAX_ATOMS, MAX_VARIED, Outline, Terms, axes_of, bases, contradicts, groups, is_misplaced, members, needed,
    neighbours, outline, tells_facts, world_size,
};
use super::witness::Found;

/// Trees heavier than this are not traced.
pub(super) const MAX_WEIGHT: u32 = 1_600;

/// Steps of one function's comparison on one group.
pub(super) const FUEL: u32 = 4_000;

/// The same, where the facts are left open.
const OPEN_FUEL: u32 = 2_000;

/// Parts of a fact that are looked at.
const MAX_PARTS: usize = 60;

/// Axes that are tried with one rank along them.
const MAX_SINGLE: usize = 3;

/// What a function's comparisons have in common.
pub(super) struct Question {
    root: EffectId,
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
        let outline = outline(terms.effects, root, |_| true);
        let size = world_size(terms, &outline);
        Some(Question { root, size, groups: groups(terms, &disputed, size) })
    }

    /// Where classes of ranks first differ on the group, but for what is healed.
    pub fn first_difference(&self, terms: Terms<'_>, group: &GroupKey, healed: &Healed) -> Answer<Found> {
        first_difference(terms, self.root, group, self.size, healed)
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
        match first_difference(terms, root, group, question.size, healed) {
            Answer::Parted(found) => return Answer::Parted(Box::new(Parting { question, found: *found })),
            Answer::TooLarge => answer = Answer::TooLarge,
            Answer::InStep => {}
        }
    }
    answer
}

fn first_difference(terms: Terms<'_>, root: EffectId, group: &GroupKey, size: i64, healed: &Healed) -> Answer<Found> {
    let axes = axes_of(terms, group);
    let extent = size.min(4);
    let world = World { size, extent, axes, single: Axes::NONE };
    // What is asked on the way to other groups parts nobody on this one.
    let mut bearing = Bearing::new(terms.values, terms.effects, world, group.clone());
    let outline = outline(terms.effects, root, |effect| bearing.concerns(effect));
    let members = members(terms, group, &outline);
    let on = &OnGroup { group, outline, members, asked: Rc::new(RefCell::new(Asked::new(axes))) };
    let missing = needed(terms, &on.outline, world);
    match compare_classes(terms, root, on, world, &missing, healed) {
        Answer::InStep => {}
        // Too large with all axes: as a rule too large with one less.
        answer @ (Answer::Parted(_) | Answer::TooLarge) => return answer,
    }
    // A job need not use every axis: what is done where there is one rank along it counts as well.
    let others = missing.sizes.iter().filter(|asked| !axes.without(**asked).is_empty()).take(MAX_SINGLE);
    let mut answers = others.copied().map(|single| {
        let world = World { single, ..world };
        let missing = needed(terms, &on.outline, world);
        compare_classes(terms, root, on, world, &missing, healed)
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

/// A group, and what of a function bears on it.
struct OnGroup<'c> {
    group: &'c GroupKey,
    outline: Outline,
    /// What holds for all of its members.
    members: BTreeMap<Value, bool>,
    /// What effects ask for, as far as that has been found out.
    asked: Rc<RefCell<Asked>>,
}

/// Compares classes of ranks in a job of that form.
fn compare_classes(
    terms: Terms<'_>,
    root: EffectId,
    on: &OnGroup<'_>,
    world: World,
    missing: &Missing,
    healed: &Healed,
) -> Answer<Found> {
    let World { size, .. } = world;
    let OnGroup { group, members, .. } = on;
    let atoms: Vec<Value> = missing.atoms.iter().copied().filter(|atom| !members.contains_key(atom)).collect();
    let ranks: Vec<i64> = match (group, missing.rank) {
        (GroupKey::Made(_, ranks), _) => ranks.iter().copied().filter(|rank| (0..size).contains(rank)).collect(),
        (_, true) => (0..size).collect(),
        (_, false) => vec![0],
    };
    if ranks.is_empty() {
        return Answer::InStep;
    }
    // First ranks that answer every question of fact alike, and part for what they are: that shows more than that
    // facts may differ.
    let (no_axes, first) = (BTreeSet::new(), &ranks[..1]);
    let places = |base: &Assignment| neighbours(base, &[], &missing.axes, &ranks, world);
    let bases = bases(&atoms, &missing.axes, members, &ranks);
    let among = Among { terms, root, on, world, missing, ranks: &ranks };
    let mut tracer = among.tracer(healed, FUEL);
    match among.first(&mut tracer, bases.iter().map(|base| (base, places(base)))) {
        Answer::InStep => {}
        answer => return answer,
    }
    // What ranks answer alike is as a rule some of it true and some of it false. Too much of that says nothing.
    let open = open_base(&bases, members);
    let mut open_tracer = among.tracer(healed, OPEN_FUEL);
    if let Some(open) = &open
        && let answer @ Answer::Parted(_) = among.first(&mut open_tracer, [(open, places(open))].into_iter())
    {
        return answer;
    }
    let (atoms, bases, open) = match among.mattering(&atoms, healed) {
        Some(mattering) => {
            let bases = self::bases(&mattering, &missing.axes, members, &ranks);
            let open = open_base(&bases, members);
            (mattering, bases, open)
        }
        None => (atoms, bases, open),
    };
    let facts = |base: &Assignment| neighbours(base, &atoms, &no_axes, first, world);
    match among.first(&mut tracer, bases.iter().map(|base| (base, facts(base)))) {
        Answer::InStep => {}
        answer => return answer,
    }
    if let Some(open) = &open {
        // What each rank finds in the world around it; of what it works on little is said by leaving open what that is.
        let is_found = |part: Value| matches!(terms.values.node(part), Node::Local(..));
        let found = atoms.iter().copied().take(MAX_VARIED);
        let found: Vec<Value> = found.filter(|&atom| terms.values.any_part(atom, MAX_PARTS, is_found)).collect();
        let without: Vec<Assignment> = found.iter().map(|&atom| answering(open, atom, false)).collect();
        let pairs = without.iter().zip(&found).map(|(without, &atom)| (without, vec![answering(open, atom, true)]));
        if let Answer::Parted(found) = among.first(&mut open_tracer, pairs) {
            return Answer::Parted(Box::new(Found { open: true, ..*found }));
        }
    }
    // Of what has not been varied nobody knows.
    if atoms.len() > MAX_VARIED { Answer::TooLarge } else { Answer::InStep }
}

/// What classes of ranks are compared in.
#[derive(Clone, Copy)]
struct Among<'c> {
    terms: Terms<'c>,
    root: EffectId,
    on: &'c OnGroup<'c>,
    world: World,
    missing: &'c Missing,
    ranks: &'c [i64],
}

impl<'c> Among<'c> {
    fn tracer(&self, healed: &'c Healed, fuel: u32) -> Tracer<'c> {
        let Terms { values, effects } = self.terms;
        Tracer::new(values, effects, self.world, self.on.group.clone(), healed, fuel).with_asked(&self.on.asked)
    }

    /// Of many facts those whose answers make a difference to what the first rank issues, whatever the others are; nothing
    /// where that cannot be said.
    fn mattering(&self, atoms: &[Value], healed: &Healed) -> Option<Vec<Value>> {
        if atoms.len() <= MAX_ATOMS {
            return None;
        }
        let coordinates = self.missing.axes.iter().map(|&axis| (axis, 0)).collect();
        let open = Assignment { rank: self.ranks[0], coordinates, atoms: self.on.members.clone() };
        let evaluator = Evaluator::new(self.terms.values, self.world, &open);
        if tells_facts(self.terms, &self.on.outline, &evaluator) {
            return None;
        }
        let questions = self.tracer(healed, OPEN_FUEL).mattering(self.root, &open)?;
        for question in questions {
            evaluator.truth(question);
            evaluator.missing.borrow_mut().ask(question);
        }
        let asked: FxHashSet<Value> = evaluator.missing.take().atoms.into_iter().collect();
        Some(atoms.iter().copied().filter(|atom| asked.contains(atom)).collect())
    }

    /// The first two classes that part, of each base and its neighbours.
    fn first<'b>(
        &self,
        tracer: &mut Tracer<'_>,
        pairs: impl Iterator<Item = (&'b Assignment, Vec<Assignment>)>,
    ) -> Answer<Found> {
        let possible =
            |class: &Assignment| !(contradicts(self.terms, class) || self.missing.rank && is_misplaced(class));
        for (base, others) in pairs {
            if contradicts(self.terms, base) {
                continue;
            }
            for other in others.into_iter().filter(|other| possible(other)) {
                if let Some(difference) = tracer.compare(self.root, base, &other) {
                    if !self.two_ranks(tracer, (base, &other)) {
                        continue;
                    }
                    // Where a fact that parts them holds for all, they may still part for what they are.
                    let by_fact = base.rank == other.rank && base.coordinates == other.coordinates;
                    let others = if by_fact { self.elsewhere(&other) } else { Vec::new() };
                    let by_place = others.into_iter().filter(|class| possible(class)).find_map(|class| {
                        let difference = tracer.compare(self.root, &other, &class)?;
                        Some((other.clone(), class, difference))
                    });
                    let (one, other, difference) = by_place.unwrap_or_else(|| (base.clone(), other, difference));
                    let (group, world) = (self.on.group.clone(), self.world);
                    return Answer::Parted(Box::new(Found { group, world, one, other, difference, open: false }));
                }
                if tracer.exhausted() {
                    return Answer::TooLarge;
                }
            }
        }
        Answer::InStep
    }

    /// Classes of ranks elsewhere that answer the same.
    fn elsewhere(&self, class: &Assignment) -> Vec<Assignment> {
        neighbours(class, &[], &self.missing.axes, self.ranks, self.world)
    }

    /// Whether two ranks can be what the classes say. Classes that differ in a fact alone are one rank where only one rank
    /// asks for that fact: the only sender of a message does not part ways with itself.
    fn two_ranks(&self, tracer: &mut Tracer<'_>, (one, other): (&Assignment, &Assignment)) -> bool {
        let in_place = one.rank != other.rank || one.coordinates != other.coordinates;
        if in_place || self.ranks.len() < 2 && self.missing.axes.is_empty() {
            return true;
        }
        self.elsewhere(other).iter().any(|other| tracer.compare(self.root, one, other).is_some())
            || self.elsewhere(one).iter().any(|one| tracer.compare(self.root, one, other).is_some())
            || tracer.exhausted()
    }
}

/// A class that says nothing of the facts, where they are too many for every mixture to be begun with: whatever they are,
/// they are alike for it and its neighbours.
fn open_base(bases: &[Assignment], members: &BTreeMap<Value, bool>) -> Option<Assignment> {
    let first = bases.first().filter(|first| first.atoms.len() > members.len() + MAX_ATOMS)?;
    Some(Assignment { atoms: members.clone(), ..first.clone() })
}

/// The class with an answer to one question more.
fn answering(class: &Assignment, atom: Value, answer: bool) -> Assignment {
    let mut class = class.clone();
    class.atoms.insert(atom, answer);
    class
}
