//! What runs make of a claim on lines 10 (its own) and 20 (the operation of the witness) of one file.

use super::{Claim, Place, coverage, files_of, judge};
use crate::finding::Evidence;
use crate::verify::event::{Family, Frame};
use crate::verify::outcome::{Call, Divergence, Doing, Ending, GroupName, Lane, LaneCall, Outcome, RunReport, Side};

const FILE: &str = "/p/train.py";

fn place(line: u32) -> Place {
    Place { path: FILE.into(), line }
}

fn claim() -> Claim {
    Claim { own: vec![place(10)], explanation: vec![place(20)] }
}

/// Frames of [`FILE`], innermost first.
fn frames(lines: &[u32]) -> Vec<Frame> {
    lines.iter().map(|line| Frame { path: FILE.into(), line: *line, function: String::new() }).collect()
}

fn call(lines: &[u32]) -> Call {
    Call {
        op: "all_reduce".into(),
        family: Family::Collective,
        group: None,
        reduce: None,
        root: None,
        peer: None,
        tag: 0,
        tensors: Vec::new(),
        members: Vec::new(),
        asynchronous: false,
        implicit: String::new(),
        place: String::new(),
        label: String::new(),
        frames: frames(lines),
    }
}

fn lane(rank: u32, calls: &[usize]) -> Lane {
    let calls = calls.iter().map(|call| LaneCall {
        number: *call as u64,
        call: *call,
        position: 1,
        entered_us: 0,
        left_us: Some(1),
        raised: false,
    });
    Lane {
        rank,
        pid: rank,
        host: String::new(),
        calls: calls.collect(),
        left_out: 0,
        end: None,
        raised_at: Vec::new(),
        stacks: String::new(),
        output_tail: String::new(),
    }
}

/// A run of two ranks: what each of them issued, as indices into the calls.
fn run(outcome: Outcome, calls: &[&[u32]], lanes: [&[usize]; 2]) -> RunReport {
    RunReport {
        command: Vec::new(),
        again: Vec::new(),
        launcher: String::new(),
        world: 2,
        interpreter: String::new(),
        torch: None,
        outcome,
        latency_us: None,
        wall_us: 0,
        calls: calls.iter().map(|lines| call(lines)).collect(),
        lanes: lanes.iter().zip(0..).map(|(calls, rank)| lane(rank, calls)).collect(),
        environment: Vec::new(),
        writes: Vec::new(),
        unawaited: Vec::new(),
        notes: Vec::new(),
        coverage: None,
        predictions: Vec::new(),
        unpredicted: false,
        folder: String::new(),
    }
}

fn stranded(doing: Doing) -> Outcome {
    Outcome::Stranded(Box::new(Divergence {
        message: "rank 0 waits".into(),
        differs: "count",
        group: GroupName { ranks: vec![0, 1], ordinal: 0, label: String::new(), world: true },
        position: 1,
        sides: vec![Side { ranks: vec![0], doing }],
        time_us: 0,
    }))
}

fn evidence(report: &RunReport) -> Evidence {
    judge(&claim(), report).evidence
}

#[test]
fn a_divergence_in_its_lines_confirms() {
    let at = |lines: &[u32]| run(stranded(Doing::Issues(Box::new(call(lines)))), &[], [&[], &[]]);
    assert_eq!(evidence(&at(&[10])), Evidence::Confirmed);
    assert_eq!(judge(&claim(), &at(&[10])).why, "the run ended here: rank 0 waits");
    // A helper issues it: its line belongs to the explanation, the finding's line is further out.
    assert_eq!(evidence(&at(&[20, 10])), Evidence::Confirmed);
    // The helper was called from elsewhere, or something else below the finding's line is the innermost frame.
    assert_eq!(evidence(&at(&[20, 30])), Evidence::Inconclusive);
    assert_eq!(evidence(&at(&[30, 10])), Evidence::Inconclusive);
    assert_eq!(judge(&claim(), &at(&[30])).why, "the run ended elsewhere first");
}

#[test]
fn a_rank_that_went_down_where_they_part_confirms() {
    let ended = |lines: &[u32]| Doing::Ended { how: String::new(), frames: frames(lines), last: None };
    assert_eq!(evidence(&run(stranded(ended(&[10])), &[], [&[], &[]])), Evidence::Confirmed);
    assert_eq!(evidence(&run(stranded(ended(&[20, 10])), &[], [&[], &[]])), Evidence::Inconclusive);
}

#[test]
fn a_failure_in_its_lines_confirms() {
    let mut report = run(Outcome::Failed { rank: 1, code: 1 }, &[], [&[], &[]]);
    assert_eq!(judge(&claim(), &report).why, "the run has failed");
    report.lanes[1].raised_at = frames(&[20, 10]);
    report.lanes[1].end = Some(Ending {
        code: Some(1),
        signal: None,
        told: false,
        exception: "RuntimeError: shape\nmore".into(),
        time_us: 0,
    });
    let judgement = judge(&claim(), &report);
    assert_eq!((judgement.evidence, &*judgement.why), (Evidence::Confirmed, "rank 1 failed here: RuntimeError: shape"));
}

#[test]
fn only_a_pass_in_which_ranks_parted_there_refutes() {
    let calls: [&[u32]; 2] = [&[10], &[30]];
    let parted = run(Outcome::Passed, &calls, [&[0, 1], &[1]]);
    let judgement = judge(&claim(), &parted);
    assert_eq!(judgement.evidence, Evidence::Refuted);
    assert_eq!(judgement.why, "1 of 2 ranks came here, the others did not, and all stayed in step");
    for (lanes, why) in [
        ([&[0, 1][..], &[0, 1][..]], "every rank went the same way in this run"),
        ([&[1][..], &[1][..]], "the run never came here"),
    ] {
        let judgement = judge(&claim(), &run(Outcome::Passed, &calls, lanes));
        assert_eq!((judgement.evidence, &*judgement.why), (Evidence::Inconclusive, why));
    }
    let stopped = run(Outcome::TimedOut { seconds: 9 }, &calls, [&[0], &[1]]);
    assert_eq!(judge(&claim(), &stopped).why, "the run has timed out");
}

#[test]
fn coverage_counts_sites_by_any_of_their_lines() {
    let report = run(Outcome::Passed, &[&[10], &[31, 40]], [&[0], &[1]]);
    let sites = [vec![place(10)], vec![place(30), place(31)], vec![place(50)]];
    let found = coverage(&sites, &report);
    assert_eq!((found.sites, found.reached), (3, 2));
}

#[test]
fn files_take_part_by_calls_and_by_exceptions() {
    let mut report = run(Outcome::Passed, &[&[10]], [&[0], &[]]);
    report.lanes[1].raised_at = vec![Frame { path: "/p/data.py".into(), line: 1, function: String::new() }];
    let ended = Doing::Ended {
        how: String::new(),
        frames: vec![Frame { path: "/p/model.py".into(), line: 1, function: String::new() }],
        last: None,
    };
    report.outcome = stranded(ended);
    let files: Vec<String> = files_of(&report).into_iter().collect();
    assert_eq!(files, ["/p/data.py", "/p/model.py", FILE]);
}
