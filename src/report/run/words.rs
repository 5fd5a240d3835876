//! Ranks, groups, calls and ends in words, the same in every format.

use crate::finding::Evidence;
use crate::report::counted;
use crate::verify::event::{Family, Tensor};
use crate::verify::outcome::{
    Call, Divergence, Doing, GroupName, Lane, LaneCall, Outcome, Prediction, RunReport, Side,
};

/// Tensors named of one call.
const MOST_TENSORS: usize = 3;
/// Runs of ranks named in one sentence.
const MOST_RUNS: usize = 6;

/// `rank 3`, `ranks 0–3, 5`.
pub(super) fn ranks(ranks: &[u32]) -> String {
    match ranks {
        [] => "no rank".to_owned(),
        [rank] => format!("rank {rank}"),
        _ => format!("ranks {}", runs(ranks)),
    }
}

/// `0–3, 5`; many of them are cut, with their number.
pub(super) fn runs(ranks: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(rank) => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let shown = runs.iter().take(MOST_RUNS).map(|&(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if runs.len() > MOST_RUNS {
        text += &format!(", … ({} in all)", ranks.len());
    }
    text
}

/// A group with its members: `WORLD (ranks 0–3)`, `tp (ranks 0, 1)`.
pub(super) fn group(group: &GroupName) -> String {
    match (group.world, group.label.is_empty()) {
        (true, _) => format!("WORLD ({})", ranks(&group.ranks)),
        (false, true) => short_group(group),
        (false, false) => format!("{} ({})", short_group(group), ranks(&group.ranks)),
    }
}

/// A group in few words: `WORLD`, `tp`, `{0–3}`, `{0–3}#2`.
pub(super) fn short_group(group: &GroupName) -> String {
    let name = match (group.world, group.label.is_empty()) {
        (true, _) => "WORLD".to_owned(),
        (false, false) => group.label.clone(),
        (false, true) => format!("{{{}}}", runs(&group.ranks)),
    };
    if group.ordinal > 0 && !group.world { format!("{name}#{}", group.ordinal + 1) } else { name }
}

/// What tells a call from others of its name: `SUM float32[3]`, `root 1`, `to rank 2`; may be empty.
pub(super) fn details(call: &Call) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(call.reduce.clone());
    parts.extend(call.root.map(|root| format!("root {root}")));
    if !call.place.is_empty() {
        parts.push(call.place.clone());
    }
    match (call.family, call.peer) {
        (Family::Send, Some(peer)) => parts.push(format!("to rank {peer}")),
        (Family::Receive, Some(peer)) => parts.push(format!("from rank {peer}")),
        (Family::Receive, None) => parts.push("from anyone".to_owned()),
        _ => {}
    }
    if !call.tensors.is_empty() {
        parts.push(tensors(&call.tensors));
    }
    if call.family == Family::MakeGroup && !call.members.is_empty() {
        parts.push(format!("of {}", ranks(&call.members)));
    }
    if !call.label.is_empty() {
        parts.push(format!("({})", call.label));
    }
    parts.join(" ")
}

/// `float32[3], int64[]`; the tensors of a list that are alike are counted.
fn tensors(tensors: &[Tensor]) -> String {
    let runs: Vec<&[Tensor]> = tensors.chunk_by(|a, b| a == b).collect();
    let mut parts: Vec<String> = (runs.iter().take(MOST_TENSORS))
        .map(|run| {
            let sizes = run[0].shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let times = if run.len() > 1 { format!("{}× ", run.len()) } else { String::new() };
            format!("{times}{}[{sizes}]", run[0].dtype)
        })
        .collect();
    if runs.len() > MOST_TENSORS {
        parts.push("…".to_owned());
    }
    parts.join(", ")
}

/// `all_reduce SUM float32[3]`.
pub(super) fn call(call: &Call) -> String {
    let details = details(call);
    if details.is_empty() { call.op.clone() } else { format!("{} {details}", call.op) }
}

/// A call in a sentence: `` `all_reduce` SUM float32[3] on WORLD, issued by DistributedDataParallel``.
pub(super) fn quoted(call: &Call, home: Option<&GroupName>) -> String {
    let mut text = format!("`{}`", call.op);
    let details = details(call);
    if !details.is_empty() {
        text += &format!(" {details}");
    }
    if let Some(group) = call.group.as_ref().filter(|group| Some(*group) != home) {
        text += &format!(" on {}", short_group(group));
    }
    if !call.implicit.is_empty() {
        text += &format!(", issued by {}", call.implicit);
    }
    text
}

/// What the ranks of a side do, without the ranks: ``issues `all_reduce` SUM float32[3]``.
pub(super) fn doing(side: &Side, home: &GroupName) -> String {
    let one = side.ranks.len() == 1;
    let verb = |singular: &str, plural: &str| if one { singular.to_owned() } else { plural.to_owned() };
    match &side.doing {
        Doing::Issues(call) => format!("{} {}", verb("issues", "issue"), quoted(call, Some(home))),
        Doing::Waits(call) => format!("{} in {}", verb("waits", "wait"), quoted(call, Some(home))),
        Doing::Left(call) => format!("{} left by {}", verb("has", "have"), quoted(call, Some(home))),
        Doing::Ended { how, last, .. } => {
            let mut text = format!("{} ended: {how}", verb("has", "have"));
            if let Some(last) = last {
                text += &format!(", after {}", quoted(last, Some(home)));
            }
            text
        }
        Doing::Away(last) => {
            let after = last.as_ref().map(|last| format!(", after {}", quoted(last, Some(home))));
            format!("{} elsewhere{}", verb("is", "are"), after.unwrap_or_default())
        }
    }
}

/// The frames that say where a side is, innermost first.
pub(super) fn frames(doing: &Doing) -> &[crate::verify::event::Frame] {
    match doing {
        Doing::Issues(call) | Doing::Waits(call) | Doing::Left(call) => &call.frames,
        Doing::Ended { frames, last, .. } => match last {
            Some(last) if frames.is_empty() => &last.frames,
            _ => frames,
        },
        Doing::Away(last) => last.as_ref().map_or(&[], |last| &last.frames),
    }
}

/// Where ranks part: `on WORLD (ranks 0–3), call 2 of its sequence`, `message 3 from rank 0 to rank 1`.
pub(super) fn place(divergence: &Divergence) -> String {
    if let Some((from, to)) = message_ends(divergence) {
        return format!("message {} from rank {from} to rank {to}", divergence.position);
    }
    let group = group(&divergence.group);
    match divergence.position {
        0 => format!("on {group}"),
        position => format!("on {group}, call {position} of its sequence"),
    }
}

/// Sender and receiver, where ranks part over a message.
pub(super) fn message_ends(divergence: &Divergence) -> Option<(u32, u32)> {
    divergence.sides.iter().find_map(|side| match (&side.doing, side.ranks.as_slice()) {
        (Doing::Issues(call), [rank]) => match (call.family, call.peer) {
            (Family::Send, Some(peer)) => Some((*rank, peer)),
            (Family::Receive, Some(peer)) => Some((peer, *rank)),
            _ => None,
        },
        _ => None,
    })
}

/// The word of the verdict and its sentence.
pub(super) fn verdict(report: &RunReport) -> (&'static str, String) {
    let lane = |rank: u32| report.lanes.iter().find(|lane| lane.rank == rank);
    match &report.outcome {
        Outcome::Passed if report.launcher == "replay" => {
            ("passed", "the ranks are in step as far as the logs go".into())
        }
        Outcome::Passed => ("passed", "every rank ended with 0 and the ranks stayed in step".into()),
        Outcome::Failed { rank, code } => {
            let exception = lane(*rank).and_then(|lane| lane.end.as_ref()).map_or("", |end| &end.exception);
            let first = exception.lines().next().unwrap_or("");
            let why = if first.is_empty() { String::new() } else { format!(": {first}") };
            ("failed", format!("rank {rank} ended with exit code {code}{why}"))
        }
        Outcome::Signalled { rank, signal } => {
            ("signalled", format!("rank {rank} was ended by {}", signal_name(*signal)))
        }
        Outcome::Diverged(divergence) => ("diverged", divergence.message.clone()),
        Outcome::Mismatched(divergence) => ("mismatched", divergence.message.clone()),
        Outcome::Stranded(divergence) => ("stranded", divergence.message.clone()),
        Outcome::Stalled { seconds } => {
            ("stalled", format!("nothing has happened for {seconds} s, and nothing in the logs says why"))
        }
        Outcome::TimedOut { seconds } => ("timed out", format!("the run has taken longer than {seconds} s")),
        Outcome::Leaked { processes } => {
            let left = counted(processes.len(), "process").replace("processs", "processes");
            ("leaked", format!("the program ended with 0 and left {left} behind"))
        }
        Outcome::Interrupted { signal } => ("interrupted", format!("ended by {} from outside", signal_name(*signal))),
        Outcome::Skipped { why } => ("skipped", why.clone()),
        Outcome::Blocked { .. } => ("blocked", "the run could not be started, so nothing was checked".into()),
    }
}

/// The call that a rank had entered and not left when it ended.
pub(super) fn waiting(lane: &Lane) -> Option<&LaneCall> {
    lane.calls.iter().rev().take(64).find(|call| call.left_us.is_none() && !call.raised)
}

/// How a rank ended: `exit 0`, `SIGSEGV`, `stopped`, ``waited in `barrier`, stopped``.
pub(super) fn end(lane: &Lane, report: &RunReport) -> String {
    let waited = waiting(lane).and_then(|call| report.calls.get(call.call));
    let mut parts: Vec<String> = Vec::new();
    if let Some(call) = waited {
        let group = call.group.as_ref().map(|group| format!(" on {}", short_group(group))).unwrap_or_default();
        parts.push(format!("waited in `{}`{group}", call.op));
    }
    parts.extend(process_end(lane));
    if parts.is_empty() { "no end in its log".to_owned() } else { parts.join(", ") }
}

/// How the process of a rank ended.
pub(super) fn process_end(lane: &Lane) -> Option<String> {
    let end = lane.end.as_ref()?;
    let how = match (end.told, end.signal, end.code) {
        (true, ..) => "stopped by ranklint".to_owned(),
        (false, Some(signal), _) => signal_name(signal),
        (false, None, Some(code)) => format!("exit {code}"),
        (false, None, None) => "ended".to_owned(),
    };
    let first = end.exception.lines().next().unwrap_or("");
    Some(if first.is_empty() { how } else { format!("{how}, {first}") })
}

/// What the linter had said: what the run decided comes first.
pub(super) fn predictions(report: &RunReport) -> Vec<&Prediction> {
    let mut known: Vec<&Prediction> = report.predictions.iter().collect();
    known.sort_by_key(|prediction| match prediction.evidence {
        Evidence::Confirmed => 0,
        Evidence::Refuted => 1,
        Evidence::Inconclusive => 2,
        Evidence::Static => 3,
    });
    known
}

/// `SIGSEGV`, or `signal 77`.
pub(super) fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

/// `850 µs`, `12 ms`, `1.3 s`, `4 min 10 s`.
pub(super) fn duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{:.1} ms", micros as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", micros / 1_000),
        1_000_000..120_000_000 => format!("{:.1} s", micros as f64 / 1e6),
        _ => format!("{} min {} s", micros / 60_000_000, micros / 1_000_000 % 60),
    }
}

/// The command that does the same again.
pub(super) fn again(report: &RunReport) -> String {
    let quoted: Vec<String> = report.again.iter().map(|word| shell(word)).collect();
    quoted.join(" ")
}

/// A word as a shell takes it.
fn shell(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_told_in_runs() {
        assert_eq!(ranks(&[3]), "rank 3");
        assert_eq!(ranks(&[0, 1]), "ranks 0, 1");
        assert_eq!(ranks(&[0, 1, 2, 3, 5]), "ranks 0–3, 5");
        let odd: Vec<u32> = (0..40).map(|n| n * 2).collect();
        assert_eq!(ranks(&odd), "ranks 0, 2, 4, 6, 8, 10, … (40 in all)");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell("--n=3"), "--n=3");
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(shell(""), "''");
    }

    #[test]
    fn durations_have_the_unit_that_reads_best() {
        assert_eq!(
            [12, 1_500, 45_000, 1_340_000, 250_000_000].map(duration),
            ["12 µs", "1.5 ms", "45 ms", "1.3 s", "4 min 10 s"]
        );
    }
}
