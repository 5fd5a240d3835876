//! Compares the logs of the ranks while they grow, and tells where they part ways.
//!
//! Pure: events in, a verdict out; no process, file or clock. Every group has a sequence, and its members must make fitting
//! calls at each place of it ([`group`], [`calls`]); messages are paired within their channel ([`message`]); who waits for
//! somebody that never comes is stranded, at once when that one has ended, and by [`blocked`] when ranks wait for each other.
//! [`verdict`] words what was seen.

mod blocked;
mod calls;
mod facts;
mod group;
mod lane;
mod message;
mod order;
mod process;
mod summary;
mod verdict;

#[cfg(test)]
mod tests;

pub use verdict::ranks;

use rustc_hash::FxHashMap;

use self::calls::{CallId, Calls};
use self::group::{GroupId, Sequence};
use self::message::{ChannelId, Channels, Key};
use self::order::Orders;
use self::process::{Blocked, Known, Part, Process, ProcessId};
use super::event::{Event, Family, Moment, What};
use super::outcome::{Call, Ending, GroupName, LANE_TAIL, Outcome};
use super::watch::Watch;

/// How long a verdict waits for ranks that are about to arrive, in microseconds: the picture gets complete.
const SETTLING_US: u64 = 20_000;

/// How long nothing must have happened before ranks that wait for each other are looked for, in microseconds.
const QUIET_US: u64 = 30_000;

/// Cells of lanes over all ranks; large worlds keep shorter ones.
const LANE_CELLS: usize = 1 << 19;

/// What was seen that speaks for ranks having parted.
#[derive(Clone, Debug)]
struct Suspicion {
    what: Suspect,
    time_us: u64,
}

#[derive(Clone, Debug)]
enum Suspect {
    /// Calls at a place do not fit.
    Misfit(GroupId, u64),
    /// A member that is gone is waited for at a place.
    Missed(GroupId, u64),
    /// The two ends of a message do not fit.
    Message(ChannelId, u64, CallId, CallId, &'static str),
    /// Members walk the same names in different orders.
    Permuted(GroupId, u64, Vec<CallId>),
    /// A message is waited for that never comes.
    Unsent(ChannelId, ProcessId, Blocked),
}

/// The state of a run.
#[derive(Debug)]
pub struct Matcher {
    processes: Vec<Process>,
    by_pid: FxHashMap<u32, ProcessId>,
    by_rank: FxHashMap<u32, ProcessId>,
    groups: Vec<Sequence>,
    by_name: FxHashMap<(Vec<u32>, u32), GroupId>,
    /// What stands for a world of so many ranks before it exists: joining it is a collective too.
    jobs: FxHashMap<u32, GroupId>,
    calls: Calls,
    channels: Channels,
    orders: Orders,
    suspicions: Vec<Suspicion>,
    /// When the first suspicion was looked at.
    suspected_us: Option<u64>,
    last_event_us: Option<u64>,
    /// The state of `last_event_us` in which ranks that wait for each other were looked for last.
    searched_us: Option<u64>,
    unawaited: FxHashMap<CallId, u64>,
    tail: usize,
    notes: Vec<String>,
}

impl Matcher {
    /// A matcher for about `world` ranks; more may come.
    pub fn new(world: u32) -> Matcher {
        Matcher {
            processes: Vec::new(),
            by_pid: FxHashMap::default(),
            by_rank: FxHashMap::default(),
            groups: Vec::new(),
            by_name: FxHashMap::default(),
            jobs: FxHashMap::default(),
            calls: Calls::default(),
            channels: Channels::default(),
            orders: Orders::default(),
            suspicions: Vec::new(),
            suspected_us: None,
            last_event_us: None,
            searched_us: None,
            unawaited: FxHashMap::default(),
            tail: (LANE_CELLS / world.max(1) as usize).min(LANE_TAIL),
            notes: Vec::new(),
        }
    }

    fn process(&mut self, pid: u32) -> ProcessId {
        let next = ProcessId(u32::try_from(self.processes.len()).expect("processes are counted in 32 bits"));
        let (processes, tail) = (&mut self.processes, self.tail);
        *self.by_pid.entry(pid).or_insert_with(|| {
            processes.push(Process::new(pid, tail));
            next
        })
    }

    /// The process that issues the calls of a rank.
    fn process_of_rank(&self, rank: u32) -> Option<ProcessId> {
        self.by_rank.get(&rank).copied()
    }

    /// Whether a rank that never issued a call has ended: every process that bears its number has.
    fn has_ended_unseen(&self, rank: u32) -> bool {
        let mut bearers = self.processes.iter().filter(|process| process.rank == Some(rank)).peekable();
        bearers.peek().is_some() && bearers.all(Process::has_ended)
    }

    fn moment(&mut self, id: ProcessId, moment: Moment) {
        let Moment { what, call: number, time_us } = moment;
        self.last_event_us = Some(self.last_event_us.map_or(time_us, |last| last.max(time_us)));
        let process = &mut self.processes[id.index()];
        match what {
            What::Enter { signature, thread } => {
                if let Some(known) = process.signature(signature) {
                    self.enter(id, number, known, thread, time_us);
                }
            }
            What::Return | What::Raise => {
                let raised = what == What::Raise;
                if raised {
                    process.raised_call_us.get_or_insert(time_us);
                }
                let open = process.blocked.iter().find(|blocked| blocked.number == number);
                let is_asynchronous = !raised && open.is_some_and(|open| self.calls.get(open.call).asynchronous);
                let part = open.map(|open| open.part);
                process.returned(number, is_asynchronous);
                process.track.leave(number, time_us, raised);
                if let (true, Some(rank), Some(Part::Place(group, place))) = (raised, process.rank, part) {
                    let sequence = &mut self.groups[group.index()];
                    if let Some(member) = sequence.member(rank) {
                        sequence.retract(member, place);
                    }
                }
            }
            What::Wait => {
                process.waits(number, time_us);
                process.track.reopen(number);
            }
            What::Waited => {
                process.returned(number, false);
                process.track.leave(number, time_us, false);
            }
            What::Drop => {
                if let Some((call, _, _)) = process.handles.remove(&number) {
                    *self.unawaited.entry(call).or_default() += 1;
                }
            }
        }
    }

    fn enter(&mut self, id: ProcessId, number: u64, known: Known, thread: u32, time_us: u64) {
        let Known { call, family, seat } = known;
        let process = &mut self.processes[id.index()];
        process.last = Some(call);
        // What could not be watched was a part of what it does, and its log goes on.
        process.lost = false;
        process.threads = process.threads.max(thread + 1);
        if number == 0
            && let Some(rank) = process.rank
        {
            self.by_rank.insert(rank, id);
        }
        let part = match family {
            Family::Collective | Family::MakeGroup => {
                seat.map_or(Part::Alone, |(group, member)| self.arrive(group, member, call, time_us))
            }
            Family::Join => self.joins(id, call, time_us),
            Family::Send | Family::Receive => self.message(id, call, time_us),
            Family::Leave => {
                self.leave(id, call, time_us);
                Part::Alone
            }
        };
        let position = if let Part::Place(_, place) = part { place + 1 } else { 0 };
        let process = &mut self.processes[id.index()];
        process.track.enter(number, call, position, time_us);
        let blocked = Blocked { number, thread, call, part, since_us: time_us };
        process.blocked.push(blocked);
        if let Part::Receive(channel, place) = part
            && self.channels.sender_needed(channel, place).is_some_and(|rank| self.is_rank_gone(rank))
        {
            self.suspect(Suspect::Unsent(channel, id, blocked), time_us);
        }
    }

    /// Joining the job is a collective of the world, which has no group yet.
    fn joins(&mut self, id: ProcessId, call: CallId, time_us: u64) -> Part {
        let process = &mut self.processes[id.index()];
        process.left = None;
        let Some(world) = process.world else { return Part::Alone };
        let rank = process.rank;
        let group = self.job(world);
        match rank.and_then(|rank| self.groups[group.index()].member(rank)) {
            Some(member) => self.arrive(group, member, call, time_us),
            None => Part::Alone,
        }
    }

    /// A member makes its next call on a group.
    fn arrive(&mut self, group: GroupId, member: usize, call: CallId, time_us: u64) -> Part {
        let sequence = &mut self.groups[group.index()];
        let arrival = sequence.arrive(member, call, time_us);
        let is_misfit = self.calls.kind(arrival.first) != self.calls.kind(call);
        if is_misfit {
            sequence.hold(arrival.place);
        }
        sequence.shrink();
        if is_misfit {
            self.suspect(Suspect::Misfit(group, arrival.place), time_us);
        }
        if arrival.misses_somebody {
            self.suspect(Suspect::Missed(group, arrival.place), time_us);
        }
        if let Some(permuted) =
            arrival.varied.and_then(|members| self.orders.add(group, arrival.place, &members, &self.calls))
        {
            self.suspect(Suspect::Permuted(group, permuted.place, permuted.calls), time_us);
        }
        Part::Place(group, arrival.place)
    }

    fn message(&mut self, id: ProcessId, call: CallId, time_us: u64) -> Part {
        let Some(rank) = self.processes[id.index()].rank else { return Part::Alone };
        let Call { family, peer, tag, group, .. } = self.calls.get(call);
        let (family, peer, tag) = (*family, *peer, *tag);
        let group = group.as_ref().and_then(|name| self.by_name.get(&(name.ranks.clone(), name.ordinal)).copied());
        let Some(peer) = peer else {
            self.channels.receives_from_anyone(rank);
            return Part::Alone;
        };
        let (from, to) = if family == Family::Send { (rank, peer) } else { (peer, rank) };
        let channel = self.channels.id(Key { group, from, to, tag });
        let (part, misfit) = if family == Family::Send {
            let (place, misfit) = self.channels.send(channel, call, &self.calls);
            (Part::Send(channel, place), misfit)
        } else {
            let (place, misfit) = self.channels.receive(channel, call, &self.calls);
            (Part::Receive(channel, place), misfit)
        };
        if let Some(misfit) = misfit {
            let what = Suspect::Message(misfit.channel, misfit.place, misfit.send, misfit.receive, misfit.what);
            self.suspect(what, time_us);
        }
        part
    }

    /// A process leaves one group, or the job.
    fn leave(&mut self, id: ProcessId, call: CallId, time_us: u64) {
        let group = self.calls.get(call).group.clone().filter(|group| !group.world);
        match group.and_then(|name| self.by_name.get(&(name.ranks, name.ordinal)).copied()) {
            Some(group) => self.gone(id, group, time_us),
            None => {
                self.processes[id.index()].left = Some(call);
                let job: Vec<GroupId> = self.jobs.values().copied().collect();
                for group in self.groups_of(id).filter(|group| !job.contains(group)).collect::<Vec<_>>() {
                    self.gone(id, group, time_us);
                }
                self.unsent(id, time_us);
            }
        }
    }

    /// Groups that a process is a member of, in the order of their making.
    fn groups_of(&self, id: ProcessId) -> impl Iterator<Item = GroupId> + use<'_> {
        let rank = self.processes[id.index()].rank;
        let groups = self.groups.iter().enumerate();
        groups
            .filter(move |(_, group)| rank.is_some_and(|rank| group.member(rank).is_some()))
            .map(|(index, _)| GroupId(u32::try_from(index).expect("groups are counted in 32 bits")))
    }

    fn gone(&mut self, id: ProcessId, group: GroupId, time_us: u64) {
        let sequence = &mut self.groups[group.index()];
        let member = self.processes[id.index()].rank.and_then(|rank| sequence.member(rank));
        if let Some(place) = member.and_then(|member| sequence.leave(member)) {
            self.suspect(Suspect::Missed(group, place), time_us);
        }
    }

    /// Receives that wait for a process which is gone.
    fn unsent(&mut self, id: ProcessId, time_us: u64) {
        let Some(rank) = self.processes[id.index()].rank else { return };
        let mut found = Vec::new();
        for (index, process) in self.processes.iter().enumerate() {
            for blocked in &process.blocked {
                if let Part::Receive(channel, place) = blocked.part
                    && self.channels.sender_needed(channel, place) == Some(rank)
                {
                    let id = ProcessId(u32::try_from(index).expect("processes are counted in 32 bits"));
                    found.push(Suspect::Unsent(channel, id, *blocked));
                }
            }
        }
        found.into_iter().for_each(|what| self.suspect(what, time_us));
    }

    fn is_rank_gone(&self, rank: u32) -> bool {
        match self.process_of_rank(rank) {
            Some(process) => self.processes[process.index()].is_gone(),
            None => self.has_ended_unseen(rank),
        }
    }

    fn suspect(&mut self, what: Suspect, time_us: u64) {
        // The first ones explain; what follows are consequences.
        if self.suspicions.len() < 256 {
            self.suspicions.push(Suspicion { what, time_us });
        }
    }
}

/// The name of what ranks join.
const THE_JOB: &str = "the job";

fn the_job(world: u32) -> GroupName {
    GroupName { ranks: (0..world).collect(), ordinal: 0, label: THE_JOB.into(), world: false }
}

impl Watch for Matcher {
    fn event(&mut self, pid: u32, event: &Event) {
        let id = self.process(pid);
        match event {
            Event::Fact(fact) => self.fact(id, fact),
            Event::Moment(moment) => self.moment(id, *moment),
        }
    }

    fn ended(&mut self, pid: u32, ending: &Ending) {
        let id = self.process(pid);
        let process = &mut self.processes[id.index()];
        process.ending = Some(ending.clone());
        self.searched_us = None;
        let Some(rank) = process.rank.filter(|_| process.has_ended()) else { return };
        let is_the_rank = match self.process_of_rank(rank) {
            Some(process) => process == id,
            None => self.has_ended_unseen(rank),
        };
        if is_the_rank {
            let groups: Vec<GroupId> = self.groups_of(id).collect();
            groups.into_iter().for_each(|group| self.gone(id, group, ending.time_us));
            self.unsent(id, ending.time_us);
        }
    }

    fn verdict(&mut self, now_us: u64) -> Option<Outcome> {
        if !self.suspicions.is_empty() {
            let since = *self.suspected_us.get_or_insert(now_us);
            let is_settled = now_us.saturating_sub(since) >= SETTLING_US || now_us == u64::MAX;
            return (is_settled || self.is_complete()).then(|| self.worded()).flatten();
        }
        let is_quiet = self.last_event_us.is_some_and(|last| now_us.saturating_sub(last) >= QUIET_US);
        if !is_quiet || self.searched_us == self.last_event_us {
            return None;
        }
        self.searched_us = self.last_event_us;
        let stuck = blocked::stuck(self)?;
        Some(self.stuck(&stuck))
    }

    fn is_anyone_waiting(&self) -> bool {
        self.processes.iter().any(|process| process.ending.is_none() && !process.blocked.is_empty())
    }

    fn last_event_us(&self) -> Option<u64> {
        self.last_event_us
    }
}
