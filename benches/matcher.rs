//! How many events a second the matcher takes, from lines of logs: 4,096 ranks in step, each in the world and in a group of 8.
//!
//! usage: cargo bench --bench matcher [-- RANKS STEPS]

use std::fmt::Write as _;
use std::time::Instant;

use ranklint::verify::event::parse;
use ranklint::verify::matcher::Matcher;
use ranklint::verify::watch::Watch as _;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u32>().ok());
    let (world, steps) = (numbers.next().unwrap_or(4096), numbers.next().unwrap_or(250));
    let logs: Vec<Vec<String>> = (0..world).map(|rank| log(rank, world, steps)).collect();
    let events: usize = logs.iter().map(Vec::len).sum();
    let bytes: usize = logs.iter().flatten().map(String::len).sum();

    let started = Instant::now();
    let mut matcher = Matcher::new(world);
    let longest = logs.iter().map(Vec::len).max().unwrap_or(0);
    // Ranks advance together, a stretch of 64 lines at a time.
    for from in (0..longest).step_by(64) {
        for (rank, lines) in (0..).zip(&logs) {
            for line in lines.iter().skip(from).take(64) {
                matcher.event(1000 + rank, &parse(line.as_bytes()).expect("the lines are well formed"));
            }
        }
        assert!(matcher.verdict(from as u64).is_none(), "the ranks are in step");
    }
    assert!(matcher.verdict(u64::MAX).is_none(), "the ranks are in step");
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{world} ranks, {events} events, {} MiB of logs: {seconds:.2} s, {:.2} million events a second",
        bytes >> 20,
        events as f64 / seconds / 1e6
    );
}

fn log(rank: u32, world: u32, steps: u32) -> Vec<String> {
    let eight = rank / 8 * 8;
    let all: Vec<String> = (0..world).map(|rank| rank.to_string()).collect();
    let few: Vec<String> = (eight..(eight + 8).min(world)).map(|rank| rank.to_string()).collect();
    let group = |id: u32, ranks: &[String], world: bool| {
        let ranks = ranks.join(",");
        format!(
            r#"{{"group":{{"id":{id},"ranks":[{ranks}],"ordinal":0,"backend":"nccl","label":"","world":{world}}}}}"#
        )
    };
    let mut lines = vec![
        format!(r#"{{"joined":{{"rank":{rank},"world":{world}}}}}"#),
        group(0, &all, true),
        group(1, &few, false),
        r#"{"site":{"id":0,"frames":[{"path":"/w/train.py","line":10,"function":"step"}]}}"#.to_owned(),
    ];
    for (id, op) in ["all_reduce", "all_gather_into_tensor"].into_iter().enumerate() {
        lines.push(format!(
            r#"{{"signature":{{"id":{id},"op":"{op}","family":"collective","group":{id},"site":0,"reduce":"SUM","root":null,"peer":null,"tag":0,"tensors":[{{"dtype":"bfloat16","shape":[4096]}}],"asynchronous":false,"members":[],"implicit":"","label":""}}}}"#
        ));
    }
    for step in 0..steps {
        for signature in 0..2 {
            let (call, time) = (step * 2 + signature, step * 100 + rank % 50);
            let mut line = String::new();
            let _ = write!(line, "[0,{call},{signature},0,{time}]");
            lines.push(line);
            lines.push(format!("[1,{call},{}]", time + 20));
        }
    }
    lines
}
