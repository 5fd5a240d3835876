//! The log of one process, as the probe writes it: wire types and their parser, nothing else.
//!
//! Each process appends JSON lines to a file of its own. Facts that repeat (call sites, groups, the make-up of a call) are
//! objects and written once; what happens again and again is an array of numbers that points at them:
//!
//! ```text
//! {"start": {"version": 1, "pid": 71, "rank": 0, …}}
//! {"site": {"id": 0, "frames": [{"path": "/work/train.py", "line": 12, "function": "step"}]}}
//! {"signature": {"id": 0, "op": "all_reduce", "family": "collective", "group": 0, "site": 0, …}}
//! [0, 17, 0, 0, 81245]      call 17 has signature 0, is made by thread 0, entered at 81,245 µs
//! [1, 17, 81300]            call 17 returned at 81,300 µs
//! ```
//!
//! Times are microseconds of the machine's monotonic clock. The Python side is `python/ranklint/probe/log.py`.

use serde::{Deserialize, Serialize};

/// The version this build reads.
pub const VERSION: u32 = 1;

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A fact that is told once.
    Fact(Box<Fact>),
    /// Something that happens to a call.
    Moment(Moment),
}

/// A fact that is told once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The process has started; always the first line.
    Start(Start),
    /// torch was imported.
    Torch(Torch),
    /// The process has joined the job, or is about to and knows as whom.
    Joined(Joined),
    /// A group of ranks that calls refer to.
    Group(Group),
    /// A place in the program that calls refer to.
    Site(SiteFact),
    /// The make-up of a call.
    Signature(Signature),
    /// An environment variable that concerns the job was read.
    Environment(EnvironmentRead),
    /// The variables of the parity set, when the process joined the job.
    Snapshot(Snapshot),
    /// Something was written.
    Write(Write),
    /// A module was imported.
    Import(Import),
    /// The process goes down with an exception nobody caught.
    Raised(Raised),
    /// The interpreter is shutting down in good order.
    End(End),
    /// The log is not complete from here on.
    Lost(Lost),
}

/// The process has started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// Version of the log.
    pub version: u32,
    /// Process number.
    pub pid: u32,
    /// Number of the parent.
    pub ppid: u32,
    /// `RANK` of the environment.
    pub rank: Option<u32>,
    /// `WORLD_SIZE` of the environment.
    pub world: Option<u32>,
    /// Name of the machine.
    pub host: String,
    /// The arguments, the program first.
    pub argv: Vec<String>,
    /// Path of the interpreter.
    pub executable: String,
    /// Version of Python, `3.11.7`.
    pub python: String,
    /// The working directory.
    pub cwd: String,
    /// Microseconds since 1970.
    pub time_us: u64,
    /// The same moment on the monotonic clock, in microseconds.
    pub monotonic_us: u64,
}

/// torch was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Torch {
    /// Its version, `2.9.1+cpu`.
    pub version: String,
    /// Number of CUDA devices it could use; 0 where the probe did not ask, to leave CUDA uninitialised.
    pub devices: u32,
}

/// The process has joined the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// Its rank in the world.
    pub rank: u32,
    /// Size of the world.
    pub world: u32,
}

/// A group of ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What calls of this process call it.
    pub id: u32,
    /// Its members as ranks in the world, sorted.
    pub ranks: Vec<u32>,
    /// How many groups with the same members this process had seen before; tells them apart on every rank alike.
    pub ordinal: u32,
    /// `gloo`, `nccl`, …
    pub backend: String,
    /// What people call it (`group_desc`, the name of a mesh axis), or empty.
    pub label: String,
    /// Whether it is the default group.
    pub world: bool,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFact {
    /// What calls of this process call it.
    pub id: u32,
    /// The call stack without frames of torch and of the probe, innermost first; at most 12.
    pub frames: Vec<Frame>,
}

/// One frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    /// Absolute path of the file.
    pub path: String,
    /// 1-based.
    pub line: u32,
    /// Qualified name where Python knows it.
    pub function: String,
}

/// What kind of call it is; decides how ranks are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// All members of the group issue it, in the same order.
    Collective,
    /// A message is sent to `peer`.
    Send,
    /// A message is received from `peer`; from anyone where there is none.
    Receive,
    /// A group is made: all ranks of the world (or of the members, when `tag` is 1) take part.
    MakeGroup,
    /// The job is joined.
    Join,
    /// The group, or every group, is left.
    Leave,
}

/// The make-up of a call: everything about it that does not change when it is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// What calls of this process call it.
    pub id: u32,
    /// Name in `torch.distributed`: `all_reduce`. The functional, in-place and coalesced forms have the same name.
    pub op: String,
    /// What kind of call.
    pub family: Family,
    /// The group it runs on; absent before there is one and for leaving all of them.
    pub group: Option<u32>,
    /// Where it is made.
    pub site: u32,
    /// `SUM`, `MAX`, … where it reduces.
    pub reduce: Option<String>,
    /// Source or destination as a rank in the world, where it has one.
    pub root: Option<u32>,
    /// The other end of a message as a rank in the world.
    pub peer: Option<u32>,
    /// The tag of a message; 1 for a group that only its members make (`use_local_synchronization`).
    pub tag: i64,
    /// What this rank puts in (or receives into), in order; at most 16 are listed.
    pub tensors: Vec<Tensor>,
    /// Whether it returns a handle instead of waiting.
    pub asynchronous: bool,
    /// Members of the group that is made, sorted.
    pub members: Vec<u32>,
    /// Who issues it when the program does not itself: `DistributedDataParallel`, `DTensor`; or empty.
    pub implicit: String,
    /// The folder or address that a checkpoint of all ranks is written to; empty for other operations.
    #[serde(default)]
    pub place: String,
    /// Texts among the variables that the arguments are taken from (`name=bias` for `all_reduce(grads[name])`): they tell
    /// apart calls of one line that are otherwise alike. Empty where there are none.
    pub label: String,
}

/// Shape and type of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tensor {
    /// `float32`.
    pub dtype: String,
    /// Its sizes.
    pub shape: Vec<i64>,
}

/// An environment variable was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentRead {
    /// Its name.
    pub key: String,
    /// Hash of its value; absent where it is not set.
    pub hash: Option<String>,
    /// Where.
    pub site: u32,
    /// Whether the process had joined the job by then.
    pub after_join: bool,
}

/// Values of the parity set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Name and hash of the value, by name.
    pub values: std::collections::BTreeMap<String, String>,
}

/// Something was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// Absolute path.
    pub path: String,
    /// The audit event or the wrapped call: `open`, `os.rename`, `torch.save`.
    pub how: String,
    /// Where.
    pub site: u32,
}

/// A module was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Its dotted name.
    pub name: String,
    /// Where.
    pub site: u32,
}

/// An exception nobody caught.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// Its class.
    pub class: String,
    /// Its text, cut at 2,000 characters.
    pub message: String,
    /// Where it was raised, innermost first, frames of torch left out.
    pub frames: Vec<Frame>,
    /// Name of the thread.
    pub thread: String,
}

/// The interpreter is shutting down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Groups this process has made or taken part in making; a skew between ranks shows at the next one only.
    pub groups: u32,
    /// On the monotonic clock.
    pub monotonic_us: u64,
}

/// The log is not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// Why, for people: `no space left on device`.
    pub why: String,
}

/// Something that happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What happens.
    pub what: What,
    /// Number of the call within its process, from 0.
    pub call: u64,
    /// When, on the monotonic clock.
    pub time_us: u64,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is entered.
    Enter {
        /// Its make-up.
        signature: u32,
        /// The thread that makes it: 0 is the first one that was seen.
        thread: u32,
    },
    /// It has returned.
    Return,
    /// It has raised.
    Raise,
    /// Its handle is waited for.
    Wait,
    /// Waiting for its handle is over.
    Waited,
    /// Its handle was thrown away and never waited for.
    Drop,
}

/// Why a line is not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It is no JSON of the expected form.
    #[error("not an event: {0}")]
    Line(String),
    /// Another version has written it.
    #[error("the log has version {0}, and this build reads version {VERSION}")]
    Version(u32),
}

/// Reads one line, without its line end.
///
/// # Errors
/// A line that is not complete (its writer was killed) or not of this version.
pub fn parse(line: &[u8]) -> Result<Event, Malformed> {
    if line.first() == Some(&b'[') {
        return moment(line).map(Event::Moment).ok_or_else(|| malformed(line));
    }
    let fact: Fact = serde_json::from_slice(line).map_err(|error| Malformed::Line(error.to_string()))?;
    match &fact {
        Fact::Start(start) if start.version != VERSION => Err(Malformed::Version(start.version)),
        _ => Ok(Event::Fact(Box::new(fact))),
    }
}

/// The numbers of `[0,17,0,0,81245]`. Read by hand: a large job has millions of them.
fn moment(line: &[u8]) -> Option<Moment> {
    let inner = line.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let mut numbers = [0_u64; 5];
    let mut count = 0;
    let mut digits = 0;
    for &byte in inner {
        match byte {
            b'0'..=b'9' => {
                let number = numbers.get_mut(count)?;
                *number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                digits += 1;
            }
            b',' if digits > 0 => {
                count += 1;
                digits = 0;
            }
            b' ' => {}
            _ => return None,
        }
    }
    let count = if digits > 0 { count + 1 } else { return None };
    let (what, time_us) = match (numbers[0], count) {
        (0, 5) => {
            let signature = u32::try_from(numbers[2]).ok()?;
            (What::Enter { signature, thread: u32::try_from(numbers[3]).ok()? }, numbers[4])
        }
        (1, 3) => (What::Return, numbers[2]),
        (2, 3) => (What::Raise, numbers[2]),
        (3, 3) => (What::Wait, numbers[2]),
        (4, 3) => (What::Waited, numbers[2]),
        (5, 3) => (What::Drop, numbers[2]),
        _ => return None,
    };
    Some(Moment { what, call: numbers[1], time_us })
}

fn malformed(line: &[u8]) -> Malformed {
    Malformed::Line(String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_moments() {
        let entered = What::Enter { signature: 3, thread: 0 };
        assert_eq!(parse(b"[0,17,3,0,81245]"), Ok(Event::Moment(Moment { what: entered, call: 17, time_us: 81_245 })));
        assert_eq!(parse(b"[1, 17, 9]"), Ok(Event::Moment(Moment { what: What::Return, call: 17, time_us: 9 })));
    }

    #[test]
    fn what_is_cut_short_is_no_event() {
        for line in ["[0,17,3,0,", "[0,17,3,0]", "[9,1,2]", "[]", "", "{\"start\": {", "[1,99999999999999999999999,1]"]
        {
            assert!(matches!(parse(line.as_bytes()), Err(Malformed::Line(_))), "{line}");
        }
    }

    #[test]
    fn another_version_is_refused() {
        let line = r#"{"start": {"version": 2, "pid": 1, "ppid": 1, "rank": null, "world": null, "host": "h", "argv": [],
            "executable": "", "python": "", "cwd": "", "time_us": 0, "monotonic_us": 0}}"#;
        assert_eq!(parse(line.as_bytes()), Err(Malformed::Version(2)));
    }
}
