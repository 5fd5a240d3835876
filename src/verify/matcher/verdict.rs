//! From what was seen to a verdict in words.

use crate::verify::event::Family;
use crate::verify::outcome::{Call, Divergence, Doing, GroupName, Outcome, Side};

use super::blocked::Stuck;
use super::calls::CallId;
use super::group::GroupId;
use super::message::{ChannelId, Key};
use super::process::{Part, Process};
use super::{Matcher, Suspect, Suspicion, THE_JOB};

impl Matcher {
    /// The suspicion that explains the others: the earliest one that is no consequence of another. Logs are read one after
    /// the other, so the first one seen need not be it.
    fn first_suspicion(&self) -> Option<&Suspicion> {
        self.suspicions.iter().min_by_key(|suspicion| (self.is_consequence(suspicion), suspicion.time_us))
    }

    /// Whether its ranks went down because a call of theirs had failed, or had parted at an earlier place of their group.
    fn is_consequence(&self, suspicion: &Suspicion) -> bool {
        match &suspicion.what {
            Suspect::Missed(group, place) => self.groups[group.index()]
                .missing(*place)
                .filter(|(_, may_come)| !may_come)
                .all(|(rank, _)| self.has_failed_in_a_call(rank)),
            Suspect::Unsent(channel, ..) => self.has_failed_in_a_call(self.channels.key(*channel).from),
            Suspect::Misfit(group, place) => self
                .suspicions
                .iter()
                .any(|other| matches!(&other.what, Suspect::Misfit(same, earlier) if same == group && earlier < place)),
            Suspect::Message(..) | Suspect::Permuted(..) => false,
        }
    }

    fn has_failed_in_a_call(&self, rank: u32) -> bool {
        self.process_of_rank(rank).is_some_and(|process| self.processes[process.index()].raised_call_us.is_some())
    }

    fn have_failed_in_a_call(&self, side: &Side) -> bool {
        side.ranks.iter().all(|rank| self.has_failed_in_a_call(*rank))
    }

    /// Whether nobody is under way any more to the place that the verdict will speak of.
    pub(super) fn is_complete(&self) -> bool {
        match self.first_suspicion().map(|suspicion| &suspicion.what) {
            Some(Suspect::Misfit(group, place) | Suspect::Missed(group, place)) => {
                self.groups[group.index()].is_settled(*place)
            }
            _ => false,
        }
    }

    /// The verdict that the suspicions lead to.
    pub(super) fn worded(&self) -> Option<Outcome> {
        let suspicion = self.first_suspicion()?;
        Some(match &suspicion.what {
            Suspect::Misfit(group, place) => self.misfit(*group, *place, suspicion.time_us),
            Suspect::Missed(group, place) => self.missed(*group, *place, suspicion.time_us),
            Suspect::Permuted(group, place, calls) => self.permuted(*group, *place, calls, suspicion.time_us),
            Suspect::Message(channel, place, send, receive, what) => {
                let key = self.channels.key(*channel);
                let sides = vec![self.issues(vec![key.from], *send), self.issues(vec![key.to], *receive)];
                let message = format!(
                    "{} differs between the ends of a message: rank {} sends {}, rank {} expects {}",
                    what,
                    key.from,
                    tensors(self.calls.get(*send)),
                    key.to,
                    tensors(self.calls.get(*receive))
                );
                let (group, position) = (ends(key), place + 1);
                let divergence =
                    Divergence { message, differs: what, group, position, sides, time_us: suspicion.time_us };
                Outcome::Mismatched(Box::new(divergence))
            }
            Suspect::Unsent(channel, process, blocked) => {
                let waiting = self.processes[process.index()].rank.unwrap_or_default();
                self.unsent_message(*channel, waiting, blocked.call, suspicion.time_us)
            }
        })
    }

    fn misfit(&self, group: GroupId, place: u64, time_us: u64) -> Outcome {
        let mut sides = self.sides(group, place);
        sides.sort_by_key(|side| std::cmp::Reverse(side.ranks.len()));
        let issued: Vec<(&Side, &Call)> = sides
            .iter()
            .filter_map(|side| if let Doing::Issues(call) = &side.doing { Some((side, &**call)) } else { None })
            .collect();
        let differs = self.difference_at(group, place).unwrap_or("operation");
        let each = issued.iter().map(|(side, call)| match differs {
            "operation" => format!("{} {} {}", ranks(&side.ranks), issue(&side.ranks), call.op),
            "members" => format!("{} {} a group of {}", ranks(&side.ranks), make(&side.ranks), ranks(&call.members)),
            _ => format!("{} on {}", aspect(call, differs), ranks(&side.ranks)),
        });
        let each = each.collect::<Vec<_>>().join(", ");
        let op = issued.first().map(|(_, call)| call.op.clone()).unwrap_or_default();
        let message = match differs {
            "operation" => format!("ranks issue different operations at the same place: {each}"),
            "members" => format!("ranks make different groups at the same place: {each}"),
            _ => format!("{differs} of {op} differs between ranks: {each}"),
        };
        let group = self.groups[group.index()].name.clone();
        let divergence = Box::new(Divergence { message, differs, group, position: place + 1, sides, time_us });
        if matches!(differs, "operation" | "members") {
            Outcome::Diverged(divergence)
        } else {
            Outcome::Mismatched(divergence)
        }
    }

    fn difference_at(&self, group: GroupId, place: u64) -> Option<&'static str> {
        let (_, cells) = self.groups[group.index()].at(place)?;
        let calls: Vec<CallId> = cells.filter_map(|(_, call)| call).collect();
        let first = *calls.first()?;
        // Of several differences the coarsest one explains the others.
        let order = ["operation", "members", "place", "root", "reduce op", "dtype", "shape"];
        let found = calls.iter().filter_map(|call| self.calls.difference(first, *call));
        found.min_by_key(|what| order.iter().position(|known| known == what))
    }

    fn missed(&self, group: GroupId, place: u64, time_us: u64) -> Outcome {
        let mut sides = self.sides(group, place);
        // The cause comes last; ranks that are gone because a call of theirs has failed are none.
        sides.sort_by_key(|side| match side.doing {
            Doing::Issues(_) => 0,
            Doing::Away(_) => 1,
            Doing::Waits(_) => 2,
            Doing::Left(_) | Doing::Ended { .. } if self.have_failed_in_a_call(side) => 3,
            Doing::Left(_) | Doing::Ended { .. } => 4,
        });
        let waiting: Vec<u32> = merged(&sides, |doing| matches!(doing, Doing::Issues(_)));
        let why: Vec<String> = sides.iter().filter_map(gone).collect();
        let why = why.join(", ");
        let message = match sides.first().map(|side| &side.doing) {
            Some(Doing::Issues(call)) => {
                format!("{} {} in {} for ever: {why}", ranks(&waiting), wait(&waiting), call.op)
            }
            // Whoever waited has been told by the library that its peers are gone, and is gone as well.
            _ => format!("ranks were waited for that do not come: {why}"),
        };
        let group = self.groups[group.index()].name.clone();
        Outcome::Stranded(Box::new(Divergence {
            message,
            differs: "count",
            group,
            position: place + 1,
            sides,
            time_us,
        }))
    }

    fn permuted(&self, group: GroupId, place: u64, calls: &[CallId], time_us: u64) -> Outcome {
        let name = self.groups[group.index()].name.clone();
        let mut sides: Vec<Side> = Vec::new();
        for (rank, call) in name.ranks.iter().zip(calls) {
            let label = &self.calls.get(*call).label;
            let known =
                sides.iter_mut().find(|side| matches!(&side.doing, Doing::Issues(known) if known.label == *label));
            match known {
                Some(side) => side.ranks.push(*rank),
                None => sides.push(self.issues(vec![*rank], *call)),
            }
        }
        sides.sort_by_key(|side| std::cmp::Reverse(side.ranks.len()));
        let each = sides.iter().filter_map(|side| match &side.doing {
            Doing::Issues(call) => Some(format!("{} with {}", ranks(&side.ranks), call.label)),
            _ => None,
        });
        let op = calls.first().map(|call| self.calls.get(*call).op.clone()).unwrap_or_default();
        let message = format!(
            "ranks go through the same names in different orders: {op} is issued by {}",
            each.collect::<Vec<_>>().join(", by ")
        );
        let position = place + 1;
        Outcome::Diverged(Box::new(Divergence { message, differs: "order", group: name, position, sides, time_us }))
    }

    fn unsent_message(&self, channel: ChannelId, waiting: u32, call: CallId, time_us: u64) -> Outcome {
        let key = self.channels.key(channel);
        let away = self.doing_elsewhere(key.from);
        let sides = vec![self.issues(vec![waiting], call), Side { ranks: vec![key.from], doing: away }];
        let why: Vec<String> = sides.iter().filter_map(gone).collect();
        let message = format!("rank {waiting} waits in {} for ever: {}", self.calls.get(call).op, why.join(", "));
        Outcome::Stranded(Box::new(Divergence {
            message,
            differs: "count",
            group: ends(key),
            position: 0,
            sides,
            time_us,
        }))
    }

    /// The verdict on ranks that wait for each other.
    pub(super) fn stuck(&self, stuck: &Stuck) -> Outcome {
        let time_us = self.last_event_us.unwrap_or_default();
        let rank = self.processes[stuck.process.index()].rank.unwrap_or_default();
        let (group, position, mut sides) = match stuck.blocked.part {
            Part::Place(group, place) => (self.groups[group.index()].name.clone(), place + 1, self.sides(group, place)),
            Part::Receive(channel, place) | Part::Send(channel, place) => {
                let key = self.channels.key(channel);
                let other = if key.from == rank { key.to } else { key.from };
                let sides = vec![
                    self.issues(vec![rank], stuck.blocked.call),
                    Side { ranks: vec![other], doing: self.doing_elsewhere(other) },
                ];
                (ends(key), place + 1, sides)
            }
            Part::Alone => {
                (GroupName { ranks: vec![rank], ordinal: 0, label: String::new(), world: false }, 0, Vec::new())
            }
        };
        sides.sort_by_key(|side| !matches!(side.doing, Doing::Issues(_)));
        let each = sides.iter().filter_map(|side| match &side.doing {
            Doing::Issues(call) | Doing::Waits(call) => Some(format!("{} in {}", ranks(&side.ranks), with_group(call))),
            _ => gone(side),
        });
        let message = format!("ranks wait for each other: {}", each.collect::<Vec<_>>().join(", "));
        Outcome::Stranded(Box::new(Divergence { message, differs: "order", group, position, sides, time_us }))
    }

    /// The members of a group by what they do at a place.
    fn sides(&self, group: GroupId, place: u64) -> Vec<Side> {
        let mut sides: Vec<Side> = Vec::new();
        let mut by_kind = Vec::new();
        let Some((_, cells)) = self.groups[group.index()].at(place) else { return sides };
        for (rank, cell) in cells {
            if let Some(call) = cell {
                let kind = self.calls.kind(call);
                match by_kind.iter().find(|(known, _)| *known == kind) {
                    Some((_, index)) => {
                        let side: &mut Side = &mut sides[*index];
                        side.ranks.push(rank);
                    }
                    None => {
                        by_kind.push((kind, sides.len()));
                        sides.push(self.issues(vec![rank], call));
                    }
                }
                continue;
            }
            let doing = self.doing_elsewhere(rank);
            match sides.iter_mut().find(|side| side.doing == doing) {
                Some(side) => side.ranks.push(rank),
                None => sides.push(Side { ranks: vec![rank], doing }),
            }
        }
        sides
    }

    fn issues(&self, ranks: Vec<u32>, call: CallId) -> Side {
        Side { ranks, doing: Doing::Issues(Box::new(self.calls.get(call).clone())) }
    }

    /// What a rank does that is not where others are.
    fn doing_elsewhere(&self, rank: u32) -> Doing {
        let unseen = || self.processes.iter().find(|process| process.rank == Some(rank));
        let Some(process) = self.process_of_rank(rank).map(|id| &self.processes[id.index()]).or_else(unseen) else {
            return Doing::Away(None);
        };
        let boxed = |call: CallId| Box::new(self.calls.get(call).clone());
        if let Some(raised) = &process.raised {
            let how = format!("{}: {}", raised.class, raised.message.lines().next().unwrap_or_default());
            return Doing::Ended { how, frames: raised.frames.clone(), last: process.last.map(boxed) };
        }
        if let Some(left) = process.left {
            return Doing::Left(boxed(left));
        }
        if process.ending.is_some() {
            return Doing::Ended { how: ended(process), frames: Vec::new(), last: process.last.map(boxed) };
        }
        match process.blocked.iter().min_by_key(|blocked| blocked.since_us) {
            Some(blocked) => Doing::Waits(boxed(blocked.call)),
            None => Doing::Away(process.last.map(boxed)),
        }
    }
}

fn ended(process: &Process) -> String {
    let Some(ending) = &process.ending else { return String::new() };
    match (ending.signal, ending.code) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "exit code unknown".into(),
    }
}

/// Why ranks do not come, in words; nothing for those who are there.
fn gone(side: &Side) -> Option<String> {
    let who = ranks(&side.ranks);
    let (has, is) = if side.ranks.len() == 1 { ("has", "is") } else { ("have", "are") };
    Some(match &side.doing {
        Doing::Issues(_) => return None,
        Doing::Left(call) => format!("{who} {has} left by {}", call.op),
        Doing::Ended { how, .. } => format!("{who} {has} ended ({how})"),
        Doing::Waits(call) => format!("{who} {} in {}", wait(&side.ranks), with_group(call)),
        Doing::Away(_) => format!("{who} {is} elsewhere"),
    })
}

fn with_group(call: &Call) -> String {
    match (&call.group, call.peer, call.family) {
        (_, Some(peer), Family::Send) => format!("{} to rank {peer}", call.op),
        (_, Some(peer), _) => format!("{} from rank {peer}", call.op),
        (Some(group), None, _) if !group.world && group.label != THE_JOB => {
            // Groups with the same members are told apart by the order of their making.
            let which = if group.ordinal > 0 { format!(" (number {})", group.ordinal + 1) } else { String::new() };
            format!("{} on the group of {}{which}", call.op, ranks(&group.ranks))
        }
        _ => call.op.clone(),
    }
}

fn ends(key: Key) -> GroupName {
    let mut ranks = vec![key.from, key.to];
    ranks.sort_unstable();
    ranks.dedup();
    GroupName { ranks, ordinal: 0, label: "message".into(), world: false }
}

/// What of a call differs, in words.
fn aspect(call: &Call, differs: &str) -> String {
    match differs {
        "place" => call.place.clone(),
        "root" => call.root.map_or_else(|| "none".into(), |root| root.to_string()),
        "reduce op" => call.reduce.clone().unwrap_or_else(|| "none".into()),
        _ => tensors(call),
    }
}

fn tensors(call: &Call) -> String {
    let shown = call.tensors.iter().take(3).map(|tensor| {
        let sizes: Vec<String> = tensor.shape.iter().map(i64::to_string).collect();
        format!("{}[{}]", tensor.dtype, sizes.join(", "))
    });
    let more = if call.tensors.len() > 3 { ", …" } else { "" };
    format!("{}{more}", shown.collect::<Vec<_>>().join(", "))
}

fn merged(sides: &[Side], wanted: impl Fn(&Doing) -> bool) -> Vec<u32> {
    let mut ranks: Vec<u32> =
        sides.iter().filter(|side| wanted(&side.doing)).flat_map(|side| side.ranks.iter().copied()).collect();
    ranks.sort_unstable();
    ranks
}

/// Ranks in words: `rank 3`, `ranks 0-2 and 5`.
pub fn ranks(ranks: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*rank) => *last = *rank,
            _ => runs.push((*rank, *rank)),
        }
    }
    let mut words: Vec<String> = Vec::new();
    for (first, last) in runs {
        match last - first {
            0 => words.push(first.to_string()),
            1 => words.extend([first.to_string(), last.to_string()]),
            _ => words.push(format!("{first}-{last}")),
        }
    }
    let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
    match words.split_last() {
        None => "no rank".into(),
        Some((last, [])) => format!("{noun} {last}"),
        Some((last, rest)) => format!("{noun} {} and {last}", rest.join(", ")),
    }
}

fn issue(ranks: &[u32]) -> &'static str {
    if ranks.len() == 1 { "issues" } else { "issue" }
}

fn make(ranks: &[u32]) -> &'static str {
    if ranks.len() == 1 { "makes" } else { "make" }
}

fn wait(ranks: &[u32]) -> &'static str {
    if ranks.len() == 1 { "waits" } else { "wait" }
}
