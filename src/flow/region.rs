//! Where in an effect tree ranks may have parted: only what stands there can be issued by some and not by others.
//!
//! Before the first place that decides differently on some rank everybody issues the same; after the last one too, unless
//! somebody has left there. What lies between two such places counts, since it is issued before on one rank and after on
//! another.

use smallvec::{SmallVec, smallvec};

use super::effect::{Effect, EffectId, Effects, EventId, LoopKind};
use super::value::{Value, Values};

/// How an effect stands to the places where ranks part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Every rank comes here alike: only where they part inside matters.
    Together,
    /// Some ranks may not come here, or not at the same time.
    Parted,
}

impl Standing {
    fn or(self, parted: bool) -> Standing {
        if parted { Standing::Parted } else { self }
    }
}

/// The parts of an effect with how each stands, in order; `around` is how the effect itself stands.
pub fn standings(
    effects: &Effects,
    values: &Values,
    effect: EffectId,
    around: Standing,
) -> SmallVec<[(EffectId, Standing); 4]> {
    let varies = |part: EffectId| !effects.summed(part).varies.is_empty();
    let leaves = |part: EffectId| varies(part) && effects.summed(part).exits;
    match effects.get(effect) {
        Effect::Seq(parts) => {
            let first = parts.iter().position(|&part| varies(part)).unwrap_or(parts.len());
            let last = parts.iter().rposition(|&part| varies(part)).unwrap_or(0);
            let left = parts.iter().position(|&part| leaves(part)).unwrap_or(parts.len());
            let stands = |at: usize| around.or((first < last && (first..=last).contains(&at)) || at > left);
            parts.iter().enumerate().map(|(at, &part)| (part, stands(at))).collect()
        }
        Effect::Choice { test, then, otherwise, .. } => {
            let inside = around.or(differs(values, *test));
            smallvec![(*then, inside), (*otherwise, inside)]
        }
        Effect::Loop { kind, body, orelse, .. } => {
            let decides = match kind {
                LoopKind::For { iter, .. } => !values.shape(*iter).is_empty(),
                LoopKind::While { test } => differs(values, *test),
            };
            let inside = around.or(decides || leaves(*body));
            smallvec![(*body, inside), (*orelse, inside)]
        }
        Effect::Try { body, .. } => {
            let parts = effects.below(effect);
            let several = parts.iter().filter(|&&part| varies(part)).count() > 1;
            let left = leaves(*body);
            parts.into_iter().enumerate().map(|(at, part)| (part, around.or(several || (at > 0 && left)))).collect()
        }
        Effect::Scope { manager, body } => {
            let manages = varies(*manager);
            let inside = around.or(manages);
            smallvec![(*manager, inside.or(leaves(*body))), (*body, inside)]
        }
        Effect::Call { body, .. } => smallvec![(*body, around)],
        Effect::Nothing
        | Effect::Event(_)
        | Effect::Exit(..)
        | Effect::Hole
        | Effect::Invoke { .. }
        | Effect::Pending { .. } => SmallVec::new(),
    }
}

/// The events on which ranks may disagree, in no order.
pub fn disputed(effects: &Effects, values: &Values, root: EffectId) -> Vec<EventId> {
    let mut out = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut pending = vec![(root, Standing::Together)];
    while let Some((effect, standing)) = pending.pop() {
        let summed = effects.summed(effect);
        if !summed.events || (standing == Standing::Together && summed.varies.is_empty()) {
            continue;
        }
        if !seen.insert((effect, standing == Standing::Parted)) {
            continue;
        }
        if let Effect::Event(event) = effects.get(effect) {
            out.push(*event);
        }
        pending.extend(standings(effects, values, effect, standing));
    }
    out
}

fn differs(values: &Values, test: Value) -> bool {
    let facts = values.facts(test);
    !(facts.vary | facts.shape).is_empty()
}
