//! `verify run`, `replay` and `doctor` as a user calls them: real programs under real torch, the report read from the outside.

#![expect(clippy::disallowed_methods, reason = "the tests make folders of their own")]

mod support;

use std::path::Path;

use serde_json::Value;

use support::folder::{Folder, Run};

/// An interpreter with torch.
fn python() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/bin/python").display().to_string()
}

/// A folder with the programs of `testdata/verify/run` and the README's example.
fn programs(name: &str) -> Folder {
    let folder = Folder::new(&format!("verify-run-{name}"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runs = ["steps.py", "alone.py", "again.py", "full.py", "replaced.py", "places.py", "early.py", "bound.py"]
        .map(|name| format!("testdata/verify/run/{name}"));
    for path in runs.iter().map(String::as_str).chain(["examples/train.py"]) {
        let name = Path::new(path).file_name().expect("it is a file").to_string_lossy().into_owned();
        folder.file(&name, std::fs::read(root.join(path)).expect("the program is readable"));
    }
    // What the example looks for: rank 1 looks elsewhere.
    folder.file("shared/last.pt", "");
    folder
}

/// What went wrong, without the whole report.
#[track_caller]
fn ends(run: &Run, report: &Value, code: i32, outcome: &str) -> String {
    let message = report["message"].as_str().unwrap_or_default().to_owned();
    assert_eq!((run.code, report["outcome"].as_str()), (Some(code), Some(outcome)), "{message}\n{}", run.err);
    message
}

/// Runs `program` under `verify run` with its report as JSON; `more` are options before the command.
fn run(folder: &Folder, more: &[&str], program: &str) -> (Run, Value) {
    let python = python();
    let options = ["verify", "run", "-n", "4", "--timeout", "120", "--output-format", "json", "--log-dir", "logs"];
    let command = ["--python", &python, "--", "python", program];
    let run = folder.ranklint(&[&options[..], more, &command].concat());
    let report = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    (run, report)
}

fn prediction<'r>(report: &'r Value, rule: &str) -> &'r Value {
    let predictions = report["predictions"].as_array().expect("the report lists them");
    predictions.iter().find(|each| each["rule"] == rule).unwrap_or_else(|| panic!("no {rule}: {predictions:?}"))
}

#[test]
fn a_divergence_confirms_the_finding_that_foretold_it() {
    let folder = programs("diverges");
    let (run, report) = run(&folder, &["--output", "html:run.html", "--output", "sarif:run.sarif"], "train.py");
    let message = ends(&run, &report, 1, "diverged");
    assert!(message.contains("all_gather") && message.contains("barrier"), "{message}");
    let divergence = &report["divergence"];
    let sides = divergence["sides"].as_array().expect("it has sides").iter();
    let lines: Vec<u64> = sides.filter_map(|side| side["call"]["frames"][0]["line"].as_u64()).collect();
    let text = folder.read("train.py");
    let line = |what: &str| text.lines().position(|line| line.contains(what)).expect("it is there") as u64 + 1;
    assert!(lines.contains(&line("all_gather(")) && lines.contains(&line("dist.barrier()")), "{divergence}");
    assert_eq!(prediction(&report, "conditional-collective")["evidence"], "confirmed");
    assert_eq!(report["unpredicted"], false);
    assert_eq!(report["ranks"].as_array().map(Vec::len), Some(4));
    // Joining the job, the sum, the gather and the barrier.
    assert_eq!(report["coverage"], serde_json::json!({ "sites": 4, "reached": 4 }));

    assert!(folder.read("run.html").contains("all_gather"));
    let sarif: Value = serde_json::from_str(&folder.read("run.sarif")).expect("SARIF is JSON");
    assert!(sarif["runs"][0]["results"].as_array().is_some_and(|results| !results.is_empty()));

    // The linter knows it from now on, and forgets it where it keeps nothing.
    for (options, evidence) in [(&[][..], "confirmed"), (&["--no-cache"], "static")] {
        let checked = folder.ranklint(&[&["check", "train.py", "--output-format", "json"], options].concat());
        let found: Value = serde_json::from_str(&checked.out).unwrap_or_else(|error| panic!("{error}: {checked:?}"));
        let finding = &found["findings"][0];
        assert_eq!((&finding["rule"], &finding["evidence"]), (&"conditional-collective".into(), &evidence.into()));
    }

    // The recordings are judged again, without the program.
    let again = folder.ranklint(&["verify", "replay", "logs", "--output-format", "json"]);
    let replayed: Value = serde_json::from_str(&again.out).unwrap_or_else(|error| panic!("{error}: {again:?}"));
    assert_eq!(ends(&again, &replayed, 1, "diverged"), message);
    assert_eq!(prediction(&replayed, "conditional-collective")["evidence"], "confirmed");
}

#[test]
fn configured_runs_judge_the_findings() {
    let folder = programs("plan");
    let run = |command: &str| format!("[[runs]]\ncommand = [{:?}, {command}]\nranks = 2\n", python());
    folder.file("ranklint.toml", format!("{}{}", run("\"steps.py\""), run("\"train.py\"")));
    let judged = folder.ranklint(&["verify", "train.py"]);
    assert_eq!(judged.code, Some(1), "{judged:?}");
    for part in ["passed: every rank", "diverged: ranks issue", "run:  confirmed: a run showed the ranks part here"] {
        assert!(judged.out.contains(part), "`{part}` is missing: {judged:?}");
    }
    folder.file("ranklint.toml", "[[runs]]\ncommand = []\n");
    folder.ranklint(&["verify"]).fails_with(2, &["ranklint.toml:2", "a run needs a `command`"]);
    folder.file("ranklint.toml", "");
    folder.ranklint(&["verify", "train.py"]).fails_with(2, &["the project has no run", "[[runs]]"]);
}

#[test]
fn ranks_in_step_pass_and_print_what_they_print() {
    let folder = programs("in-step");
    let python = python();
    let options = ["verify", "run", "-n", "2", "--log-dir", "logs", "--python", &python, "--", "python", "steps.py"];
    let run = folder.ranklint(&options);
    assert_eq!(run.code, Some(0), "{run:?}");
    // Twice the sum over 2 ranks of ones.
    for line in ["[0] total 4", "[1] total 4"] {
        assert!(run.out.lines().any(|printed| printed == line), "{run:?}");
    }
    assert!(run.out.contains("3 of 3"), "every collective was reached: {}", run.out);
}

#[test]
fn ranks_may_leave_the_job_and_join_again() {
    let folder = programs("again");
    let (run, report) = run(&folder, &[], "again.py");
    ends(&run, &report, 0, "passed");
}

#[test]
fn a_log_that_ends_too_early_accuses_nobody() {
    let folder = programs("full");
    let (run, report) = run(&folder, &[], "full.py");
    ends(&run, &report, 0, "passed");
    let notes = report["notes"].to_string();
    assert!(notes.contains("the log of rank 0 is not complete"), "{notes}");
    let again = folder.ranklint(&["verify", "replay", "logs", "--output-format", "json"]);
    let replayed: Value = serde_json::from_str(&again.out).unwrap_or_else(|error| panic!("{error}: {again:?}"));
    assert_eq!(replayed["divergence"], Value::Null, "{replayed}");
}

#[test]
fn a_checkpoint_in_two_places_confirms_the_finding_that_foretold_it() {
    let folder = programs("places");
    let (run, report) = run(&folder, &[], "places.py");
    let message = ends(&run, &report, 1, "mismatched");
    assert!(message.starts_with("place of checkpoint.save differs between ranks: "), "{message}");
    let line = folder.read("places.py").lines().position(|line| line.contains("checkpoint_id=own"));
    let sides = report["divergence"]["sides"].as_array().expect("it has sides");
    for side in sides {
        let frame = side["call"]["frames"][0]["line"].as_u64();
        assert_eq!(frame, line.map(|line| line as u64 + 1), "{side}");
        assert!(side["call"]["place"].as_str().is_some_and(|place| place.contains("/checkpoints/")), "{side}");
    }
    assert_eq!(prediction(&report, "unagreed-path")["evidence"], "confirmed");
    assert!(run.err.contains("two checkpoints") || run.out.contains("two checkpoints"), "{run:?}");
}

#[test]
fn a_file_that_is_read_too_early_confirms_the_finding_that_foretold_it() {
    let folder = programs("early");
    let (run, report) = run(&folder, &[], "early.py");
    // Rank 0 waits for those that are gone, or its library has told it so and it has failed before anybody saw it wait.
    let outcome = report["outcome"].as_str().expect("the report names it");
    assert!(matches!(outcome, "stranded" | "failed"), "{outcome}");
    let message = ends(&run, &report, 1, outcome);
    assert!(message.contains("FileNotFoundError"), "{message}");
    assert_eq!(prediction(&report, "unawaited-file")["evidence"], "confirmed");
}

#[test]
fn a_variable_that_one_rank_has_confirms_the_finding_that_foretold_it() {
    let folder = programs("bound");
    let (run, report) = run(&folder, &[], "bound.py");
    // Rank 0 waits for those that are gone, or its library has told it so and it has failed before anybody saw it wait.
    let outcome = report["outcome"].as_str().expect("the report names it");
    assert!(matches!(outcome, "stranded" | "failed"), "{outcome}");
    let message = ends(&run, &report, 1, outcome);
    assert!(message.contains("UnboundLocalError"), "{message}");
    assert_eq!(prediction(&report, "bound-on-one-rank")["evidence"], "confirmed");
}

#[test]
fn programs_that_start_themselves_anew_are_followed() {
    let folder = programs("replaced");
    let (run, report) = run(&folder, &[], "replaced.py");
    let message = ends(&run, &report, 1, "diverged");
    assert!(message.contains("rank 0 issues all_reduce"), "{message}");
}

#[test]
fn the_folder_for_logs_may_hold_other_things() {
    let folder = programs("log-dir");
    folder.file("logs/monday.txt", "mine");
    let python = python();
    let run = folder.ranklint(&[
        "verify",
        "run",
        "-n",
        "1",
        "--log-dir",
        ".",
        "--python",
        &python,
        "--",
        "python",
        "steps.py",
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(folder.read("logs/monday.txt"), "mine");
}

#[test]
fn a_rank_that_goes_down_alone_is_named_and_so_is_its_line() {
    let folder = programs("alone");
    let (run, report) = run(&folder, &[], "alone.py");
    let message = ends(&run, &report, 1, "stranded");
    assert!(message.contains("rank 1 has ended (FileNotFoundError: shard1)"), "{message}");
    assert!(message.contains("all_reduce"), "{message}");
    let sides = report["divergence"]["sides"].as_array().expect("it has sides");
    let raised = sides.iter().find(|side| side["ranks"] == serde_json::json!([1])).expect("rank 1 is one of them");
    assert_eq!(raised["frames"][0]["function"], "load", "{raised}");
    assert!(report["ranks"][1]["exception"].as_str().is_some_and(|text| text.starts_with("FileNotFoundError")));
}

#[test]
fn a_dry_run_shows_what_each_rank_would_issue() {
    let folder = programs("dry");
    let (run, report) = self::run(&folder, &["--dry"], "train.py");
    let message = ends(&run, &report, 1, "diverged");
    assert!(message.contains("all_gather") && message.contains("rank 1"), "{message}");
    assert_eq!(report["launcher"], "dry");
    let (run, report) = self::run(&folder, &["--dry"], "steps.py");
    ends(&run, &report, 0, "passed");
}

#[test]
fn torchrun_starts_the_ranks() {
    let folder = programs("torchrun");
    let (run, report) = self::run(&folder, &["--launcher", "torchrun"], "train.py");
    assert!(ends(&run, &report, 1, "diverged").contains("all_gather"));
    assert_eq!(report["launcher"], "torchrun");
    let (run, report) = self::run(&folder, &["--launcher", "torchrun"], "steps.py");
    ends(&run, &report, 0, "passed");
    assert_eq!(report["ranks"].as_array().map(Vec::len), Some(4));
    // What torchrun writes for itself is not the program's.
    assert_eq!(report["writes"], serde_json::json!([]));
}

#[test]
fn what_cannot_run_says_why_and_what_to_do() {
    let folder = programs("cannot");
    let command = ["--", "python", "steps.py"];
    let missing = folder.ranklint(&[&["verify", "run", "--python", "no/such/python"], &command[..]].concat());
    missing.fails_with(4, &["no/such/python", "help"]);
    // A Python without torch: the one that made the environment, without its packages.
    folder.file("bare/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n");
    let bare = assert_cmd::Command::new(python())
        .args(["-m", "venv", "--without-pip", "bare"])
        .current_dir(folder.path(""))
        .output()
        .expect("Python starts");
    assert!(bare.status.success(), "{bare:?}");
    let without = folder.ranklint(&[&["verify", "run", "--python", "bare/bin/python"], &command[..]].concat());
    without.fails_with(4, &["torch is not installed", "pip install"]);
    folder.ranklint(&["verify", "replay", "bare"]).fails_with(2, &["bare", "help"]);
    folder.ranklint(&["verify", "run"]).fails_with(2, &["COMMAND"]);
}

#[test]
fn the_doctor_finds_torch_where_it_is() {
    let folder = programs("doctor");
    let python = python();
    let run = folder.ranklint(&["verify", "doctor", "--python", &python]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("torch") && run.out.contains("gloo"), "{}", run.out);
}
