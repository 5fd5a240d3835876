//! Recordings of runs that are over, judged by the matcher of runs that are not.

use std::path::{Path, PathBuf};

use ranklint::report::run::{Run, RunFormat, Sources, render_run};
use ranklint::verify::event::{Event, Fact, What};
use ranklint::verify::matcher::Matcher;
use ranklint::verify::outcome::{Doing, Outcome, RunReport};
use ranklint::verify::replay::{self, Replay, ReplayError};

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/verify/replay").join(name)
}

fn judged(replay: &Replay) -> Option<Outcome> {
    replay.judge(&mut Matcher::new(replay.world))
}

/// A folder of our own that is removed at the end.
struct Folder(PathBuf);

#[expect(clippy::disallowed_methods, reason = "tests make recordings")]
impl Folder {
    fn with(name: &str, files: &[(&str, &[u8])]) -> Folder {
        let folder = std::env::temp_dir().join(format!("ranklint-replay-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder of our own");
        for (name, bytes) in files {
            std::fs::write(folder.join(name), bytes).expect("a file of our own");
        }
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn dumps_of_gloo_show_where_ranks_part() {
    for folder in ["diverges", "diverges_json"] {
        let replay = replay::read(&recorded(folder)).expect("it is readable");
        assert_eq!(replay.world, 2);
        let Some(Outcome::Diverged(divergence)) = judged(&replay) else { panic!("{folder}: {:?}", judged(&replay)) };
        assert_eq!((divergence.position, divergence.group.world), (3, true));
        let ops: Vec<&str> = (divergence.sides.iter())
            .map(|side| match &side.doing {
                Doing::Issues(call) => call.op.as_str(),
                _ => "",
            })
            .collect();
        assert_eq!(ops, ["all_reduce", "barrier"]);
        let Doing::Issues(call) = &divergence.sides[0].doing else { panic!("it issues") };
        let places: Vec<(&str, u32)> = call.frames.iter().map(|frame| (frame.function.as_str(), frame.line)).collect();
        let with_stacks = [("reduce_value", 21), ("program", 31), ("<module>", 43)];
        assert_eq!(places, if folder == "diverges" { &with_stacks[..] } else { &[] });
        assert_eq!(call.tensors[0].shape, [3]);
    }
}

struct Recording;

impl Sources for Recording {
    #[expect(clippy::disallowed_methods, reason = "the test shows the recorded program")]
    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(recorded(Path::new(path).file_name()?.to_str()?)).ok()
    }
}

#[test]
fn a_dump_reads_like_a_run() {
    let replay = replay::read(&recorded("diverges")).expect("it is readable");
    let mut matcher = Matcher::new(replay.world);
    let outcome = replay.judge(&mut matcher).expect("they part");
    let (calls, lanes) = matcher.lanes();
    let report = RunReport {
        command: Vec::new(),
        again: "ranklint verify replay dumps".split(' ').map(str::to_owned).collect(),
        launcher: "replay".into(),
        world: replay.world,
        interpreter: String::new(),
        torch: None,
        outcome,
        latency_us: None,
        wall_us: 0,
        calls,
        lanes,
        environment: Vec::new(),
        writes: Vec::new(),
        unawaited: matcher.unawaited(),
        notes: replay.notes.clone(),
        coverage: None,
        predictions: Vec::new(),
        unpredicted: true,
        folder: "dumps".into(),
    };
    let mut bytes = Vec::new();
    let run = Run { report: &report, folder: "/srv/job", sources: &Recording, color: false };
    render_run(RunFormat::Text, &run, &mut bytes).expect("memory takes everything");
    insta::assert_snapshot!(String::from_utf8(bytes).expect("it is UTF-8"));
}

#[test]
fn a_dump_of_a_hang_shows_who_waits() {
    let replay = replay::read(&recorded("stranded")).expect("it is readable");
    let Some(Outcome::Stranded(divergence)) = judged(&replay) else { panic!("{:?}", judged(&replay)) };
    assert_eq!((divergence.position, divergence.sides[0].ranks.as_slice()), (3, &[0][..]));
}

#[test]
fn ranks_in_step_are_in_step() {
    let replay = replay::read(&recorded("in_step")).expect("it is readable");
    assert_eq!(judged(&replay), None);
    let calls = |process: &replay::Recorded| {
        let moments = process.events.iter().filter_map(|event| match event {
            Event::Moment(moment) => Some(moment.what),
            Event::Fact(_) => None,
        });
        let moments: Vec<What> = moments.collect();
        (moments.iter().filter(|what| matches!(what, What::Enter { .. })).count(), moments.len())
    };
    assert_eq!(replay.processes.iter().map(calls).collect::<Vec<_>>(), [(4, 8), (4, 8)], "every call has come back");
}

#[test]
fn a_missing_rank_is_named() {
    #[expect(clippy::disallowed_methods, reason = "the test copies a recording")]
    let bytes = std::fs::read(recorded("stranded").join("trace_0")).expect("it is there");
    let folder = Folder::with("missing", &[("trace_0", &bytes), ("trace_1", &bytes[..700]), ("notes1.txt", b"hello")]);
    let replay = replay::read(&folder.0).expect("one rank is readable");
    assert_eq!(
        replay.notes[..2],
        ["the dump of rank 1 (trace_1) cannot be read: the file is cut short", "there is no dump of rank 1"]
    );
}

#[test]
fn hostile_dumps_are_errors() {
    let folder = Folder::with("hostile", &[("trace_0", b"\x80\x02cos\nsystem\nX\x02\0\0\0ls\x85R.")]);
    let error = replay::read(&folder.0).expect_err("it asks for code").to_string();
    assert!(error.contains("`GLOBAL` at byte 2") && error.contains("not run"), "{error}");
    let folder = Folder::with("nothing", &[("readme.txt", b"nothing")]);
    assert!(matches!(replay::read(&folder.0), Err(ReplayError::Nothing { .. })));
    let folder = Folder::with("twice", &[("a_0", b"{}"), ("b_0", b"{}")]);
    assert!(matches!(replay::read(&folder.0), Err(ReplayError::Twice { rank: 0, .. })));
    let folder = Folder::with("version", &[("a_0.json", br#"{"version": "9.1", "entries": []}"#)]);
    assert!(replay::read(&folder.0).expect_err("another format").to_string().contains("9.1"));
    let deep = "[".repeat(100_000);
    let folder = Folder::with("deep", &[("a_0.json", format!("{{\"a\": {deep}").as_bytes())]);
    assert!(matches!(replay::read(&folder.0), Err(ReplayError::File { .. })));
    assert!(matches!(replay::read(Path::new("/nowhere")), Err(ReplayError::Folder { .. })));
}

/// As NCCL writes it: states, messages by rank of the group, a buffer that has overwritten early calls.
fn nccl(rank: u32, first: i64, last: i64, state: &str) -> String {
    let entries: Vec<String> = (first..=last)
        .map(|sequence| {
            let state = if sequence == last { state } else { "completed" };
            format!(
                r#"{{"record_id": {sequence}, "collective_seq_id": {sequence}, "p2p_seq_id": 0, "is_p2p": false,
                "process_group": ["3", "dp"], "profiling_name": "nccl:_all_gather_base", "state": "{state}",
                "retired": false, "input_sizes": [[4, 2]], "input_dtypes": ["BFloat16"], "time_created_ns": {}000,
                "time_discovered_completed_ns": null, "frames": [{{"name": "step", "filename": "/a/train.py", "line": 7}}]}}"#,
                1_000 + sequence
            )
        })
        .collect();
    format!(
        r#"{{"version": "2.4", "pg_config": {{"0": {{"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
        "3": {{"name": "3", "desc": "dp", "ranks": "[1, 3]"}}}}, "pg_status": {{"3": {{"last_enqueued_collective": {last}}}}},
        "entries": [{}, {{"record_id": 999, "collective_seq_id": {last}, "is_p2p": true, "process_group": ["3", "dp"],
        "profiling_name": "nccl:send {}->{}", "state": "completed", "input_sizes": [[1]], "input_dtypes": ["Long"]}}]}}"#,
        entries.join(", "),
        rank / 2,
        1 - rank / 2,
    )
}

#[test]
fn dumps_of_nccl_are_aligned_where_all_of_them_begin() {
    let (one, three) = (nccl(1, 10, 15, "started"), nccl(3, 12, 14, "completed"));
    let files = [("nccl_trace_rank_1.json", one.as_bytes()), ("nccl_trace_rank_3.json", three.as_bytes())];
    let replay = replay::read(&Folder::with("nccl", &files).0).expect("it is readable");
    assert_eq!(replay.world, 4);
    assert_eq!(replay.notes[0], "there is no dump of ranks 0 and 2");
    assert!(replay.notes[1].starts_with("the recorder has overwritten early calls: dp is compared from call 12 on"));
    let Some(Outcome::Stranded(divergence)) = judged(&replay) else { panic!("{:?}", judged(&replay)) };
    // Calls 12 to 15: the fourth is missed by rank 3.
    assert_eq!((divergence.position, divergence.group.label.as_str()), (4, "dp"));
    let Doing::Issues(call) = &divergence.sides[0].doing else { panic!("it issues") };
    assert_eq!((call.op.as_str(), call.tensors[0].dtype.as_str()), ("all_gather_into_tensor", "bfloat16"));
    let peers: Vec<Option<u32>> = (replay.processes.iter().flat_map(|process| &process.events))
        .filter_map(|event| match event {
            Event::Fact(fact) => match &**fact {
                Fact::Signature(signature) if signature.op == "send" => Some(signature.peer),
                _ => None,
            },
            Event::Moment(_) => None,
        })
        .collect();
    assert_eq!(peers, [Some(3), Some(1)], "ranks of the group are told as ranks of the world");
}

fn log(rank: u32, rest: &str) -> String {
    format!(
        r#"{{"start": {{"version": 1, "pid": 71, "ppid": 1, "rank": {rank}, "world": 3, "host": "h{rank}", "argv": [],
"executable": "", "python": "", "cwd": "", "time_us": 0, "monotonic_us": 0}}}}
{{"joined": {{"rank": {rank}, "world": 3}}}}
{{"group": {{"id": 0, "ranks": [0, 1, 2], "ordinal": 0, "backend": "gloo", "label": "", "world": true}}}}
{{"site": {{"id": 0, "frames": []}}}}
{{"signature": {{"id": 0, "op": "barrier", "family": "collective", "group": 0, "site": 0, "reduce": null, "root": null,
"peer": null, "tag": 0, "tensors": [], "asynchronous": false, "members": [], "implicit": "", "label": ""}}}}
"#
    )
    .replace(",\n", ", ")
        + rest
}

#[test]
fn logs_of_our_own_are_read_as_they_were_written() {
    let (zero, one) =
        (log(0, "[0,0,0,0,5]\n[1,0,6]\n[0,1,0,0,7]\n"), log(1, "[0,0,0,0,5]\nrubbish\n[1,0,6]\n{\"end\": {\"grou"));
    let folder =
        Folder::with("logs", &[("r0-71.jsonl", zero.as_bytes()), ("r1-71.jsonl", one.as_bytes()), ("out.txt", b"")]);
    let replay = replay::read(&folder.0).expect("it is readable");
    assert_eq!(replay.notes, ["1 line of r1-71.jsonl cannot be read and were left out", "there is no log of rank 2"]);
    let pids: Vec<u32> = replay.processes.iter().map(|process| process.pid).collect();
    assert_eq!(pids, [71, 72], "processes of different machines may have the same number");
    let Some(Outcome::Stranded(divergence)) = judged(&replay) else { panic!("{:?}", judged(&replay)) };
    assert_eq!(divergence.position, 2);
    let newer = zero.replace("\"version\": 1", "\"version\": 7");
    let folder = Folder::with("newer", &[("r0-71.jsonl", newer.as_bytes())]);
    assert!(replay::read(&folder.0).expect_err("another version").to_string().contains("version 7"));
}
