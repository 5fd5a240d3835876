//! Which choice or loop is the cause of a difference.
//!
//! A difference between two traces is often seen later than where it arises: events are compared by operation, so an
//! extra one pairs with the next of its kind. Each choice that the two classes decide differently is therefore put to
//! the test: with all the others decided alike, do they still part? What is left when nothing more can be spared is the
//! cause.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::Site;
use crate::flow::{Difference, Effect, EffectId, EventId, Heal, Healed, Node, Parting, Tracer, Value};

use super::comparison::FUEL;
use super::descent::{MAX_PARTS, Path, contains, depends_on_caller, paths, paths_to, preorder, question_of, site_of};
use super::evaluate::Engine;
use super::witness::Found;

/// Steps of one trial.
const TRIAL: u32 = 4 * FUEL;

/// Choices that are put to the test.
const MAX_SUSPECTS: usize = 16;

/// Rounds in which choices that come into sight only once others are decided alike are decided alike too.
const MAX_ROUNDS: usize = 8;

/// The cause of a difference.
pub(super) struct Blame {
    /// What the cause alone leads to.
    pub(super) difference: Difference,
    /// The choice or loop; none when the events themselves differ.
    pub(super) cause: Option<Parting>,
    /// The calls that lead to the cause.
    pub(super) path: Path,
    /// Whether the event is issued under the cause.
    pub(super) inside: bool,
    /// What is decided alike once this has been reported.
    pub(super) heals: Vec<(Site, Option<Site>, Heal)>,
}

struct Suspect {
    parting: Parting,
    site: Site,
    paths: Vec<Path>,
    heal: Heal,
    /// What its arms alone issue that differs.
    arms: Option<Difference>,
}

/// What a trial shows.
enum Verdict {
    InStep,
    Parted(Difference),
    /// It was too long.
    Open,
}

struct Court<'e, 'p> {
    engine: &'e Engine<'p>,
    root: EffectId,
    found: &'e Found,
    healed: &'e Healed,
}

/// Finds the cause of a difference.
pub(super) fn blame(engine: &Engine<'_>, root: EffectId, found: &Found, healed: &Healed) -> Blame {
    let court = Court { engine, root, found, healed };
    let order: FxHashMap<EffectId, usize> =
        preorder(engine, root).into_iter().enumerate().map(|(at, effect)| (effect, at)).collect();
    let mut partings = court.tracer(healed).partings(root, &found.one, &found.other);
    partings.sort_by_key(|parting| order.get(&parting.effect).copied().unwrap_or(usize::MAX));
    partings.truncate(MAX_SUSPECTS);
    let suspects: Vec<Suspect> = partings.into_iter().filter_map(|parting| court.suspect(parting)).collect();

    // Whatever remains when everything is decided alike lies in the events themselves.
    let nothing = FxHashSet::default();
    if let Verdict::Parted(difference) = court.with_only(&nothing, &suspects) {
        return Blame { difference, cause: None, path: Path::new(), inside: false, heals: Vec::new() };
    }
    let mut guilty: Vec<usize> = (0..suspects.len()).collect();
    let open = std::cell::Cell::new(false);
    let spare = |guilty: &mut Vec<usize>, innocent: &[usize]| {
        let live = (0..suspects.len()).filter(|at| !guilty.contains(at) || innocent.contains(at));
        let live: FxHashSet<EffectId> = live.map(|at| suspects[at].parting.effect).collect();
        match court.with_only(&live, &suspects) {
            Verdict::InStep => guilty.retain(|at| !innocent.contains(at)),
            Verdict::Parted(_) => {}
            Verdict::Open => open.set(true),
        }
    };
    for one in 0..suspects.len() {
        for other in one + 1..suspects.len() {
            let both = guilty.contains(&one) && guilty.contains(&other);
            if both && guilty.len() > 2 && court.complete(&suspects[one], &suspects[other]) {
                spare(&mut guilty, &[one, other]);
            }
        }
    }
    for at in 0..suspects.len() {
        if guilty.len() > 1 {
            spare(&mut guilty, &[at]);
        }
    }
    // Where the trial was too long, whoever stands round the event is the likeliest.
    let around = guilty.iter().copied().filter(|_| open.get()).find(|&at| {
        let contained = |event: EventId| contains(engine, suspects[at].parting.effect, event);
        found.difference.events().into_iter().flatten().any(contained)
    });
    // Or whoever parts them with all the others decided alike.
    let alone = |&at: &usize| {
        let live = FxHashSet::from_iter([suspects[at].parting.effect]);
        matches!(court.with_only(&live, &suspects), Verdict::Parted(_))
    };
    let alone = guilty.iter().copied().filter(|_| open.get() && around.is_none() && guilty.len() > 1).find(alone);
    let Some(first) = around.or(alone).or(guilty.first().copied()) else {
        let difference = found.difference.clone();
        return Blame { difference, cause: None, path: Path::new(), inside: false, heals: Vec::new() };
    };
    let suspect = &suspects[first];
    let live = FxHashSet::from_iter([suspect.parting.effect]);
    let alone = match court.with_only(&live, &suspects) {
        Verdict::Parted(difference) => difference,
        Verdict::InStep | Verdict::Open => found.difference.clone(),
    };
    let (difference, inside) = court.place(suspect, alone);
    let mut heals = vec![court.heal(suspect)];
    for &other in guilty.iter().filter(|&&at| at != first) {
        if court.complete(suspect, &suspects[other]) {
            heals.push(court.heal(&suspects[other]));
        }
    }
    heals.extend(court.other_halves(suspect));
    heals.extend(court.in_other_arms(suspect, heals[0]));
    let path = suspect.paths.first().cloned().unwrap_or_default();
    Blame { difference, cause: Some(suspect.parting), path, inside, heals }
}

impl Court<'_, '_> {
    fn tracer<'t>(&'t self, healed: &'t Healed) -> Tracer<'t> {
        let engine = self.engine;
        Tracer::new(&engine.values, &engine.effects, self.found.world, self.found.group.clone(), healed, TRIAL)
    }

    fn suspect(&self, parting: Parting) -> Option<Suspect> {
        let site = site_of(self.engine, parting.effect)?;
        let mut paths = paths(self.engine, self.root, parting.effect);
        paths.retain(|path| !self.healed.covers(site, path.first().map(|call| call.0)));
        let arms = self.tracer(self.healed).compare(parting.effect, &self.found.one, &self.found.other);
        let heal = match self.engine.effects.get(parting.effect) {
            Effect::Choice { then, otherwise, .. } if arms.is_none() => {
                let leaves = |arm: EffectId| self.engine.effects.summed(arm).exits;
                match (leaves(*then), leaves(*otherwise)) {
                    (true, false) => Heal::Always(false),
                    (false, true) => Heal::Always(true),
                    _ => Heal::Alike,
                }
            }
            _ => Heal::Alike,
        };
        Some(Suspect { parting, site, paths, heal, arms })
    }

    /// How the classes differ when all but the `live` choices are decided alike.
    fn with_only(&self, live: &FxHashSet<EffectId>, suspects: &[Suspect]) -> Verdict {
        let mut healed = self.healed.clone();
        let add = |healed: &mut Healed, suspect: &Suspect| {
            for path in &suspect.paths {
                healed.insert(suspect.site, path.first().map(|call| call.0), suspect.heal);
            }
        };
        let live_sites: Vec<Site> = live.iter().filter_map(|&effect| site_of(self.engine, effect)).collect();
        for suspect in suspects.iter().filter(|suspect| !live.contains(&suspect.parting.effect)) {
            // Two copies of one choice stand or fall together.
            if !live_sites.contains(&suspect.site) || suspect.paths.iter().all(|path| !path.is_empty()) {
                add(&mut healed, suspect);
            }
        }
        for _ in 0..MAX_ROUNDS {
            let mut tracer = self.tracer(&healed);
            let Some(difference) = tracer.compare(self.root, &self.found.one, &self.found.other) else {
                return if tracer.exhausted() { Verdict::Open } else { Verdict::InStep };
            };
            let mut new = tracer.partings(self.root, &self.found.one, &self.found.other);
            new.retain(|parting| !live.contains(&parting.effect));
            if new.is_empty() {
                return Verdict::Parted(difference);
            }
            let before = healed.len();
            for suspect in new.into_iter().filter_map(|parting| self.suspect(parting)) {
                add(&mut healed, &suspect);
            }
            if healed.len() == before {
                return Verdict::Parted(difference);
            }
        }
        Verdict::Open
    }

    /// Whether the two choices issue the same, one on the first class and the other on the second: a sandwich.
    fn complete(&self, one: &Suspect, other: &Suspect) -> bool {
        let single = |suspect: &Suspect| match suspect.arms.as_ref()?.events() {
            [Some(event), None] => Some((self.engine.effects.event(event).op, true)),
            [None, Some(event)] => Some((self.engine.effects.event(event).op, false)),
            _ => None,
        };
        match (single(one), single(other)) {
            (Some((op, first)), Some((other_op, other_first))) => op == other_op && first != other_first,
            _ => false,
        }
    }

    /// Where a fact parts a rank from itself: other choices that ask for the same fact and issue the same. One of them alone
    /// decided alike is half of a sandwich.
    fn other_halves(&self, suspect: &Suspect) -> Vec<(Site, Option<Site>, Heal)> {
        let Found { one, other, .. } = self.found;
        if one.rank != other.rank || one.coordinates != other.coordinates {
            return Vec::new();
        }
        let facts: Vec<Value> = one
            .atoms
            .iter()
            .filter(|&(fact, answer)| other.atoms.get(fact) != Some(answer))
            .map(|(fact, _)| *fact)
            .collect();
        let op = |suspect: &Suspect| {
            let event = suspect.arms.as_ref()?.events().into_iter().flatten().next()?;
            Some(self.engine.effects.event(event).op)
        };
        let (Some(issued), values) = (op(suspect), &self.engine.values) else { return Vec::new() };
        let issues = |effect: EffectId| {
            let mut below = preorder(self.engine, effect).into_iter();
            below.any(|effect| matches!(*self.engine.effects.get(effect), Effect::Event(event) if self.engine.effects.event(event).op == issued))
        };
        let asks = |effect: &EffectId| match self.engine.effects.get(*effect) {
            Effect::Choice { test, site, .. } => {
                let asks = |wanted: &dyn Fn(Value) -> bool| values.any_part(*test, MAX_PARTS, wanted);
                let by_rank = |part: Value| matches!(values.node(part), Node::Rank(_));
                *site != suspect.site && asks(&|part| facts.contains(&part)) && asks(&by_rank) && issues(*effect)
            }
            _ => false,
        };
        let others = preorder(self.engine, self.root).into_iter().filter(asks).take(MAX_SUSPECTS);
        let others = others.filter_map(|effect| self.suspect(Parting { effect, ..suspect.parting }));
        others.map(|other| self.heal(&other)).collect()
    }

    /// Where the cause is healed below one call: the same, asked of the same, below the calls that stand in the other arm of
    /// a choice that parts ranks. Those in one arm would go through it alike, those in the other not, and so the choice would
    /// seem to part them.
    fn in_other_arms(&self, suspect: &Suspect, healed: (Site, Option<Site>, Heal)) -> Vec<(Site, Option<Site>, Heal)> {
        let (site, Some(call), heal) = healed else { return Vec::new() };
        let engine = self.engine;
        let asked = question_of(engine, suspect.parting.effect);
        let is_copy = |effect| site_of(engine, effect) == Some(suspect.site) && question_of(engine, effect) == asked;
        let copies = paths_to(engine, self.root, &is_copy);
        let calls: Vec<Site> =
            copies.iter().filter_map(|path| Some(path.first()?.0)).filter(|&at| at != call).collect();
        if calls.is_empty() {
            return Vec::new();
        }
        let calls_of = |arm: EffectId| {
            let sites = preorder(engine, arm).into_iter().filter_map(|effect| match engine.effects.get(effect) {
                Effect::Call { site, .. } => Some(*site),
                _ => None,
            });
            sites.collect::<FxHashSet<Site>>()
        };
        let mut out = Vec::new();
        for effect in preorder(engine, self.root) {
            let Effect::Choice { test, then, otherwise, .. } = *engine.effects.get(effect) else { continue };
            if engine.values.truth_axes(test).is_empty() {
                continue;
            }
            let arms = [calls_of(then), calls_of(otherwise)];
            for (own, other) in [(&arms[0], &arms[1]), (&arms[1], &arms[0])] {
                if own.contains(&call) {
                    out.extend(calls.iter().filter(|at| other.contains(at)).map(|&at| (site, Some(at), heal)));
                }
            }
        }
        out
    }

    /// The difference as it is seen at the cause, and whether its event stands under it.
    fn place(&self, suspect: &Suspect, alone: Difference) -> (Difference, bool) {
        let events = alone.events();
        let cause = suspect.parting.effect;
        let contained = |event: Option<EventId>| event.is_some_and(|event| contains(self.engine, cause, event));
        let Some(arms) = &suspect.arms else {
            let inside = events.into_iter().any(contained);
            return (alone, inside);
        };
        let own = arms.events();
        let side = |events: [Option<EventId>; 2]| match events {
            [Some(_), Some(_)] | [None, None] => None,
            [first, _] => Some(first.is_some()),
        };
        match (side(events), side(own)) {
            // One class issues more than the other: what it issues under the cause, not what that pairs with.
            (Some(more), Some(under)) if more == under => (arms.clone(), true),
            (None, Some(_)) if !events.into_iter().any(contained) => (arms.clone(), true),
            _ => {
                let inside = events.into_iter().any(contained);
                (alone, inside)
            }
        }
    }

    fn heal(&self, suspect: &Suspect) -> (Site, Option<Site>, Heal) {
        let path = suspect.paths.first().map_or(&[][..], |path| &path[..]);
        let call = depends_on_caller(self.engine, self.root, path, suspect.site);
        (suspect.site, call, suspect.heal)
    }
}
