//! Which ranks can never go on: each waits for one that has ended, or that waits for others which cannot go on either.

use super::Matcher;
use super::process::{Blocked, Part, ProcessId};

/// A call that can never come back.
pub(super) struct Stuck {
    pub process: ProcessId,
    pub blocked: Blocked,
}

/// The waiting call of a rank that can never go on; of several the one that has waited longest.
///
/// A rank that computes may still arrive anywhere, so whoever waits for it may go on; what is left when that has spread
/// waits for ever. Ranks that are merely slow are never part of it.
pub(super) fn stuck(matcher: &Matcher) -> Option<Stuck> {
    let count = matcher.processes.len();
    let mut may_go_on: Vec<bool> = (0..count)
        .map(|index| {
            let process = &matcher.processes[index];
            !process.is_gone() && !process.is_blocked()
        })
        .collect();
    loop {
        let mut changed = false;
        for index in 0..count {
            let process = &matcher.processes[index];
            let is_waiting = !may_go_on[index] && !process.is_gone();
            if is_waiting && process.blocked.iter().any(|blocked| can_come_back(matcher, blocked, &may_go_on)) {
                may_go_on[index] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let waiting = (0..count).filter(|index| {
        let process = &matcher.processes[*index];
        !may_go_on[*index] && !process.is_gone()
    });
    let calls = waiting.flat_map(|index| {
        let process = ProcessId(u32::try_from(index).expect("processes are counted in 32 bits"));
        matcher.processes[index].blocked.iter().map(move |blocked| Stuck { process, blocked: *blocked })
    });
    calls.min_by_key(|stuck| (stuck.blocked.since_us, stuck.process))
}

/// Whether everybody a call waits for may still come.
fn can_come_back(matcher: &Matcher, blocked: &Blocked, may_go_on: &[bool]) -> bool {
    let may_come = |rank: u32| match matcher.process_of_rank(rank) {
        Some(process) => may_go_on[process.index()],
        // Nobody has heard of it: it may be starting.
        None => !matcher.has_ended_unseen(rank),
    };
    match blocked.part {
        Part::Place(group, place) => {
            matcher.groups[group.index()].missing(place).all(|(rank, is_there)| is_there && may_come(rank))
        }
        Part::Receive(channel, place) => matcher.channels.sender_needed(channel, place).is_none_or(may_come),
        Part::Send(channel, place) => matcher.channels.receiver_needed(channel, place).is_none_or(may_come),
        Part::Alone => true,
    }
}
