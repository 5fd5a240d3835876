//! The runner of the operator matrix: plans are read, ends are judged without processes, and one row runs for real.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests start our own binary and look at files and at /proc")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ranklint::report::matrix::{MatrixFormat, Rendering, render_matrix};
use ranklint::verify::matrix::judge::judge;
use ranklint::verify::matrix::outcome::{Look, Miss};
use ranklint::verify::matrix::plan::{PlanError, REFERENCE};
use ranklint::verify::matrix::select::{Wanted, choose, unknown};
use ranklint::verify::matrix::{Arm, ArmKind, ArmOutcome, ArmReport, MatrixReport, Plan, RankEnd, RowReport};
use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A plan of one row with these arms.
fn plan(arms: &Value) -> Value {
    json!({"version": 1, "clock": "monotonic", "start_limit": 120.0, "rows": [{
        "id": "OM-06", "title": "a broadcast beside the manifest", "surface": "control-plane contract", "tranche": 0,
        "harness": "om_made", "module": "ranklint.matrix.om_made", "needs": ["tp"], "rules": ["ad-hoc-broadcast"],
        "backends": ["gloo", "nccl"], "arms": arms,
    }]})
}

/// An arm whose ranks must end so: exit, text, absent.
fn arm(name: &str, mutant: &str, ranks: &[(Value, &str, &str)]) -> Value {
    let kind = name.split('-').next().expect("a name is not empty");
    let process = |(rank, (exit, text, absent)): (usize, &(Value, &str, &str))| {
        json!({
            "rank": rank,
            "argv": ["python", "-m", "ranklint.matrix.om_made", "--arm", name],
            "env": {"SCOPE_DIST_BACKEND": "gloo"},
            "expect": {"exit": exit, "text": text, "absent": absent, "within": 5},
        })
    };
    let processes: Vec<Value> = ranks.iter().enumerate().map(process).collect();
    json!({"name": name, "kind": kind, "mutant": mutant, "limit": 5.0, "needs": ["tp"], "processes": processes})
}

fn fault(name: &str, mutant: &str) -> Arm {
    let ranks = [(json!(3), "no entry in the manifest", ""), (json!(0), "SHUTDOWN", r#""event": "debug"#)];
    let plan = plan(&json!([arm(name, mutant, &ranks)])).to_string();
    Plan::parse(&plan).expect("it is sound").rows.remove(0).arms.remove(0)
}

fn end(code: Option<i32>, seconds: f64, output: &str) -> RankEnd {
    RankEnd { code, seconds, output: format!("{{\"t\": 1.0, \"event\": \"ready\"}}\n{output}\n") }
}

fn good() -> [RankEnd; 2] {
    [end(Some(3), 0.2, "ManifestError: no entry in the manifest"), end(Some(0), 0.3, "SHUTDOWN")]
}

fn texts(outcome: &ArmOutcome) -> Vec<String> {
    match outcome {
        ArmOutcome::Passed { told_by: missed } | ArmOutcome::Failed { missed } => {
            missed.iter().map(Miss::text).collect()
        }
        other => vec![other.why()],
    }
}

#[test]
fn plans_that_cannot_be_run_are_not_read() {
    let fine = [(json!("stopped"), "", ""), (json!(-9), "a|b", "")];
    let parse = |plan: &Value| Plan::parse(&plan.to_string());
    let made = plan(&json!([arm("fault-kill", "", &fine)]));
    let read = parse(&made).expect("it is sound");
    assert_eq!(read.rows[0].arms[0].command(), ["-m", "ranklint.matrix.om_made", "--arm", "fault-kill"]);

    let mut newer = made.clone();
    newer["version"] = json!(2);
    assert!(matches!(parse(&newer), Err(PlanError::Version(2))));
    for (place, value, complaint) in [
        ("/rows/0/arms/0/processes/1/expect/exit", json!("later"), "`exit` is a code"),
        ("/rows/0/arms/0/processes/1/expect/text", json!("("), "unclosed group"),
        ("/rows/0/arms/0/processes/1/argv/2", json!("another"), "does not run the module"),
        ("/rows/0/arms/0/processes/1/rank", json!(5), "rank 5 stands where rank 1 should"),
        ("/rows/0/arms/0/processes", json!([]), "it has no ranks"),
        ("/rows/0/arms/0/kind", json!("hopeful"), "unknown variant"),
    ] {
        let mut wrong = made.clone();
        *wrong.pointer_mut(place).expect("it is there") = value;
        let error = parse(&wrong).expect_err(place).to_string();
        assert!(error.contains(complaint), "{place}: {error}");
    }
}

#[test]
fn a_fault_passes_by_code_text_and_time() {
    let arm = fault("fault", "");
    assert_eq!(judge(&arm, &good(), 1.0), (ArmOutcome::Passed { told_by: Vec::new() }, Look::Refused));
    let missed = |ends: [RankEnd; 2]| texts(&judge(&arm, &ends, 1.0).0);
    let [first, second] = good();
    assert_eq!(
        missed([end(Some(1), 0.2, "Traceback"), second.clone()]),
        ["rank 0: exit 1, not 3", "rank 0: does not say /no entry in the manifest/"]
    );
    assert_eq!(
        missed([first.clone(), end(None, 5.6, "SHUTDOWN")]),
        ["rank 1: did not end", "rank 1: 5.6 s, more than 5"]
    );
    let talkative = end(Some(0), 0.1, "SHUTDOWN\n{\"event\": \"debug_gather\"}");
    assert_eq!(missed([first.clone(), talkative]), ["rank 1: says /\"event\": \"debug/"]);
    assert_eq!(missed([end(Some(-6), 0.1, "no entry in the manifest"), second.clone()]), ["rank 0: exit -6, not 3"]);
    let late = [end(Some(3), 7.0, "no entry in the manifest"), second.clone()];
    assert_eq!(missed(late.clone()), ["rank 0: 7.0 s, more than 5"]);
    assert_eq!(judge(&arm, &late, 2.0).0.name(), "passed", "limits stretch");
    assert_eq!(judge(&arm, &[first], 1.0).0.name(), "failed", "a rank that was not seen has not passed");
}

#[test]
fn a_mutant_must_not_look_like_the_good_failure() {
    let arm = fault("mutant", "manifest-unchecked");
    let (outcome, _) = judge(&arm, &good(), 1.0);
    assert_eq!((outcome.name(), texts(&outcome)), ("failed", vec!["it looks like the good failure".to_owned()]));
    let late = good().map(|end| RankEnd { seconds: 60.0, ..end });
    assert_eq!(judge(&arm, &late, 1.0).0.name(), "failed", "being late gives no mutant away");
    let (outcome, look) = judge(&arm, &[end(None, 5.5, ""), end(None, 5.5, "")], 1.0);
    assert_eq!((outcome.name(), look), ("passed", Look::Hang));
    let (outcome, look) = judge(&arm, &[end(Some(0), 0.1, ""), end(Some(0), 0.1, "SHUTDOWN")], 1.0);
    assert_eq!((outcome.name(), look), ("passed", Look::Silent));
    let broken = RankEnd { code: Some(1), seconds: 0.1, output: "PatchError: a hunk fits 0 places".to_owned() };
    let (outcome, look) = judge(&arm, &[broken.clone(), broken], 1.0);
    assert_eq!((outcome.name(), look), ("failed", Look::Broken), "a mutant that does not start shows nothing");
}

#[test]
fn a_rank_that_must_hold_still_is_ended_by_the_runner() {
    let ranks = [(json!("stopped"), "", ""), (json!(2), "", "")];
    let text = plan(&json!([arm("fault", "", &ranks)])).to_string();
    let plan = Plan::parse(&text).expect("it is sound");
    let arm = &plan.rows[0].arms[0];
    assert_eq!(judge(arm, &[end(None, 9.0, ""), end(Some(2), 2.0, "")], 1.0).1, Look::Orphaned);
    let (outcome, _) = judge(arm, &[end(Some(0), 1.0, ""), end(Some(2), 2.0, "")], 1.0);
    assert_eq!(texts(&outcome), ["rank 0: exit 0, should have held still"]);
}

#[test]
fn what_a_runtime_cannot_do_is_skipped_and_never_a_pass() {
    let said = "{\"t\": 1.0, \"rank\": 0, \"event\": \"skipped\", \"reason\": \"the runtime has no tp\"}";
    let ends = [end(Some(77), 0.1, said), end(Some(77), 0.1, said)];
    for arm in [fault("fault", ""), fault("mutant", "manifest-unchecked")] {
        let (outcome, _) = judge(&arm, &ends, 1.0);
        assert_eq!(outcome, ArmOutcome::Skipped { why: "the runtime has no tp".to_owned() });
    }
}

#[test]
fn wishes_choose_rows_arms_and_backends() {
    let arms = json!([arm("fault", "", &[(json!(3), "", "")]), arm("mutant-pp", "gone", &[(json!(3), "", "")])]);
    let plan = Plan::parse(&plan(&arms).to_string()).expect("it is sound");
    let wanted = |rows: &[&str], arms: &[&str]| Wanted {
        rows: rows.iter().map(|name| (*name).to_owned()).collect(),
        tranches: Vec::new(),
        arms: arms.iter().map(|name| (*name).to_owned()).collect(),
    };
    let names = |wanted: &Wanted, runtime: &str, devices: usize| -> Vec<(String, bool)> {
        let chosen = choose(&plan, wanted, runtime, devices);
        let arms = chosen.iter().flat_map(|row| &row.arms);
        arms.map(|(order, why_not)| (order.name(), why_not.is_none())).collect()
    };
    let of = |pairs: &[(&str, bool)]| -> Vec<(String, bool)> {
        pairs.iter().map(|(name, runs)| ((*name).to_owned(), *runs)).collect()
    };
    assert_eq!(names(&wanted(&["om_made"], &["fault"]), REFERENCE, 0), of(&[("fault", true), ("fault@nccl", false)]));
    assert_eq!(
        names(&wanted(&[], &["mutant"]), "mine:Runtime", 8),
        of(&[("mutant-pp", false), ("mutant-pp@nccl", false)])
    );
    assert_eq!(names(&wanted(&[], &["fault"]), "mine:Runtime", 8), of(&[("fault", true), ("fault@nccl", true)]));
    assert!(unknown(&plan, &wanted(&["OM-99"], &[])).is_some_and(|text| text.contains("the rows are OM-06")));
    assert!(unknown(&plan, &wanted(&["OM-06"], &["fault"])).is_none());
}

/// A report with an arm of every outcome.
fn report() -> MatrixReport {
    let of = |name: &str, kind, outcome: ArmOutcome| ArmReport {
        name: name.to_owned(),
        kind,
        mutant: if kind == ArmKind::Mutant { "manifest-unchecked".to_owned() } else { String::new() },
        outcome,
        look: Look::Refused,
        ends: good().to_vec(),
        wall_us: 1_234_000,
        survivors: 0,
        measurements: Vec::new(),
        folder: "/logs/one".to_owned(),
        notes: Vec::new(),
    };
    let missed = vec![Miss { rank: Some(1), what: "does not say /<b>&/".to_owned() }];
    let mut sweep = of("clean", ArmKind::Clean, ArmOutcome::Passed { told_by: Vec::new() });
    sweep.measurements = vec![json!({"d_in": 2, "d_out": 2, "score": 0.81, "t_mesh_idle_ms": 1.5, "period_ms": 33.1})];
    let row = |id: &str, harness: &str, arms| RowReport {
        id: id.to_owned(),
        title: "a broadcast beside the manifest".to_owned(),
        surface: "control-plane contract".to_owned(),
        tranche: 0,
        harness: harness.to_owned(),
        rules: vec!["ad-hoc-broadcast".to_owned()],
        arms,
    };
    let arms = vec![
        of("clean", ArmKind::Clean, ArmOutcome::Passed { told_by: Vec::new() }),
        of("clean@nccl", ArmKind::Clean, ArmOutcome::Skipped { why: "NCCL: there is no CUDA device".to_owned() }),
        of("fault", ArmKind::Fault, ArmOutcome::Failed { missed: missed.clone() }),
        of("mutant", ArmKind::Mutant, ArmOutcome::Passed { told_by: missed }),
        of(
            "baseline",
            ArmKind::Baseline,
            ArmOutcome::Blocked { tried: vec!["no port".to_owned()], remedy: "free one".to_owned() },
        ),
    ];
    MatrixReport {
        runtime: REFERENCE.to_owned(),
        launcher: "warm".to_owned(),
        interpreter: "/python".to_owned(),
        torch: "2.9.0".to_owned(),
        wall_us: 9_000_000,
        command: vec!["ranklint".to_owned(), "verify".to_owned(), "matrix".to_owned()],
        rows: vec![row("OM-06", "om_made", arms), row("O-01", "o_pp0_d_sweep", vec![sweep])],
    }
}

fn rendered(format: MatrixFormat) -> String {
    let report = report();
    let mut bytes = Vec::new();
    let rendering = Rendering { report: &report, ranks: true, color: false };
    render_matrix(format, &rendering, &mut bytes).expect("memory takes everything");
    String::from_utf8(bytes).expect("it is UTF-8")
}

#[test]
fn every_report_tells_what_was_missed_and_what_was_skipped() {
    for format in MatrixFormat::ALL {
        let text = rendered(format);
        for part in ["does not say /", "there is no CUDA device", "om_made", "manifest-unchecked", "free one"] {
            let is_there = text.contains(part) || format == MatrixFormat::Junit && part == "manifest-unchecked";
            assert!(is_there, "{}: {part}\n{text}", format.name());
        }
    }
    let object: Value = serde_json::from_str(&rendered(MatrixFormat::Json)).expect("it is JSON");
    assert_eq!(object["counts"], json!({"passed": 3, "failed": 1, "skipped": 1, "blocked": 1, "survivors": 0}));
    assert_eq!(object["rows"][0]["arms"][2]["missed"][0]["rank"], 1);
    let page = rendered(MatrixFormat::Html);
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"));
    assert!(!page.contains("<b>&/") && page.contains("<svg"), "texts are escaped, plots are drawn");
    let junit = rendered(MatrixFormat::Junit);
    assert!(junit.contains(r#"tests="6" failures="1" errors="1" skipped="1""#), "{junit}");
}

fn python() -> PathBuf {
    root().join(".venv/bin/python")
}

#[test]
fn the_rows_of_the_package_are_listed() {
    let python = if python().exists() { python() } else { PathBuf::from("python3") };
    let plan = Plan::load(&python, &root().join("python")).expect("they are listed");
    let mut ids: Vec<&str> = plan.rows.iter().map(|row| row.id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 20, "{ids:?}");
    for row in &plan.rows {
        for kind in ArmKind::ALL {
            assert!(row.arms.iter().any(|arm| arm.kind == kind), "{} has no {}", row.harness, kind.name());
        }
    }
}

/// Runs `ranklint verify matrix`; nothing that bears the mark survives it.
fn verify(mark: &str, arguments: &[&str]) -> Output {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("matrix-{mark}"));
    std::fs::create_dir_all(&scratch).expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .args(["verify", "matrix", "--python"])
        .arg(python())
        .args(arguments)
        .env("XDG_CACHE_HOME", scratch.join("cache"))
        .env("RANKLINT_PYTHON_ROOT", root().join("python"))
        .env("RANKLINT_TEST_MATRIX", mark)
        .current_dir(&scratch)
        .output()
        .expect("our own binary starts");
    let left = survivors(mark);
    assert!(left.is_empty(), "these survive: {left:?}");
    output
}

fn survivors(mark: &str) -> Vec<String> {
    let mark = format!("RANKLINT_TEST_MATRIX={mark}");
    let entries = std::fs::read_dir("/proc").expect("/proc is there").flatten();
    let marked = entries.filter(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    });
    marked.map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default()).collect()
}

fn has_torch() -> bool {
    let found = Command::new(python()).args(["-c", "import importlib.util as u; assert u.find_spec('torch')"]).output();
    let has = found.is_ok_and(|output| output.status.success());
    if !has {
        eprintln!("skipped: .venv has no torch, see scripts/test");
    }
    has
}

#[test]
fn a_row_runs_with_all_its_arms_and_leaves_nothing() {
    if !has_torch() {
        return;
    }
    let output = verify("row", &["--row", "OM-06", "--output-format", "json", "--timeout-scale", "3"]);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaints}"));
    assert_eq!(
        report["counts"],
        json!({"passed": 4, "failed": 0, "skipped": 0, "blocked": 0, "survivors": 0}),
        "{complaints}"
    );
    assert_eq!(output.status.code(), Some(0));
    let codes = |at: usize| {
        let ends = report["rows"][0]["arms"][at]["ends"].as_array().cloned().unwrap_or_default();
        ends.iter().map(|end| end["code"].as_i64()).collect::<Vec<_>>()
    };
    assert_eq!(codes(1), [Some(3), Some(3)], "the fault is refused by both");
}

#[test]
fn a_runtime_that_is_not_there_is_not_a_pass() {
    if !has_torch() {
        return;
    }
    let arguments = ["--row", "OM-06", "--arm", "clean", "--runtime", "nowhere:Runtime", "--output-format", "json"];
    let output = verify("nowhere", &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_is_asked_for_in_vain_is_said() {
    if !has_torch() {
        return;
    }
    let output = verify("vain", &["--row", "OM-99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no row `OM-99`"));
}

/// The part that needs no run: which rule flags which mutant's source.
#[test]
fn the_page_of_the_matrix_is_fresh() {
    let python = if python().exists() { python() } else { PathBuf::from("python3") };
    let output = Command::new(python)
        .arg(root().join("benches/matrix_table.py"))
        .args(["--check", "--ranklint", env!("CARGO_BIN_EXE_ranklint")])
        .output()
        .expect("Python is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
