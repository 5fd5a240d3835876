//! Ways through a tree of effects: what stands in it, what decides about its parts, and by which calls they are come to.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{Site, Symbol};
use crate::flow::{Axes, Effect, EffectId, EventId, LoopKind, Value};
use crate::model::FunctionKind;

use super::evaluate::Engine;

/// So many effects are worth being kept once they were gone through.
const LARGE: usize = 48;

/// Parts of a question that are looked at.
pub(super) const MAX_PARTS: usize = 400;

/// Ways down to one effect that are told apart.
const MAX_PATHS: usize = 8;

/// Calls on the way down to an effect, outermost first, with the called function's name.
pub(super) type Path = Vec<(Site, Symbol)>;

/// The outermost of the calls when what decides at the site comes from the caller: another caller is another case.
pub(super) fn depends_on_caller(
    engine: &Engine<'_>,
    root: EffectId,
    path: &[(Site, Symbol)],
    site: Site,
) -> Option<Site> {
    let &(outermost, _) = path.first()?;
    let inner = path.last().map(|call| call.0)?;
    let callee = preorder(engine, root).into_iter().find_map(|effect| match engine.effects.get(effect) {
        Effect::Call { function, site, .. } if *site == inner => Some(*function),
        _ => None,
    })?;
    let alone = engine.known_effects(callee)?;
    // A decorator decides about what it is handed: one function or another.
    let (file, local) = engine.program.locate(callee);
    let model = &engine.program.file(file).model;
    let parent = model.function(local).parent;
    let is_nested = parent.is_some_and(|parent| model.function(parent).kind == FunctionKind::Def);
    let varies = preorder(engine, alone).into_iter().find_map(|effect| match engine.effects.get(effect) {
        Effect::Choice { site: at, .. } if *at == site && is_nested && !engine.effects.summed(effect).events => {
            Some(Axes::NONE)
        }
        Effect::Choice { test, site: at, .. } if *at == site => Some(engine.values.truth_axes(*test)),
        Effect::Loop { kind: LoopKind::For { iter, .. }, site: at, .. } if *at == site => {
            Some(engine.values.shape(*iter))
        }
        Effect::Loop { kind: LoopKind::While { test }, site: at, .. } if *at == site => {
            Some(engine.values.truth_axes(*test))
        }
        Effect::Event(event) if engine.effects.event(*event).site == site => {
            let event = engine.effects.event(*event);
            let parts = [Some(event.group), event.root, event.operator, event.members];
            Some(parts.into_iter().flatten().fold(Axes::NONE, |sum, part| sum | engine.values.vary(part)))
        }
        _ => None,
    })?;
    varies.is_empty().then_some(outermost)
}

/// Where a choice or loop stands.
pub(super) fn site_of(engine: &Engine<'_>, effect: EffectId) -> Option<Site> {
    match engine.effects.get(effect) {
        Effect::Choice { site, .. } | Effect::Loop { site, .. } => Some(*site),
        _ => None,
    }
}

/// What a choice asks, or what decides about the turns of a loop.
pub(super) fn question_of(engine: &Engine<'_>, effect: EffectId) -> Option<Value> {
    match engine.effects.get(effect) {
        Effect::Choice { test, .. } | Effect::Loop { kind: LoopKind::While { test }, .. } => Some(*test),
        Effect::Loop { kind: LoopKind::For { iter, .. }, .. } => Some(*iter),
        _ => None,
    }
}

/// Every part of an effect, in source order, calls included.
pub(super) fn preorder(engine: &Engine<'_>, root: EffectId) -> Vec<EffectId> {
    if let Some((known, effects)) = &*engine.memo.walked.borrow()
        && *known == root
    {
        return effects.clone();
    }
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
    // One after the other asks for those of the same function.
    if out.len() > LARGE {
        *engine.memo.walked.borrow_mut() = Some((root, out.clone()));
    }
    out
}

/// The arm of a choice that does not lead to the event, where the other one does.
pub(super) fn arm_without(engine: &Engine<'_>, choice: &Effect, event: EventId) -> Option<EffectId> {
    let Effect::Choice { then, otherwise, .. } = *choice else { return None };
    match (contains(engine, then, event), contains(engine, otherwise, event)) {
        (true, false) => Some(otherwise),
        (false, true) => Some(then),
        _ => None,
    }
}

/// Whether the event is issued in some part of the effect.
pub(super) fn contains(engine: &Engine<'_>, effect: EffectId, event: EventId) -> bool {
    let site = engine.effects.event(event).site;
    preorder(engine, effect).into_iter().any(|below| match engine.effects.get(below) {
        Effect::Event(found) => *found == event || engine.effects.event(*found).site == site,
        _ => false,
    })
}

/// The ways down to an effect, by the calls on them; the first calls of no two are the same.
pub(super) fn paths(engine: &Engine<'_>, root: EffectId, target: EffectId) -> Vec<Path> {
    paths_to(engine, root, &|effect| effect == target)
}

/// The ways down to what `wanted` names, in order; the first calls of no two are the same.
pub(super) fn paths_to(engine: &Engine<'_>, root: EffectId, wanted: &dyn Fn(EffectId) -> bool) -> Vec<Path> {
    let mut leads = FxHashMap::default();
    let mut out = Vec::new();
    if leads_to(engine, root, wanted, &mut leads) {
        descend(engine, root, wanted, &leads, &mut Path::new(), &mut out);
    }
    out
}

fn leads_to(
    engine: &Engine<'_>,
    effect: EffectId,
    wanted: &dyn Fn(EffectId) -> bool,
    known: &mut FxHashMap<EffectId, bool>,
) -> bool {
    if let Some(&known) = known.get(&effect) {
        return known;
    }
    known.insert(effect, false);
    let mut leads = wanted(effect);
    for below in engine.below(effect) {
        leads |= leads_to(engine, below, wanted, known);
    }
    known.insert(effect, leads);
    leads
}

fn descend(
    engine: &Engine<'_>,
    effect: EffectId,
    wanted: &dyn Fn(EffectId) -> bool,
    leads: &FxHashMap<EffectId, bool>,
    path: &mut Path,
    out: &mut Vec<Path>,
) {
    let covered = |out: &[Path], path: &Path| {
        let first = path.first().map(|call| call.0);
        out.iter()
            .any(|known: &Path| known.first().map(|call| call.0) == first && (first.is_some() || known.is_empty()))
    };
    if out.len() >= MAX_PATHS || !leads.get(&effect).copied().unwrap_or(false) {
        return;
    }
    if wanted(effect) {
        if !covered(out, path) {
            out.push(path.clone());
        }
        return;
    }
    let called = match engine.effects.get(effect) {
        Effect::Call { function, site, .. } => {
            path.push((*site, engine.function_name(*function)));
            true
        }
        _ => false,
    };
    if !(called && covered(out, path)) {
        for below in engine.below(effect) {
            descend(engine, below, wanted, leads, path, out);
        }
    }
    if called {
        path.pop();
    }
}
