//! Where ranks part ways in functions: asked of each as it is, then, of what is too large for that, in short.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site};
use crate::finding::Confidence;
use crate::flow::{Effect, EffectId, GroupKey, Heal, Healed, TOO_DEEP};

use super::classes::Terms;
use super::comparison::{Answer, Parting, Question, parts_ranks};
use super::descent::preorder;
use super::divergence::Spread;
use super::evaluate::Engine;
use super::witness::{Found, Heals, Split, SplitKind, explain};

/// Splits reported for one function and group.
const MAX_SPLITS: usize = 6;

/// Operations under one condition that nobody is sure of, before one that is looked for behind them.
const MAX_DOUBTFUL: usize = 4;

/// Makes what a function does shorter.
type Abridge = fn(&mut Engine<'_>, FunctionId, EffectId) -> EffectId;

/// Ways to tell what a function does in short, the longest first: without its checks, and with what all ranks do alike in
/// short as well.
const ABRIDGED: [Abridge; 2] =
    [|engine, _, root| engine.without_checks(root), |engine, function, root| engine.in_short(root, function)];

/// For each of the functions the first place where ranks part ways in it. Few functions part ranks: which do not is asked of
/// all at once.
pub(super) fn partings(
    engine: &mut Engine<'_>,
    functions: &[(FunctionId, EffectId)],
    healed: &Healed,
    spread: Spread,
    stop: &AtomicBool,
) -> Vec<Option<Parting>> {
    let mut answers = side_by_side(engine.terms(), functions.iter().map(|&(_, root)| root), healed, spread, stop);
    for abridge in ABRIDGED {
        let large = (0..functions.len()).filter(|&index| matches!(answers[index], Answer::TooLarge));
        let short: Vec<(usize, EffectId)> = large
            .filter_map(|index| {
                let (function, root) = functions[index];
                let short = engine.on_behalf_of(function, |engine| abridge(engine, function, root));
                (short != root).then_some((index, short))
            })
            .collect();
        let again = side_by_side(engine.terms(), short.iter().map(|&(_, root)| root), healed, spread, stop);
        for ((index, _), answer) in short.into_iter().zip(again) {
            answers[index] = answer;
        }
    }
    let parting = |answer| match answer {
        Answer::Parted(parting) => Some(*parting),
        Answer::InStep | Answer::TooLarge => None,
    };
    answers.into_iter().map(parting).collect()
}

/// Whether ranks part ways in each of the effects, asked side by side; those that are not asked any more are in step.
fn side_by_side(
    terms: Terms<'_>,
    roots: impl Iterator<Item = EffectId>,
    healed: &Healed,
    spread: Spread,
    stop: &AtomicBool,
) -> Vec<Answer<Parting>> {
    let asked: Vec<(EffectId, OnceLock<Answer<Parting>>)> = roots.map(|root| (root, OnceLock::new())).collect();
    spread(asked.len(), &|index| {
        let (root, answer) = &asked[index];
        if !stop.load(Ordering::Relaxed) {
            // Each is asked once.
            let _ = answer.set(parts_ranks(terms, *root, healed));
        }
    });
    asked.into_iter().map(|(_, answer)| answer.into_inner().unwrap_or(Answer::InStep)).collect()
}

/// What is known from the functions of a tree that have been told so far.
#[derive(Default)]
pub(super) struct Known {
    /// What has been reported, and counts as mended.
    pub healed: Healed,
    /// Where something has been healed since the functions of a batch were asked.
    pub since: FxHashSet<Site>,
    /// The functions.
    pub told: FxHashSet<FunctionId>,
}

/// Explains where ranks part ways in a function, one place after the other; the first is known, unless something in the
/// function has been healed since it was found.
pub(super) fn splits(
    engine: &mut Engine<'_>,
    function: FunctionId,
    Parting { question, found }: Parting,
    known: &mut Known,
    out: &mut Vec<Split>,
) {
    let found = (!holds_one_of(engine, question.root(), &known.since)).then_some(found);
    if !explained(engine, function, (&question, found), known, out) {
        return;
    }
    // What was found first may stand in front of what is too large to be looked through: not so in short.
    let large = question.root();
    let short = engine.on_behalf_of(function, |engine| engine.in_short(large, function));
    if let Some(short) = (short != large).then(|| Question::of(engine.terms(), short)).flatten() {
        explained(engine, function, (&short, None), known, out);
    }
}

/// Whether something in the effect stands at one of the places.
fn holds_one_of(engine: &Engine<'_>, root: EffectId, sites: &FxHashSet<Site>) -> bool {
    !sites.is_empty()
        && preorder(engine, root).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Choice { site, .. } | Effect::Loop { site, .. } => sites.contains(site),
            Effect::Event(event) => sites.contains(&engine.effects.event(*event).site),
            _ => false,
        })
}

/// The same for what is asked. Says whether it was given up.
fn explained(
    engine: &Engine<'_>,
    function: FunctionId,
    (question, mut first): (&Question, Option<Found>),
    Known { healed, since, told }: &mut Known,
    out: &mut Vec<Split>,
) -> bool {
    let mut too_large = false;
    // What is healed for this function alone, where nobody is sure: what differs by the name of what it is given alone, of
    // which its callers know what it is, and what stands in a function that has yet to be asked, because the two call each
    // other.
    let mut own: Option<Healed> = None;
    for group in &question.groups {
        if first.as_ref().is_some_and(|first| first.group != *group) {
            continue;
        }
        for _ in 0..MAX_SPLITS {
            let found = match first.take() {
                Some(found) => found,
                None => match question.first_difference(engine.terms(), group, own.as_ref().unwrap_or(healed)) {
                    Answer::Parted(found) => *found,
                    Answer::InStep => break,
                    Answer::TooLarge => {
                        too_large = true;
                        break;
                    }
                },
            };
            let known = own.as_ref().unwrap_or(healed);
            let Some((mut split, mut heals)) = explain(engine, function, question.root(), &found, known) else { break };
            if split.is_supposed
                && let Some((sure, more)) = behind(engine, function, (question, group), &split, known)
            {
                split = sure;
                heals.extend(more);
            }
            if engine.is_unsettled(function) {
                split.confidence = Confidence::Low;
            }
            let is_told_later = || {
                let decided = split.decision.and_then(|decision| asked_with(engine, function, decision.site));
                decided.is_some_and(|decided| decided != function && !told.contains(&decided))
            };
            let fresh = if split.confidence == Confidence::Low && (split.is_handed || is_told_later()) {
                own.get_or_insert_with(|| healed.clone()).extend(&heals)
            } else {
                since.extend(heals.iter().map(|heal| heal.0));
                let fresh = healed.extend(&heals);
                own.as_mut().map_or(fresh, |own| own.extend(&heals))
            };
            if !fresh {
                break;
            }
            out.push(split);
        }
    }
    too_large
}

/// The function around a place, where it is asked about together with another one.
fn asked_with(engine: &Engine<'_>, function: FunctionId, place: Site) -> Option<FunctionId> {
    let program = engine.program;
    let is_near = place.file != TOO_DEEP && program.same_tree(program.locate(function).0, place.file);
    let around = is_near.then(|| engine.function_at(place)).flatten()?;
    Some(program.function_id(place.file, around))
}

/// What else is issued under the condition of a split that speaks of an operation which nobody is sure of, one that only
/// sharded models issue, or that nobody comes to: something that every rank there meets.
fn behind(
    engine: &Engine<'_>,
    function: FunctionId,
    (question, group): (&Question, &GroupKey),
    split: &Split,
    healed: &Healed,
) -> Option<(Split, Heals)> {
    if !matches!(split.kind, SplitKind::Conditional | SplitKind::EarlyExit) {
        return None;
    }
    let place = |split: &Split| split.decision.map(|decision| decision.site);
    let mut healed = healed.clone();
    let mut doubtful = split.event.site;
    for _ in 0..MAX_DOUBTFUL {
        if !healed.insert(doubtful, None, Heal::Alike) {
            return None;
        }
        let Answer::Parted(found) = question.first_difference(engine.terms(), group, &healed) else { return None };
        let (next, heals) = explain(engine, function, question.root(), &found, &healed)?;
        if next.kind != split.kind || place(&next) != place(split) {
            return None;
        }
        if next.confidence > split.confidence && !next.is_supposed {
            return Some((next, heals));
        }
        doubtful = next.event.site;
    }
    None
}
