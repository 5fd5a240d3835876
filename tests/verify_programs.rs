//! Runs the witness programs at 4 ranks: those that diverge end with a verdict that names their lines, the others pass.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a program says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Diverges,
    InStep,
    Either,
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes a scratch folder")]
fn witness_programs_get_their_verdict() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../shared/conformance/ranks").canonicalize().expect("the witness programs are there");
    let programs = programs(&folder);
    assert!(programs.len() > 90, "the witness programs are found");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify-programs");
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).expect("the scratch folder can be made");

    let reports = verified(programs.keys(), root, &scratch);
    assert_eq!(reports.len(), programs.len(), "every program has a report");
    // On a loaded machine gloo loses ranks of its own: one that leaves while its peers still connect. Such a program is
    // innocent, and so is whoever watches it, if it passes the next time.
    let innocent = |path: &PathBuf, report: &Value| programs[path] == Expected::InStep && outcome(report) != "passed";
    let again: Vec<&PathBuf> =
        reports.iter().filter(|(path, report)| innocent(path, report)).map(|(path, _)| path).collect();
    let second = if again.is_empty() { BTreeMap::new() } else { verified(again.iter().copied(), root, &scratch) };
    let mut wrong = Vec::new();
    for (path, report) in &reports {
        let report = second.get(path).unwrap_or(report);
        let outcome = outcome(report);
        let told = matches!(outcome.as_str(), "diverged" | "mismatched" | "stranded" | "failed");
        let complaint = match programs[path] {
            Expected::Diverges if !told => format!("ended {outcome}"),
            Expected::Diverges if !names(report, path) => format!("{outcome}, and its lines are not named"),
            Expected::InStep if outcome != "passed" => format!("ended {outcome} and is in step: {}", report["outcome"]),
            _ => continue,
        };
        wrong.push(format!("{}: {complaint}", path.file_name().unwrap_or_default().to_string_lossy()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs programs and returns the report of each.
#[expect(clippy::disallowed_methods, reason = "the test runs our own binary")]
fn verified<'p>(programs: impl Iterator<Item = &'p PathBuf>, root: &Path, scratch: &Path) -> BTreeMap<PathBuf, Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .args(["verify", "programs", "-n", "4", "--output-format", "json", "--python"])
        .arg(root.join(".venv/bin/python"))
        .args(programs)
        .env("XDG_CACHE_HOME", scratch.join("cache"))
        .env_remove("RANKLINT_PYTHON_ROOT")
        .current_dir(scratch)
        .output()
        .expect("our own binary starts");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let programs = report["programs"].as_array().expect("it lists the programs").iter();
    programs.map(|each| (PathBuf::from(each["program"].as_str().unwrap_or_default()), each["report"].clone())).collect()
}

/// The name of an outcome.
fn outcome(report: &Value) -> String {
    match &report["outcome"] {
        Value::Object(outcome) => outcome.keys().next().cloned().unwrap_or_default(),
        outcome => outcome.as_str().unwrap_or_default().to_owned(),
    }
}

/// Whether the verdict names a line of the program: where ranks part, or where one raises.
fn names(report: &Value, program: &Path) -> bool {
    let program = program.to_string_lossy();
    let is_named = |frames: &Value| {
        frames.as_array().is_some_and(|frames| frames.iter().any(|frame| frame["path"].as_str() == Some(&*program)))
    };
    let divergence = report["outcome"].as_object().and_then(|outcome| outcome.values().next());
    let sides = divergence.and_then(|divergence| divergence["sides"].as_array()).cloned().unwrap_or_default();
    let raised = report["lanes"].as_array().cloned().unwrap_or_default();
    sides
        .iter()
        .flat_map(|side| side["doing"].as_object().cloned().unwrap_or_default())
        .any(|(_, doing)| is_named(&doing["frames"]))
        || raised.iter().any(|lane| is_named(&lane["raised_at"]))
}

#[expect(clippy::disallowed_methods, reason = "the test reads the witness programs")]
fn programs(folder: &Path) -> BTreeMap<PathBuf, Expected> {
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    let paths = entries.map(|entry| entry.expect("the folder is readable").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a program is readable");
            let line = text.lines().find_map(|line| line.strip_prefix("# expect: "));
            let expected = match line.map(str::trim) {
                Some("diverges") => Expected::Diverges,
                Some("in-step") => Expected::InStep,
                Some("either") => Expected::Either,
                other => panic!("{}: `# expect: {other:?}`", path.display()),
            };
            (path, expected)
        })
        .collect()
}
