//! Where ranks part ways in functions: asked of each as it is, then, of what is too large for that, in short.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::FunctionId;
use crate::finding::Confidence;
use crate::flow::{EffectId, Healed};

use super::classes::Terms;
use super::comparison::{Answer, Parting, Question, parts_ranks};
use super::divergence::Spread;
use super::evaluate::Engine;
use super::witness::{Found, Split, explain};

/// Splits reported for one function and group.
const MAX_SPLITS: usize = 6;

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

/// Explains where ranks part ways in a function, one place after the other; the first is known, if it still `holds`. Says
/// whether anything was healed.
pub(super) fn splits(
    engine: &mut Engine<'_>,
    function: FunctionId,
    Parting { question, found }: Parting,
    holds: bool,
    healed: &mut Healed,
    out: &mut Vec<Split>,
) -> bool {
    let first = explained(engine, function, (&question, holds.then_some(found)), healed, out);
    if !first.too_large {
        return first.healed;
    }
    // What was found first may stand in front of what is too large to be looked through: not so in short.
    let large = question.root();
    let short = engine.on_behalf_of(function, |engine| engine.in_short(large, function));
    let short = (short != large).then(|| Question::of(engine.terms(), short)).flatten();
    let further = short.map(|short| explained(engine, function, (&short, None), healed, out));
    first.healed || further.is_some_and(|further| further.healed)
}

/// How far a function was looked through.
#[derive(Default)]
struct Explained {
    /// Whether anything was healed.
    healed: bool,
    /// Whether it was given up.
    too_large: bool,
}

fn explained(
    engine: &Engine<'_>,
    function: FunctionId,
    (question, mut first): (&Question, Option<Found>),
    healed: &mut Healed,
    out: &mut Vec<Split>,
) -> Explained {
    let mut explained = Explained::default();
    for group in &question.groups {
        if first.as_ref().is_some_and(|first| first.group != *group) {
            continue;
        }
        for _ in 0..MAX_SPLITS {
            let found = match first.take() {
                Some(found) => found,
                None => match question.first_difference(engine.terms(), group, healed) {
                    Answer::Parted(found) => *found,
                    Answer::InStep => break,
                    Answer::TooLarge => {
                        explained.too_large = true;
                        break;
                    }
                },
            };
            let Some((mut split, heals)) = explain(engine, function, question.root(), &found, healed) else { break };
            let mut fresh = false;
            explained.healed |= !heals.is_empty();
            for (site, call, heal) in heals {
                fresh |= healed.insert(site, call, heal);
            }
            if !fresh {
                break;
            }
            if engine.is_unsettled(function) {
                split.confidence = Confidence::Low;
            }
            out.push(split);
        }
    }
    explained
}
