//! How a run ends, and what is known about it: plain data that reports render.

use serde::Serialize;

use super::event::{Family, Frame, Tensor};
use crate::finding::Evidence;

/// How a run, or one check of a plan, has ended. Only [`Outcome::Passed`] is a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every rank has ended with 0 and the ranks stayed in step.
    Passed,
    /// A rank has ended with another code, and no other explanation came first.
    Failed {
        /// The rank that was first.
        rank: u32,
        /// Its exit code.
        code: i32,
    },
    /// A rank was ended by a signal that ranklint did not send.
    Signalled {
        /// The rank that was first.
        rank: u32,
        /// The signal.
        signal: i32,
    },
    /// Ranks issued different operations at the same place of a group's sequence.
    Diverged(Box<Divergence>),
    /// Ranks issued the same operation with parameters that do not fit each other.
    Mismatched(Box<Divergence>),
    /// Ranks wait for others that have ended, or that wait elsewhere for them.
    Stranded(Box<Divergence>),
    /// Nothing has happened for the stall time-out, and nothing in the logs says why.
    Stalled {
        /// The stall time-out, in seconds.
        seconds: u64,
    },
    /// The time-out of the whole run has passed.
    TimedOut {
        /// The time-out, in seconds.
        seconds: u64,
    },
    /// The program has ended well and left processes behind, which were killed.
    Leaked {
        /// Their process numbers and command lines.
        processes: Vec<String>,
    },
    /// The user has ended it (SIGINT, SIGTERM, SIGHUP).
    Interrupted {
        /// The signal.
        signal: i32,
    },
    /// It was not run.
    Skipped {
        /// Why.
        why: String,
    },
    /// It could not be run: what was tried, what came of it, and the remedy.
    Blocked {
        /// What was tried and what each attempt returned.
        tried: Vec<String>,
        /// What to do.
        remedy: String,
    },
}

impl Outcome {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed { .. } => "failed",
            Outcome::Signalled { .. } => "signalled",
            Outcome::Diverged(_) => "diverged",
            Outcome::Mismatched(_) => "mismatched",
            Outcome::Stranded(_) => "stranded",
            Outcome::Stalled { .. } => "stalled",
            Outcome::TimedOut { .. } => "timed_out",
            Outcome::Leaked { .. } => "leaked",
            Outcome::Interrupted { .. } => "interrupted",
            Outcome::Skipped { .. } => "skipped",
            Outcome::Blocked { .. } => "blocked",
        }
    }

    /// Where the ranks part, if that is how it ended.
    pub fn divergence(&self) -> Option<&Divergence> {
        match self {
            Outcome::Diverged(divergence) | Outcome::Mismatched(divergence) | Outcome::Stranded(divergence) => {
                Some(divergence)
            }
            _ => None,
        }
    }
}

/// Where ranks part ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Divergence {
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// What differs: `operation`, `reduce op`, `root`, `shape`, `dtype`, `order`, `count`, `members`, `place`; or empty.
    pub differs: &'static str,
    /// The group, or the two ends of a message.
    pub group: GroupName,
    /// Place in the group's sequence, from 1.
    pub position: u64,
    /// The ranks by what they do there; each rank of the group is on one side. The side to blame, where one can be told, is last.
    pub sides: Vec<Side>,
    /// When it could be seen first, on the monotonic clock in microseconds.
    pub time_us: u64,
}

/// A group in words that are the same on every rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct GroupName {
    /// Members as ranks in the world, sorted.
    pub ranks: Vec<u32>,
    /// Tells groups with the same members apart.
    pub ordinal: u32,
    /// What people call it, or empty.
    pub label: String,
    /// Whether it is the default group.
    pub world: bool,
}

/// Ranks that do the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Sorted.
    pub ranks: Vec<u32>,
    /// What they do.
    pub doing: Doing,
}

/// What a rank does where others do something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// It issues this call at that place.
    Issues(Box<Call>),
    /// It waits in another call.
    Waits(Box<Call>),
    /// It has left the group, or the job, by this call.
    Left(Box<Call>),
    /// It has ended without getting there; its last call, if it made one.
    Ended {
        /// Exit code, signal or exception, in words.
        how: String,
        /// Where an exception was raised, innermost first.
        frames: Vec<Frame>,
        /// The last call it made, if it made one.
        last: Option<Box<Call>>,
    },
    /// It is somewhere else and has not come there; its last call, if it made one.
    Away(Option<Box<Call>>),
}

/// A call, with the names that ids stand for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Call {
    /// `all_reduce`.
    pub op: String,
    /// What kind.
    pub family: Family,
    /// The group; absent where there is none.
    pub group: Option<GroupName>,
    /// `SUM`.
    pub reduce: Option<String>,
    /// As a rank in the world.
    pub root: Option<u32>,
    /// The other end of a message, as a rank in the world.
    pub peer: Option<u32>,
    /// The tag of a message.
    pub tag: i64,
    /// What goes in.
    pub tensors: Vec<Tensor>,
    /// Members of a group that is made.
    pub members: Vec<u32>,
    /// Whether it returns a handle instead of waiting.
    pub asynchronous: bool,
    /// Who issues it when the program does not itself; or empty.
    pub implicit: String,
    /// The folder or address that a checkpoint is written to; or empty.
    pub place: String,
    /// Texts that tell calls of one line apart; or empty.
    pub label: String,
    /// The stack, innermost first.
    pub frames: Vec<Frame>,
}

/// What one rank did, for reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// Rank in the world.
    pub rank: u32,
    /// Process number.
    pub pid: u32,
    /// Name of the machine.
    pub host: String,
    /// Its calls in order. In long runs the middle is left out, and `left_out` says how much.
    pub calls: Vec<LaneCall>,
    /// How many calls are not listed; they lie before the last [`LANE_TAIL`] ones.
    pub left_out: u64,
    /// How it ended.
    pub end: Option<Ending>,
    /// Where the exception that nobody caught was raised, innermost first; empty where there was none.
    pub raised_at: Vec<Frame>,
    /// The stacks of its threads when it was stopped, as text; or empty.
    pub stacks: String,
    /// The end of its output, or empty.
    pub output_tail: String,
}

/// How many calls before the end a lane keeps at least.
pub const LANE_TAIL: usize = 400;

/// One call of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneCall {
    /// Number in the process, from 0.
    pub number: u64,
    /// Index into [`RunReport::calls`].
    pub call: usize,
    /// Place in the sequence of its group, from 1; 0 for messages.
    pub position: u64,
    /// When it was entered, on the monotonic clock in microseconds.
    pub entered_us: u64,
    /// When it came back; absent when it never did.
    pub left_us: Option<u64>,
    /// Whether it raised.
    pub raised: bool,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// Exit code; absent when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether ranklint had told it to end.
    pub told: bool,
    /// Class and text of an exception nobody caught; or empty.
    pub exception: String,
    /// When, in microseconds of the monotonic clock.
    pub time_us: u64,
}

/// Everything about one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunReport {
    /// The command, as given.
    pub command: Vec<String>,
    /// The command line that does the same again.
    pub again: Vec<String>,
    /// What started the ranks: `direct`, `torchrun`, `srun`, `none`, `warm`, `dry`, `replay`.
    pub launcher: String,
    /// Number of ranks, on all machines.
    pub world: u32,
    /// Path of the interpreter; empty for replays.
    pub interpreter: String,
    /// Version of torch, where the program imported it.
    pub torch: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// From the moment at which ranks could be seen to part until the verdict, in microseconds.
    pub latency_us: Option<u64>,
    /// How long it took, in microseconds.
    pub wall_us: u64,
    /// The different calls that lanes point at.
    pub calls: Vec<Call>,
    /// One a rank, by rank.
    pub lanes: Vec<Lane>,
    /// Environment variables of the parity set with different values: name, then hash by rank (absent: not set).
    pub environment: Vec<EnvironmentDifference>,
    /// Paths outside the working directory that were written.
    pub writes: Vec<OutsideWrite>,
    /// Handles that nobody waited for: the calls, with how often.
    pub unawaited: Vec<(Call, u64)>,
    /// What is worth knowing beside: incomplete logs, processes that were left behind.
    pub notes: Vec<String>,
    /// Static call sites of collectives in the program's files, and how many of them were reached.
    pub coverage: Option<Coverage>,
    /// What the linter said about the program beforehand, and what the run makes of it.
    pub predictions: Vec<Prediction>,
    /// Whether the ranks parted and no rule had said so.
    pub unpredicted: bool,
    /// Folder with logs and output.
    pub folder: String,
}

/// A variable that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EnvironmentDifference {
    /// Its name.
    pub key: String,
    /// Hash of the value by rank.
    pub values: Vec<(u32, Option<String>)>,
    /// Where it is read, if it is.
    pub frames: Vec<Frame>,
}

/// Something written outside the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutsideWrite {
    /// The path.
    pub path: String,
    /// How: `open`, `torch.save`.
    pub how: String,
    /// The ranks that wrote it.
    pub ranks: Vec<u32>,
    /// Where.
    pub frames: Vec<Frame>,
}

/// How much of what the linter saw was run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Call sites of collectives that the linter knows in the program's files.
    pub sites: u32,
    /// Those among them that some rank reached.
    pub reached: u32,
}

/// A static finding, and what the run makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prediction {
    /// Name of the rule.
    pub rule: String,
    /// Path relative to the working directory.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// What the finding says.
    pub message: String,
    /// Its name that is stable when lines move.
    pub fingerprint: String,
    /// The verdict.
    pub evidence: Evidence,
    /// Why this verdict, for people: `no rank came here`; may be empty.
    pub why: String,
}
