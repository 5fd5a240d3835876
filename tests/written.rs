//! Programs that were written to be missed, each with a mended twin or with what is right beside what is not: what is found
//! is what testdata/written/verdicts.md says.
#![expect(clippy::disallowed_methods, reason = "the test reads its data and makes scratch folders")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

/// A finding that is so many lines from a mark still names it.
const NEAR: u64 = 3;

/// The longest that one program may take; they take a hundredth of that.
const LIMIT: Duration = Duration::from_secs(60);

/// A marked line, and which bug of its program it belongs to.
#[derive(Clone)]
struct Mark {
    path: String,
    line: u64,
    bug: String,
}

#[test]
fn programs_written_to_be_missed_are_found_as_before() {
    let home = support::root().join("testdata/written");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("written");
    let _ = fs::remove_dir_all(&scratch);
    let mut table = "# Verdicts\n\n| program | its bug | its mended twin |\n|---|---|---|\n".to_owned();
    let (mut programs, mut found, mut low, mut noisy) = (0, 0, 0, 0);
    let mut beside = Beside::default();
    for set in folders(&home) {
        for program in folders(&set) {
            let name = program.strip_prefix(&home).expect("it lies there").display().to_string();
            if !program.join("ok.py").is_file() && !program.join("ok").is_dir() {
                let (bugs, rest) = beside.add(&scratch, &program);
                let _ = writeln!(table, "| {name} | {bugs} | {rest} |");
                continue;
            }
            let bug = verdict_on_bug(&scratch, &program);
            let twin = verdict_on_twin(&scratch, &program);
            programs += 1;
            found += usize::from(bug.starts_with("found"));
            low += usize::from(bug.starts_with("low"));
            noisy += usize::from(twin != "silent");
            let _ = writeln!(table, "| {name} | {bug} | {twin} |");
        }
    }
    assert!(programs >= 80, "the programs are there");
    let _ =
        writeln!(table, "\nOf {programs} bugs {found} are found, {low} at low confidence; {noisy} twins are reported.");
    let Beside { bugs, found, low, noisy } = beside;
    assert!(bugs >= 130, "the programs with right and wrong side by side are there");
    let _ = writeln!(
        table,
        "\nOf {bugs} bugs beside what is right {found} are found, {low} at low confidence; in {noisy} programs something else is \
         reported."
    );
    let known = home.join("verdicts.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&known, &table).expect("the verdicts can be written");
    }
    let known = fs::read_to_string(&known).unwrap_or_default();
    for (now, before) in table.lines().zip(known.lines()) {
        assert_eq!(now, before, "`UPDATE=1 cargo test --test written` writes the verdicts anew");
    }
    assert_eq!(table.lines().count(), known.lines().count());
}

/// Programs in which what is right stands beside what is not: how many of the marked places are named, and in how many
/// programs something else is.
#[derive(Default)]
struct Beside {
    bugs: usize,
    found: usize,
    low: usize,
    noisy: usize,
}

impl Beside {
    fn add(&mut self, scratch: &Path, program: &Path) -> (String, String) {
        let (folder, marks) = copied(scratch, program, "bug");
        assert!(!marks.is_empty(), "{} has marks", program.display());
        let findings = findings(&folder);
        let is_sure = |finding: &&Value| finding["confidence"] != "low";
        // Each bug has a number, and one or more marks.
        let mut bugs: BTreeMap<&str, Vec<Mark>> = BTreeMap::new();
        for mark in &marks {
            bugs.entry(mark.bug.as_str()).or_default().push(mark.clone());
        }
        let named = |marks: &[Mark], sure: bool| {
            findings.iter().any(|finding| is_sure(&finding) == sure && names(finding, marks))
        };
        let found = bugs.values().filter(|marks| named(marks, true)).count();
        let low = bugs.values().filter(|marks| !named(marks, true) && named(marks, false)).count();
        let others = findings.iter().filter(is_sure).filter(|finding| !names(finding, &marks));
        let others: Vec<String> = others.map(|finding| format!("`{}`", rule(finding))).collect();
        self.bugs += bugs.len();
        self.found += found;
        self.low += low;
        self.noisy += usize::from(!others.is_empty());
        let bugs = format!("{found} of {} found, {low} low", bugs.len());
        (bugs, if others.is_empty() { "silent".into() } else { format!("reported: {}", others.join(", ")) })
    }
}

/// What is said of the bug: found, at low confidence only, or missed.
fn verdict_on_bug(scratch: &Path, program: &Path) -> String {
    let (folder, marks) = copied(scratch, program, "bug");
    assert!(!marks.is_empty(), "{} has marks", program.display());
    let findings = findings(&folder);
    let hits = |low: bool| {
        let of_confidence = findings.iter().filter(|finding| (finding["confidence"] == "low") == low);
        of_confidence.filter(|finding| names(finding, &marks)).map(rule).collect::<Vec<_>>()
    };
    match (&hits(false)[..], &hits(true)[..]) {
        ([sure, ..], _) => format!("found: `{sure}`"),
        ([], [low, ..]) => format!("low: `{low}`"),
        ([], []) => "missed".into(),
    }
}

/// What is said of the twin at more than low confidence.
fn verdict_on_twin(scratch: &Path, program: &Path) -> String {
    let (folder, _) = copied(scratch, program, "ok");
    let findings = findings(&folder);
    let rules: Vec<String> = findings
        .iter()
        .filter(|finding| finding["confidence"] != "low")
        .map(|finding| format!("`{}`", rule(finding)))
        .collect();
    match rules.is_empty() {
        true => "silent".into(),
        false => format!("reported: {}", rules.join(", ")),
    }
}

fn rule(finding: &Value) -> &str {
    finding["rule"].as_str().unwrap_or_default()
}

/// Whether a finding names a marked line, or one near it.
fn names(finding: &Value, marks: &[Mark]) -> bool {
    let related = finding["related"].as_array().into_iter().flatten();
    std::iter::once(finding).chain(related).any(|place| {
        let (path, line) = (place["path"].as_str().unwrap_or_default(), place["line"].as_u64().unwrap_or_default());
        marks.iter().any(|mark| mark.path == path && mark.line.abs_diff(line) <= NEAR)
    })
}

fn findings(folder: &Path) -> Vec<Value> {
    let arguments = [
        "check",
        ".",
        "--isolated",
        "--no-cache",
        "--min-confidence",
        "low",
        "--select",
        "collectives",
        "--output-format",
        "json",
    ];
    let output = support::ranklint(folder, &arguments, LIMIT);
    let report: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    report["findings"].as_array().cloned().unwrap_or_default()
}

/// One side of a program in a folder of its own, and the lines in it that are marked.
fn copied(scratch: &Path, program: &Path, side: &str) -> (PathBuf, Vec<Mark>) {
    let set = program.parent().and_then(Path::file_name).expect("a program lies in a set");
    let folder = scratch.join(set).join(program.file_name().expect("a program has a name")).join(side);
    let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
    let alone = program.join(format!("{side}.py"));
    if alone.is_file() {
        files.push((alone, "train.py".into()));
    } else {
        let from = program.join(side);
        let mut pending = vec![from.clone()];
        while let Some(at) = pending.pop() {
            for entry in fs::read_dir(&at).expect("the folder is readable") {
                let path = entry.expect("the folder is readable").path();
                match path.is_dir() {
                    true => pending.push(path),
                    false => {
                        let within = Path::new("pkg").join(path.strip_prefix(&from).expect("it lies there"));
                        files.push((path, within));
                    }
                }
            }
        }
    }
    let mut marks = Vec::new();
    for (path, within) in files {
        let text = fs::read_to_string(&path).expect("a program is readable");
        let marked = (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, text.split_once("# BUG")?.1)));
        marks.extend(marked.map(|(line, bug)| Mark {
            path: within.to_string_lossy().replace('\\', "/"),
            line,
            bug: bug.trim().to_owned(),
        }));
        let to = folder.join(&within);
        fs::create_dir_all(to.parent().expect("it lies in a folder")).expect("the scratch folder can be made");
        fs::write(to, text).expect("the scratch folder can be written to");
    }
    (folder, marks)
}

/// The folders in a folder, by name.
fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).expect("the folder is readable").map(|entry| entry.expect("it is readable").path());
    let mut out: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    out.sort();
    out
}
