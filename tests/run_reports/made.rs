//! Runs made by hand, one for each way in which a run can end.
#![allow(dead_code, reason = "two tests share it, and each takes what it needs")]

use ranklint::finding::Evidence;
use ranklint::report::run::Sources;
use ranklint::verify::event::{Family, Frame, Tensor};
use ranklint::verify::outcome::*;

pub const TRAIN: &str = "\
import torch
import torch.distributed as dist


def filled(v=1.0):
    return torch.full((3,), float(v))


def reduce_value(x=1.0, **k):
    t = filled(x)
    dist.all_reduce(t, **k)
    return t


def program(rank, world):
    reduce_value()
    if rank == 0:
        reduce_value(rank)
    dist.barrier()


if __name__ == \"__main__\":
    dist.init_process_group(\"gloo\")
    program(dist.get_rank(), dist.get_world_size())
    dist.destroy_process_group()
";

pub struct OnDisk;

impl Sources for OnDisk {
    fn text(&self, path: &str) -> Option<String> {
        (path == "/work/train.py").then(|| TRAIN.to_owned())
    }
}

pub fn frame(line: u32, function: &str) -> Frame {
    Frame { path: "/work/train.py".into(), line, function: function.into() }
}

pub fn world(size: u32) -> GroupName {
    GroupName { ranks: (0..size).collect(), ordinal: 0, label: String::new(), world: true }
}

pub fn call(op: &str, group: &GroupName, lines: &[(u32, &str)]) -> Call {
    Call {
        op: op.into(),
        family: Family::Collective,
        group: Some(group.clone()),
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
        frames: lines.iter().map(|(line, function)| frame(*line, function)).collect(),
    }
}

pub fn reduce(group: &GroupName, lines: &[(u32, &str)]) -> Call {
    let tensors = vec![Tensor { dtype: "float32".into(), shape: vec![3] }];
    Call { reduce: Some("SUM".into()), tensors, ..call("all_reduce", group, lines) }
}

/// Calls by index, each at the next place of its group; a call that is not back is waited in.
pub fn lane(rank: u32, calls: &[usize], back: usize, end: Option<Ending>) -> Lane {
    let calls = calls.iter().enumerate().map(|(number, &call)| {
        let entered_us = 1_000_000 + number as u64 * 1_000 + u64::from(rank) * 40;
        LaneCall {
            number: number as u64,
            call,
            position: number as u64 + 1,
            entered_us,
            left_us: (number < back).then_some(entered_us + 300),
            raised: false,
        }
    });
    Lane {
        rank,
        pid: 4_000 + rank,
        host: "node0".into(),
        calls: calls.collect(),
        left_out: 0,
        end,
        stacks: String::new(),
        output_tail: String::new(),
        raised_at: Vec::new(),
    }
}

pub fn ended(code: i32) -> Option<Ending> {
    Some(Ending { code: Some(code), signal: None, told: false, exception: String::new(), time_us: 1_009_000 })
}

pub fn stopped() -> Option<Ending> {
    Some(Ending { code: None, signal: Some(15), told: true, exception: String::new(), time_us: 1_012_000 })
}

pub fn report(outcome: Outcome, calls: Vec<Call>, lanes: Vec<Lane>) -> RunReport {
    let world = lanes.len().max(2) as u32;
    let again = format!("ranklint verify run -n {world} -- python train.py --name=it's");
    RunReport {
        command: vec!["python".into(), "train.py".into(), "--name=it's".into()],
        again: again.split(' ').map(str::to_owned).collect(),
        launcher: "direct".into(),
        world,
        interpreter: "/usr/bin/python3".into(),
        torch: Some("2.15.0".into()),
        outcome,
        latency_us: None,
        wall_us: 1_340_000,
        calls,
        lanes,
        environment: Vec::new(),
        writes: Vec::new(),
        unawaited: Vec::new(),
        notes: Vec::new(),
        coverage: None,
        predictions: Vec::new(),
        unpredicted: false,
        folder: "/work/.ranklint/run-7".into(),
    }
}

fn program_calls(group: &GroupName) -> Vec<Call> {
    vec![
        reduce(group, &[(11, "reduce_value"), (16, "program"), (24, "<module>")]),
        reduce(group, &[(11, "reduce_value"), (18, "program"), (24, "<module>")]),
        call("barrier", group, &[(19, "program"), (24, "<module>")]),
    ]
}

pub fn passed() -> RunReport {
    let calls = program_calls(&world(2));
    let lanes = vec![lane(0, &[0, 2], 2, ended(0)), lane(1, &[0, 2], 2, ended(0))];
    let coverage = Some(Coverage { sites: 4, reached: 3 });
    RunReport { coverage, ..report(Outcome::Passed, calls, lanes) }
}

/// Rank 0 issues one `all_reduce` more than the others.
pub fn diverged(size: u32) -> RunReport {
    let group = world(size);
    let calls = program_calls(&group);
    let mut lanes = vec![lane(0, &[0, 1], 1, stopped())];
    lanes.extend((1..size).map(|rank| lane(rank, &[0, 2], 1, stopped())));
    let divergence = Divergence {
        message: "ranks issue different operations: `all_reduce` and `barrier`".into(),
        differs: "operation",
        group,
        position: 2,
        sides: vec![
            Side { ranks: (1..size).collect(), doing: Doing::Issues(Box::new(calls[2].clone())) },
            Side { ranks: vec![0], doing: Doing::Issues(Box::new(calls[1].clone())) },
        ],
        time_us: 1_001_100,
    };
    let prediction = |rule: &str, line, message: &str, evidence, why: &str| Prediction {
        rule: rule.into(),
        path: "train.py".into(),
        line,
        message: message.into(),
        fingerprint: format!("{line:032x}"),
        evidence,
        why: why.into(),
    };
    RunReport {
        latency_us: Some(4_200),
        predictions: vec![
            prediction(
                "unreleased-group",
                22,
                "`destroy_process_group` is not reached",
                Evidence::Inconclusive,
                "no rank came here",
            ),
            prediction(
                "conditional-collective",
                18,
                "`all_reduce` is reached by some ranks only",
                Evidence::Confirmed,
                "",
            ),
            prediction("shape-mismatch", 11, "ranks reduce different shapes", Evidence::Refuted, "4 ranks, 1 shape"),
        ],
        coverage: Some(Coverage { sites: 3, reached: 2 }),
        environment: vec![EnvironmentDifference {
            key: "MODEL_STAGE".into(),
            values: vec![(0, Some("9f2c11aa7788".into())), (1, None)],
            frames: vec![frame(16, "program")],
        }],
        writes: vec![OutsideWrite {
            path: "/tmp/dump.pt".into(),
            how: "torch.save".into(),
            ranks: vec![0, 1],
            frames: vec![frame(12, "reduce_value")],
        }],
        unawaited: vec![(calls[0].clone(), 2)],
        notes: vec!["the log of rank 1 is not complete: no space left on device".into()],
        ..report(Outcome::Diverged(Box::new(divergence)), calls, lanes)
    }
}

pub fn mismatched() -> RunReport {
    let group = GroupName { ranks: vec![0, 1], ordinal: 1, label: "tp".into(), world: false };
    let one = reduce(&group, &[(11, "reduce_value")]);
    let other = Call { reduce: Some("MAX".into()), ..one.clone() };
    let lanes = vec![lane(0, &[0, 0, 0], 3, stopped()), lane(1, &[0, 0, 1], 3, stopped())];
    let divergence = Divergence {
        message: "ranks reduce in different ways: SUM and MAX".into(),
        differs: "reduce op",
        group,
        position: 3,
        sides: vec![
            Side { ranks: vec![0], doing: Doing::Issues(Box::new(one.clone())) },
            Side { ranks: vec![1], doing: Doing::Issues(Box::new(other.clone())) },
        ],
        time_us: 1_002_300,
    };
    RunReport { unpredicted: true, ..report(Outcome::Mismatched(Box::new(divergence)), vec![one, other], lanes) }
}

pub fn stranded() -> RunReport {
    let group = world(2);
    let calls = program_calls(&group);
    let lanes = vec![lane(0, &[0, 1], 1, stopped()), lane(1, &[0], 1, ended(0))];
    let divergence = Divergence {
        message: "rank 0 waits for rank 1, which has ended".into(),
        differs: "count",
        group,
        position: 2,
        sides: vec![
            Side { ranks: vec![0], doing: Doing::Issues(Box::new(calls[1].clone())) },
            Side {
                ranks: vec![1],
                doing: Doing::Ended {
                    how: "exit code 0".into(),
                    frames: Vec::new(),
                    last: Some(Box::new(calls[0].clone())),
                },
            },
        ],
        time_us: 1_009_000,
    };
    report(Outcome::Stranded(Box::new(divergence)), calls, lanes)
}

pub fn failed() -> RunReport {
    let calls = program_calls(&world(2));
    let exception = "ValueError: bad \u{1b}[31m<shape> & \"more\"\nsecond line".to_owned();
    let end = Ending { code: Some(1), signal: None, told: false, exception, time_us: 1_004_000 };
    let mut lanes = vec![lane(0, &[0, 2], 1, stopped()), lane(1, &[0], 1, Some(end))];
    lanes[1].output_tail =
        "loading\nTraceback (most recent call last):\n  File \"/work/train.py\", line 12\nValueError: bad <shape>\n"
            .into();
    report(Outcome::Failed { rank: 1, code: 1 }, calls, lanes)
}

pub fn others() -> Vec<RunReport> {
    let calls = || program_calls(&world(2));
    let waiting = || vec![lane(0, &[0, 2], 1, stopped()), lane(1, &[0, 2], 1, stopped())];
    let killed = Ending { code: None, signal: Some(11), told: false, exception: String::new(), time_us: 1_004_000 };
    let mut stalled = waiting();
    stalled[0].stacks = "Thread 0x7f (most recent call first):\n  File \"/work/train.py\", line 19 in program\n".into();
    stalled[1].stacks = stalled[0].stacks.clone();
    let outcome = |outcome| report(outcome, calls(), waiting());
    vec![
        report(
            Outcome::Signalled { rank: 1, signal: 11 },
            calls(),
            vec![lane(0, &[0, 2], 1, stopped()), lane(1, &[0], 1, Some(killed))],
        ),
        report(Outcome::Stalled { seconds: 60 }, calls(), stalled),
        outcome(Outcome::TimedOut { seconds: 300 }),
        report(
            Outcome::Leaked { processes: vec!["4711 python worker.py".into(), "4712 sleep 100".into()] },
            calls(),
            vec![lane(0, &[0, 2], 2, ended(0)), lane(1, &[0, 2], 2, ended(0))],
        ),
        outcome(Outcome::Interrupted { signal: 2 }),
        report(Outcome::Skipped { why: "needs 8 GPUs, and there are none".into() }, Vec::new(), Vec::new()),
        report(
            Outcome::Blocked {
                tried: vec!["/usr/bin/python3: no module named torch".into(), ".venv/bin/python: not there".into()],
                remedy: "install torch into the environment of the project, or name an interpreter with --python"
                    .into(),
            },
            Vec::new(),
            Vec::new(),
        ),
    ]
}

/// The second message from rank 0 to rank 1 is of another type than rank 1 expects.
pub fn message() -> RunReport {
    let tensor = |dtype: &str| vec![Tensor { dtype: dtype.into(), shape: vec![3] }];
    let pair = world(2);
    let plain = |op: &str, line| call(op, &pair, &[(line, "program")]);
    let calls = vec![
        Call { family: Family::Send, peer: Some(1), tensors: tensor("float32"), ..plain("send", 16) },
        Call { family: Family::Receive, peer: Some(0), tensors: tensor("float32"), ..plain("recv", 18) },
        Call { family: Family::Receive, peer: Some(0), tensors: tensor("int64"), ..plain("recv", 19) },
    ];
    let mut lanes = vec![lane(0, &[0, 0], 2, stopped()), lane(1, &[1, 2], 1, stopped())];
    lanes.iter_mut().flat_map(|lane| &mut lane.calls).for_each(|call| call.position = 0);
    let side = |rank, call: usize| Side { ranks: vec![rank], doing: Doing::Issues(Box::new(calls[call].clone())) };
    let divergence = Divergence {
        message: "dtype differs between the ends of a message".into(),
        differs: "dtype",
        group: GroupName { ranks: vec![0, 1], ordinal: 0, label: "message".into(), world: false },
        position: 2,
        sides: vec![side(0, 0), side(1, 2)],
        time_us: 1_001_000,
    };
    report(Outcome::Mismatched(Box::new(divergence)), calls, lanes)
}

/// One of each.
pub fn all() -> Vec<RunReport> {
    let mut all = vec![passed(), diverged(4), mismatched(), stranded(), message(), failed()];
    all.extend(others());
    all
}

/// A large run: `size` ranks with `length` calls each, output that must be escaped, and a rank that parts near the end.
pub fn large(size: u32, length: usize) -> RunReport {
    let group = world(size);
    let calls = program_calls(&group);
    let lanes = (0..size).map(|rank| {
        let mut issued: Vec<usize> = (0..length).map(|number| if number % 5 == 4 { 2 } else { 0 }).collect();
        issued[length - 3] = if rank == size / 2 { 1 } else { 0 };
        let mut lane = lane(rank, &issued[..length - 2], length - 3, stopped());
        lane.output_tail = "<script>alert('&')</script>\n".repeat(200);
        lane.stacks = format!("Thread {rank}\n").repeat(500);
        lane
    });
    let lanes: Vec<Lane> = lanes.collect();
    let divergence = Divergence {
        message: format!("rank {} issues another `all_reduce`", size / 2),
        differs: "operation",
        group,
        position: length as u64 - 2,
        sides: vec![
            Side {
                ranks: (0..size).filter(|rank| *rank != size / 2).collect(),
                doing: Doing::Issues(Box::new(calls[0].clone())),
            },
            Side { ranks: vec![size / 2], doing: Doing::Issues(Box::new(calls[1].clone())) },
        ],
        time_us: 1_001_100,
    };
    report(Outcome::Diverged(Box::new(divergence)), calls, lanes)
}
