//! What is known of one process: the names its log uses, the calls that are open, how it ended.

use rustc_hash::FxHashMap;

use crate::verify::event::{Family, Frame, Raised, Start};
use crate::verify::outcome::Ending;

use super::calls::CallId;
use super::group::GroupId;
use super::lane::Track;
use super::message::ChannelId;

/// A process of the run; the index into the matcher's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ProcessId(pub u32);

impl ProcessId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a call takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A place of a group's sequence.
    Place(GroupId, u64),
    /// The n-th receive of a channel.
    Receive(ChannelId, u64),
    /// The n-th send of a channel.
    Send(ChannelId, u64),
    /// Nothing that others wait for.
    Alone,
}

/// A call that a process may make, as far as it is the same every time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// What it is.
    pub call: CallId,
    /// How it is compared.
    pub family: Family,
    /// The group, and which of its members this process is; nothing where it is none.
    pub seat: Option<(GroupId, usize)>,
}

/// A call that has been entered and has not come back, or whose handle is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocked {
    /// Its number in the process.
    pub number: u64,
    /// The thread that waits.
    pub thread: u32,
    /// What it is.
    pub call: CallId,
    /// What it takes part in.
    pub part: Part,
    /// Since when.
    pub since_us: u64,
}

/// One process.
#[derive(Debug)]
pub(super) struct Process {
    /// What it said when it started.
    pub start: Option<Start>,
    /// Its process number.
    pub pid: u32,
    /// Its rank in the world, once known.
    pub rank: Option<u32>,
    /// Size of the world, once known.
    pub world: Option<u32>,
    /// Groups of the run by the number the log uses.
    pub groups: FxHashMap<u32, GroupId>,
    /// Stacks by the number the log uses.
    pub sites: FxHashMap<u32, Vec<Frame>>,
    /// Calls by the number the log uses, with the group and this process's position in it.
    pub signatures: Vec<Option<Known>>,
    /// Calls that wait now.
    pub blocked: Vec<Blocked>,
    /// Calls that returned a handle which is not yet waited for.
    pub handles: FxHashMap<u64, (CallId, Part, u32)>,
    /// Number of threads that have issued calls.
    pub threads: u32,
    /// The call by which it left the job.
    pub left: Option<CallId>,
    /// Its last call.
    pub last: Option<CallId>,
    /// When a call of it raised first: what it does afterwards may be a consequence.
    pub raised_call_us: Option<u64>,
    /// The exception it goes down with.
    pub raised: Option<Raised>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Whether it does more than its log tells.
    pub lost: bool,
    /// What reports show of it.
    pub track: Track,
}

/// More handles than this are not followed.
const MAX_HANDLES: usize = 1 << 16;

impl Process {
    pub fn new(pid: u32, tail: usize) -> Process {
        Process {
            start: None,
            pid,
            rank: None,
            world: None,
            groups: FxHashMap::default(),
            sites: FxHashMap::default(),
            signatures: Vec::new(),
            blocked: Vec::new(),
            handles: FxHashMap::default(),
            threads: 0,
            left: None,
            last: None,
            raised_call_us: None,
            raised: None,
            ending: None,
            lost: false,
            track: Track::new(tail),
        }
    }

    /// The call that a number of the log stands for.
    pub fn signature(&self, number: u32) -> Option<Known> {
        self.signatures.get(number as usize).copied().flatten()
    }

    /// A call has come back; an asynchronous one leaves a handle.
    pub fn returned(&mut self, number: u64, is_asynchronous: bool) {
        let Some(index) = self.blocked.iter().position(|blocked| blocked.number == number) else { return };
        let blocked = self.blocked.swap_remove(index);
        if is_asynchronous && self.handles.len() < MAX_HANDLES {
            self.handles.insert(number, (blocked.call, blocked.part, blocked.thread));
        }
    }

    /// Somebody waits for a handle.
    pub fn waits(&mut self, number: u64, time_us: u64) {
        if let Some((call, part, thread)) = self.handles.remove(&number) {
            self.blocked.push(Blocked { number, thread, call, part, since_us: time_us });
        }
    }

    /// Whether every thread that issues calls waits in one.
    pub fn is_blocked(&self) -> bool {
        !self.blocked.is_empty() && self.blocked.len() >= self.threads as usize
    }

    /// Whether it issues no call any more, as far as is known now.
    pub fn is_gone(&self) -> bool {
        self.left.is_some() || self.has_ended()
    }

    /// Whether it has ended, and its log tells all it has done.
    pub fn has_ended(&self) -> bool {
        self.ending.is_some() && !self.lost
    }

    /// Its log tells no more of it: what it waits for, and whether it still does, cannot be known.
    pub fn lose(&mut self) {
        self.lost = true;
        self.blocked.clear();
        self.handles.clear();
    }

    /// It has become another program, which counts its calls from the beginning.
    pub fn replaced(&mut self) {
        self.groups.clear();
        self.sites.clear();
        self.signatures.clear();
        self.blocked.clear();
        self.handles.clear();
        self.threads = 0;
    }
}
