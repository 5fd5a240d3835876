//! Compares how the ranks of an arm have ended with how they must end. It sees what was recorded, and no process.

use regex::Regex;
use serde_json::Value;

use super::outcome::{ArmOutcome, Look, Miss, RankEnd};
use super::plan::{Arm, ArmKind, Expectation, Expected};

/// The exit code of a rank whose runtime cannot do what the row needs.
const SKIPPED: i32 = 77;

/// The exit codes of a rank that refuses: itself, or because another has told it to.
const REFUSED: [i32; 2] = [3, 4];

/// The exit code of a worker whose driver is gone.
const ORPHANED: i32 = 2;

/// What is made of one arm; `scale` stretches what its ranks may take.
pub fn judge(arm: &Arm, ends: &[RankEnd], scale: f64) -> (ArmOutcome, Look) {
    let look = look(arm, ends);
    if let Some(skipping) = ends.iter().find(|end| end.code == Some(SKIPPED)) {
        let said = events(&skipping.output, "skipped").next();
        let why = said.as_ref().and_then(|event| event["reason"].as_str()).unwrap_or("the runtime cannot do this");
        return (ArmOutcome::Skipped { why: why.to_owned() }, Look::None);
    }
    // A mutant is not told by being late: a slow machine is not a missing guard.
    let scale = if arm.kind == ArmKind::Mutant { f64::INFINITY } else { scale };
    let mut missed = Vec::new();
    for (process, end) in arm.processes.iter().zip(ends) {
        let whats = misses(&process.expect, end, scale);
        missed.extend(whats.into_iter().map(|what| Miss { rank: Some(process.rank), what }));
    }
    if ends.len() != arm.processes.len() {
        missed.push(Miss { rank: None, what: format!("{} of {} ranks were seen", ends.len(), arm.processes.len()) });
    }
    let of_all = |what: &str| Miss { rank: None, what: what.to_owned() };
    let outcome = match (arm.kind, missed.is_empty()) {
        (ArmKind::Mutant, true) => ArmOutcome::Failed { missed: vec![of_all("it looks like the good failure")] },
        (ArmKind::Mutant, false) if look == Look::Broken => {
            missed.insert(0, of_all("the mutant does not even start"));
            ArmOutcome::Failed { missed }
        }
        (ArmKind::Mutant, false) => ArmOutcome::Passed { told_by: missed },
        (_, true) => ArmOutcome::Passed { told_by: Vec::new() },
        (_, false) => ArmOutcome::Failed { missed },
    };
    (outcome, look)
}

/// What one rank has not done that it must.
fn misses(expected: &Expectation, end: &RankEnd, scale: f64) -> Vec<String> {
    let mut found = Vec::new();
    match (expected.exit, end.code) {
        (Expected::HoldsStill, Some(code)) => found.push(format!("exit {code}, should have held still")),
        (Expected::Code(_), None) => found.push("did not end".to_owned()),
        (Expected::Code(wanted), Some(code)) if wanted != code => found.push(format!("exit {code}, not {wanted}")),
        _ => {}
    }
    if matches!(expected.exit, Expected::Code(_)) && end.seconds > expected.within * scale {
        found.push(format!("{:.1} s, more than {}", end.seconds, expected.within * scale));
    }
    if !expected.text.is_empty() && !matches(&expected.text, &end.output) {
        found.push(format!("does not say /{}/", expected.text));
    }
    if !expected.absent.is_empty() && matches(&expected.absent, &end.output) {
        found.push(format!("says /{}/", expected.absent));
    }
    found
}

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).expect("the plan was read, and its patterns with it").is_match(text)
}

/// How the ranks have ended, in a word. Those that must hold still say nothing by doing so.
fn look(arm: &Arm, ends: &[RankEnd]) -> Look {
    let pairs = arm.processes.iter().zip(ends);
    let telling: Vec<&RankEnd> = pairs
        .filter(|(process, end)| process.expect.exit != Expected::HoldsStill || end.code.is_some())
        .map(|(_, end)| end)
        .collect();
    let has = |wanted: &[i32]| telling.iter().any(|end| end.code.is_some_and(|code| wanted.contains(&code)));
    if !telling.iter().any(|end| end.output.contains("\"event\""))
        || telling.iter().any(|end| end.output.contains("PatchError"))
    {
        Look::Broken
    } else if telling.iter().any(|end| end.code.is_none()) {
        Look::Hang
    } else if telling.iter().all(|end| end.code == Some(0)) {
        Look::Silent
    } else if has(&REFUSED) {
        Look::Refused
    } else if has(&[ORPHANED]) {
        Look::Orphaned
    } else {
        Look::Crash
    }
}

/// The events of this name that a rank has printed.
pub fn events<'t>(output: &'t str, name: &'t str) -> impl Iterator<Item = Value> + 't {
    let mark = format!("\"event\": \"{name}\"");
    output.lines().filter_map(move |line| event(line, &mark))
}

/// When the first fault was announced, on the monotonic clock in microseconds.
pub fn fault_us(text: &str) -> Option<u64> {
    let mut times = events(text, "fault").filter_map(|event| event["t"].as_f64());
    times.next().map(|seconds| (seconds * 1e6) as u64)
}

/// The event on a line that holds `mark`; a launcher may have put something before it.
fn event(line: &str, mark: &str) -> Option<Value> {
    let from = line.contains(mark).then(|| line.find('{'))??;
    serde_json::from_str(line[from..].trim_end()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_found_behind_what_a_launcher_prints() {
        let text = "[default0]:{\"t\": 12.5, \"rank\": 0, \"event\": \"fault\"}\nnoise \"event\": \"fault\" {";
        assert_eq!(fault_us(text), Some(12_500_000));
        assert_eq!(fault_us("\"event\": \"faulty\""), None);
    }
}
