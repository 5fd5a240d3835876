//! A run for tools: one versioned object. The types of the wire live here and nowhere else; the types of `verify` may change
//! without it.

use std::io::{self, Write};

use serde::Serialize;

use super::{View, words};
use crate::finding::Evidence;
use crate::verify::event::{Family, Frame, Tensor};
use crate::verify::outcome::{Call, Divergence, Doing, GroupName, Lane, Outcome, Prediction, Side};

/// The version of the object; it changes when a field changes its meaning or goes away.
pub const VERSION: u32 = 1;

/// What `ranklint verify run --output-format json` prints. Times are microseconds of the machine's monotonic clock, durations
/// microseconds; ranks are ranks in the world.
#[derive(Serialize)]
struct Output {
    /// Version of this object.
    version: u32,
    /// How it ended: `passed`, `failed`, `signalled`, `diverged`, `mismatched`, `stranded`, `stalled`, `timed_out`, `leaked`,
    /// `interrupted`, `skipped` or `blocked`. Only `passed` is a pass.
    outcome: &'static str,
    /// One sentence.
    message: String,
    /// The command, as given.
    command: Vec<String>,
    /// The command that does the same again, for a shell.
    again: String,
    /// What started the ranks.
    launcher: String,
    /// Number of ranks.
    world: u32,
    /// Path of the interpreter, or empty.
    interpreter: String,
    /// Version of torch, where the program imported it.
    torch: Option<String>,
    /// How long it took.
    wall_us: u64,
    /// From the moment at which ranks could be seen to part until the verdict.
    latency_us: Option<u64>,
    /// The rank that the outcome is about: the first that failed.
    rank: Option<u32>,
    /// Its exit code.
    code: Option<i32>,
    /// The signal that ended it, or the run.
    signal: Option<i32>,
    /// Processes left behind, or what was tried to start the run.
    details: Vec<String>,
    /// What to do about a run that could not be started; or empty.
    remedy: String,
    /// Where the ranks part.
    divergence: Option<WireDivergence>,
    /// The different calls that `ranks` points at.
    calls: Vec<WireCall>,
    /// One a rank, by rank.
    ranks: Vec<WireRank>,
    /// What the linter had said, with the verdicts.
    predictions: Vec<WirePrediction>,
    /// Whether the ranks parted and no rule had said so.
    unpredicted: bool,
    /// Call sites of collectives that the linter knows, and how many were reached.
    coverage: Option<WireCoverage>,
    /// Variables of the environment that differ.
    environment: Vec<WireVariable>,
    /// Paths written outside the working directory.
    writes: Vec<WireWrite>,
    /// Handles that nobody waited for.
    unawaited: Vec<WireUnawaited>,
    /// What is worth knowing beside.
    notes: Vec<String>,
    /// Folder with logs and output.
    folder: String,
}

/// Where ranks part.
#[derive(Serialize)]
struct WireDivergence {
    /// What differs: `operation`, `reduce op`, `root`, `shape`, `dtype`, `order`, `count`, `members`, `place`; or empty.
    differs: String,
    /// The group, or the two ends of a message.
    group: WireGroup,
    /// Place in the group's sequence, or number of the message between its two ends, from 1.
    position: u64,
    /// The ranks by what they do; the side to blame, where one can be told, is last.
    sides: Vec<WireSide>,
    /// When it could be seen first.
    time_us: u64,
}

#[derive(Serialize)]
struct WireGroup {
    /// What people call it: `WORLD`, `tp`, `{0–3}`.
    name: String,
    ranks: Vec<u32>,
    /// Tells groups with the same members apart.
    ordinal: u32,
}

/// Ranks that do the same.
#[derive(Serialize)]
struct WireSide {
    ranks: Vec<u32>,
    /// `issues`, `waits`, `left`, `ended`, or `away`: it is elsewhere and has not come.
    doing: &'static str,
    /// In words, without the ranks.
    message: String,
    /// How it ended; empty for the others.
    how: String,
    /// The call it issues, waits in or has left by; the last one of a rank that has ended or is away.
    call: Option<WireCall>,
    /// Where it is, innermost first.
    frames: Vec<WireFrame>,
}

#[derive(Serialize)]
struct WireCall {
    op: String,
    /// `collective`, `send`, `receive`, `make_group`, `join` or `leave`.
    family: Family,
    group: Option<WireGroup>,
    reduce: Option<String>,
    root: Option<u32>,
    peer: Option<u32>,
    /// The tag of a message.
    tag: i64,
    tensors: Vec<WireTensor>,
    /// Members of a group that is made.
    members: Vec<u32>,
    /// Whether it returns a handle instead of waiting.
    asynchronous: bool,
    /// Who issues it when the program does not itself; or empty.
    implicit: String,
    /// The folder or address that a checkpoint is written to; or empty.
    place: String,
    /// Texts that tell calls of one line apart; or empty.
    label: String,
    /// The stack, innermost first.
    frames: Vec<WireFrame>,
}

#[derive(Serialize)]
struct WireTensor {
    dtype: String,
    shape: Vec<i64>,
}

#[derive(Serialize)]
struct WireFrame {
    /// Relative to the working directory where it lies below it.
    path: String,
    line: u32,
    function: String,
}

#[derive(Serialize)]
struct WireRank {
    rank: u32,
    pid: u32,
    host: String,
    /// In words.
    end: String,
    /// Exit code; absent when a signal ended it, or nothing is known.
    code: Option<i32>,
    signal: Option<i32>,
    /// Whether ranklint had told it to end.
    told: bool,
    /// Class and text of an exception nobody caught; or empty.
    exception: String,
    ended_us: Option<u64>,
    /// How many calls of the middle are not listed.
    left_out: u64,
    calls: Vec<WireLaneCall>,
    /// The stacks of its threads when it was stopped; or empty.
    stacks: String,
    /// The end of its output; or empty.
    output: String,
}

#[derive(Serialize)]
struct WireLaneCall {
    /// Number in the process, from 0.
    number: u64,
    /// Index into `calls`.
    call: usize,
    /// Place in the sequence of its group, from 1; 0 for messages.
    position: u64,
    entered_us: u64,
    /// Absent when it never came back.
    left_us: Option<u64>,
    raised: bool,
}

#[derive(Serialize)]
struct WirePrediction {
    rule: String,
    path: String,
    line: u32,
    message: String,
    /// As in `ranklint check --output-format json`.
    fingerprint: String,
    evidence: Evidence,
    why: String,
}

#[derive(Serialize)]
struct WireCoverage {
    sites: u32,
    reached: u32,
}

#[derive(Serialize)]
struct WireVariable {
    key: String,
    values: Vec<WireValue>,
    /// Where it is read.
    frames: Vec<WireFrame>,
}

#[derive(Serialize)]
struct WireValue {
    rank: u32,
    /// Hash of the value; absent where it is not set.
    hash: Option<String>,
}

#[derive(Serialize)]
struct WireWrite {
    path: String,
    how: String,
    ranks: Vec<u32>,
    frames: Vec<WireFrame>,
}

#[derive(Serialize)]
struct WireUnawaited {
    call: WireCall,
    times: u64,
}

pub(super) fn render(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &output(view))?;
    writeln!(out)
}

fn output(view: &View<'_>) -> Output {
    let report = view.report;
    let (rank, code, signal) = match report.outcome {
        Outcome::Failed { rank, code } => (Some(rank), Some(code), None),
        Outcome::Signalled { rank, signal } => (Some(rank), None, Some(signal)),
        Outcome::Interrupted { signal } => (None, None, Some(signal)),
        _ => (None, None, None),
    };
    let (details, remedy) = match &report.outcome {
        Outcome::Leaked { processes } => (processes.clone(), String::new()),
        Outcome::Blocked { tried, remedy } => (tried.clone(), remedy.clone()),
        _ => (Vec::new(), String::new()),
    };
    let environment = report.environment.iter().map(|difference| WireVariable {
        key: difference.key.clone(),
        values: difference.values.iter().map(|(rank, hash)| WireValue { rank: *rank, hash: hash.clone() }).collect(),
        frames: frames(view, &difference.frames),
    });
    let writes = report.writes.iter().map(|write| WireWrite {
        path: write.path.clone(),
        how: write.how.clone(),
        ranks: write.ranks.clone(),
        frames: frames(view, &write.frames),
    });
    let unawaited =
        report.unawaited.iter().map(|(known, times)| WireUnawaited { call: call(view, known), times: *times });
    Output {
        version: VERSION,
        outcome: report.outcome.name(),
        message: words::verdict(report).1,
        command: report.command.clone(),
        again: words::again(report),
        launcher: report.launcher.clone(),
        world: report.world,
        interpreter: report.interpreter.clone(),
        torch: report.torch.clone(),
        wall_us: report.wall_us,
        latency_us: report.latency_us,
        rank,
        code,
        signal,
        details,
        remedy,
        divergence: report.outcome.divergence().map(|found| divergence(view, found)),
        calls: report.calls.iter().map(|known| call(view, known)).collect(),
        ranks: report.lanes.iter().map(|lane| self::rank(view, lane)).collect(),
        predictions: report.predictions.iter().map(prediction).collect(),
        unpredicted: report.unpredicted,
        coverage: report.coverage.map(|known| WireCoverage { sites: known.sites, reached: known.reached }),
        environment: environment.collect(),
        writes: writes.collect(),
        unawaited: unawaited.collect(),
        notes: report.notes.clone(),
        folder: view.path(&report.folder),
    }
}

fn divergence(view: &View<'_>, found: &Divergence) -> WireDivergence {
    let side = |side: &Side| {
        let (doing, how, known) = match &side.doing {
            Doing::Issues(call) => ("issues", String::new(), Some(call)),
            Doing::Waits(call) => ("waits", String::new(), Some(call)),
            Doing::Left(call) => ("left", String::new(), Some(call)),
            Doing::Ended { how, last, .. } => ("ended", how.clone(), last.as_ref()),
            Doing::Away(last) => ("away", String::new(), last.as_ref()),
        };
        WireSide {
            ranks: side.ranks.clone(),
            doing,
            message: words::doing(side, &found.group),
            how,
            call: known.map(|known| call(view, known)),
            frames: frames(view, words::frames(&side.doing)),
        }
    };
    WireDivergence {
        differs: found.differs.to_owned(),
        group: group(&found.group),
        position: found.position,
        sides: found.sides.iter().map(side).collect(),
        time_us: found.time_us,
    }
}

fn group(group: &GroupName) -> WireGroup {
    WireGroup { name: words::short_group(group), ranks: group.ranks.clone(), ordinal: group.ordinal }
}

fn call(view: &View<'_>, call: &Call) -> WireCall {
    let tensor = |tensor: &Tensor| WireTensor { dtype: tensor.dtype.clone(), shape: tensor.shape.clone() };
    WireCall {
        op: call.op.clone(),
        family: call.family,
        group: call.group.as_ref().map(group),
        reduce: call.reduce.clone(),
        root: call.root,
        peer: call.peer,
        tag: call.tag,
        tensors: call.tensors.iter().map(tensor).collect(),
        members: call.members.clone(),
        asynchronous: call.asynchronous,
        implicit: call.implicit.clone(),
        place: call.place.clone(),
        label: call.label.clone(),
        frames: frames(view, &call.frames),
    }
}

fn frames(view: &View<'_>, frames: &[Frame]) -> Vec<WireFrame> {
    let wire =
        |frame: &Frame| WireFrame { path: view.path(&frame.path), line: frame.line, function: frame.function.clone() };
    frames.iter().map(wire).collect()
}

fn rank(view: &View<'_>, lane: &Lane) -> WireRank {
    let end = lane.end.as_ref();
    let calls = lane.calls.iter().map(|call| WireLaneCall {
        number: call.number,
        call: call.call,
        position: call.position,
        entered_us: call.entered_us,
        left_us: call.left_us,
        raised: call.raised,
    });
    WireRank {
        rank: lane.rank,
        pid: lane.pid,
        host: lane.host.clone(),
        end: words::end(lane, view.report),
        code: end.and_then(|end| end.code),
        signal: end.and_then(|end| end.signal),
        told: end.is_some_and(|end| end.told),
        exception: end.map(|end| end.exception.clone()).unwrap_or_default(),
        ended_us: end.map(|end| end.time_us),
        left_out: lane.left_out,
        calls: calls.collect(),
        stacks: lane.stacks.clone(),
        output: lane.output_tail.clone(),
    }
}

fn prediction(prediction: &Prediction) -> WirePrediction {
    WirePrediction {
        rule: prediction.rule.clone(),
        path: prediction.path.clone(),
        line: prediction.line,
        message: prediction.message.clone(),
        fingerprint: prediction.fingerprint.clone(),
        evidence: prediction.evidence,
        why: prediction.why.clone(),
    }
}
