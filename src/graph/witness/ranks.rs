//! Two ranks, and what each of them does, in words.

use crate::base::Site;
use crate::finding::{WitnessEvent, WitnessRank};
use crate::flow::{Assignment, Concrete, Decided, Effect, EffectId, Evaluator, EventId, Exit, Parting, Reached, Truth};

use super::super::blame::Blame;
use super::super::evaluate::Engine;
use super::super::origin::{group_name, snippet};
use super::{Decision, Found};

/// How a rank goes on that does not issue the event.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    how: &'static str,
    pub(super) site: Site,
}

/// The first exit under the arm that a class takes.
fn leaving(engine: &Engine<'_>, cause: Parting, decided: Decided) -> Option<Leaving> {
    let arms = match (engine.effects.get(cause.effect), decided) {
        (Effect::Choice { then, .. }, Decided::Truth(Truth::Known(true))) => vec![*then],
        (Effect::Choice { otherwise, .. }, Decided::Truth(Truth::Known(false))) => vec![*otherwise],
        (Effect::Choice { then, otherwise, .. }, _) => vec![*then, *otherwise],
        _ => return None,
    };
    let mut raises = None;
    // Effects, and whether a loop of the arm's own is around them: who leaves that, or goes round it, is still in the arm.
    let mut pending: Vec<(EffectId, bool)> = arms.into_iter().rev().map(|arm| (arm, false)).collect();
    while let Some((effect, turns)) = pending.pop() {
        match engine.effects.get(effect) {
            Effect::Call { .. } => {}
            Effect::Exit(Exit::Break | Exit::Continue, _) if turns => {}
            Effect::Loop { body, orelse, .. } => pending.extend([(*orelse, turns), (*body, true)]),
            Effect::Exit(exit, site) => {
                let how = match exit {
                    Exit::Return => "returns",
                    Exit::Break => "leaves the loop",
                    Exit::Continue => "skips the rest of this turn",
                    Exit::Raise(_) => {
                        raises = raises.or(Some(Leaving { how: "raises", site: *site }));
                        continue;
                    }
                    Exit::Done => "ends",
                    Exit::Abort => continue,
                };
                return Some(Leaving { how, site: *site });
            }
            _ => pending.extend(engine.below(effect).into_iter().rev().map(|below| (below, turns))),
        }
    }
    raises
}

/// How each of the two ranks leaves, if it does not come to an event.
pub(super) fn exits(engine: &Engine<'_>, blame: &Blame) -> [Option<Leaving>; 2] {
    let Some(cause) = blame.cause.filter(|_| !blame.inside) else { return [None; 2] };
    let exit = |reached: Reached, decided| match reached {
        Reached::Event(_) => None,
        _ => leaving(engine, cause, decided),
    };
    [exit(blame.difference.one, cause.one), exit(blame.difference.other, cause.other)]
}

pub(super) fn witness(
    engine: &Engine<'_>,
    found: &Found,
    blame: &Blame,
    decision: Option<Decision>,
    site: Site,
) -> Vec<WitnessRank> {
    let sides = [(&found.one, blame.difference.one), (&found.other, blame.difference.other)];
    let before: Vec<WitnessEvent> = blame
        .difference
        .before
        .iter()
        .rev()
        .take(2)
        .rev()
        .map(|&event| witness_event(engine, event, found, &found.one))
        .collect();
    let mut out: Vec<(bool, WitnessRank)> = Vec::new();
    let exits = exits(engine, blame);
    for (at, (class, reached)) in sides.into_iter().enumerate() {
        let first = at == 0;
        let mut trace = before.clone();
        let issues = matches!(reached, Reached::Event(_));
        let step = |op: &str, site: Site| WitnessEvent { op: op.to_owned(), group: String::new(), site };
        let place = decision.map_or(site, |decision| decision.site);
        trace.push(match (reached, exits[at]) {
            (Reached::Event(event), _) => witness_event(engine, event, found, class),
            (_, Some(exit)) => step(exit.how, exit.site),
            (Reached::End, None) => step("goes on without it", place),
            (Reached::Again, None) => step("takes another turn", place),
            (Reached::Leave, None) => step("leaves the loop", place),
        });
        out.push((issues, WitnessRank { rank: rank_name(engine, found, blame, decision, first, class), trace }));
    }
    // The rank that issues something comes first: the other is the one that is missing.
    out.sort_by_key(|(issues, _)| !issues);
    let mut out: Vec<WitnessRank> = out.into_iter().map(|(_, rank)| rank).collect();
    if let [first, second] = &mut out[..]
        && let Some((before, _)) = first.rank.split_once('`')
        && second.rank.starts_with("a rank w")
    {
        // The condition is in the first name; the second says the opposite.
        second.rank = match (before.contains("turns"), second.rank.ends_with("does not hold")) {
            (true, _) if before.contains("more") => "a rank with fewer".to_owned(),
            (true, _) => "a rank with more".to_owned(),
            (false, true) => "a rank where it does not".to_owned(),
            (false, false) => "a rank where it does".to_owned(),
        };
    }
    out
}

/// A class of ranks as a person would call it.
fn rank_name(
    engine: &Engine<'_>,
    found: &Found,
    blame: &Blame,
    decision: Option<Decision>,
    first: bool,
    class: &Assignment,
) -> String {
    if found.one.rank != found.other.rank {
        return format!("rank {}", class.rank);
    }
    let axis = found.one.coordinates.iter().find(|(axis, at)| found.other.coordinates.get(axis) != Some(at));
    if let Some((axis, _)) = axis {
        let at = class.coordinates.get(axis).copied().unwrap_or(0);
        let axis = engine.axes_name(*axis).unwrap_or_else(|| "group".to_owned());
        return format!("{axis} rank {at}");
    }
    let known = |decided: Decided| match decided {
        Decided::Truth(Truth::Known(known)) => Some(known),
        _ => None,
    };
    let holds = blame.cause.and_then(|cause| {
        let (mine, others) = if first { (cause.one, cause.other) } else { (cause.other, cause.one) };
        known(mine).or_else(|| known(others).map(|others| !others))
    });
    match (decision, holds) {
        (Some(decision), Some(holds)) => {
            let text = snippet(engine, decision.site);
            match (decision.is_loop, holds) {
                (true, true) => format!("a rank with more turns of `{text}`"),
                (true, false) => format!("a rank with fewer turns of `{text}`"),
                (false, true) => format!("a rank where `{text}` holds"),
                (false, false) => format!("a rank where `{text}` does not hold"),
            }
        }
        _ if matches!(if first { blame.difference.one } else { blame.difference.other }, Reached::Event(_)) => {
            "one rank".to_owned()
        }
        _ => "another rank".to_owned(),
    }
}

fn witness_event(engine: &Engine<'_>, event: EventId, found: &Found, class: &Assignment) -> WitnessEvent {
    let own = own_members(engine, event, found, class);
    let event = engine.effects.event(event);
    WitnessEvent {
        op: event.op.as_str().to_owned(),
        group: own.unwrap_or_else(|| group_name(engine, &found.group, event.group)),
        site: event.site,
    }
}

/// The ranks of which a class makes a group, where the other one makes it of others.
fn own_members(engine: &Engine<'_>, event: EventId, found: &Found, class: &Assignment) -> Option<String> {
    let members = engine.effects.event(event).members?;
    let by = |class| Evaluator::new(&engine.values, found.world, class);
    if by(&found.one).members_wire(Some(members)) == by(&found.other).members_wire(Some(members)) {
        return None;
    }
    let rank = |rank: Concrete| match rank {
        Concrete::Int(rank) => Some(rank.to_string()),
        _ => None,
    };
    let known = match by(class).value(members) {
        Concrete::Tuple(ranks) => ranks.into_iter().map(rank).collect::<Option<Vec<String>>>(),
        _ => None,
    };
    Some(
        known
            .filter(|ranks| !ranks.is_empty())
            .map_or("its own ranks".to_owned(), |ranks| format!("ranks {}", ranks.join(", "))),
    )
}
