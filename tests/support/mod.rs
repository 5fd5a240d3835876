//! What the harnesses share: a case is some files; the binary checks a copy of them; marks in the files say what it must find.
#![allow(dead_code, reason = "every harness uses its part")]

pub mod fixtures;
pub mod folder;
pub mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use regex::Regex;
use serde_json::Value;

/// The root of the crate.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Some files that are checked together.
pub struct Case {
    /// Unique within the harness; also the name of the folder that the files are copied to.
    pub name: String,
    /// Path within the case, and content.
    pub files: Vec<(String, Vec<u8>)>,
}

/// One finding, as far as the harnesses look at it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Got {
    /// Path within the case.
    pub path: String,
    /// Line of the primary place.
    pub line: u32,
    /// Name of the rule.
    pub rule: String,
    /// Name of the rule's group.
    pub group: String,
    /// Whether the confidence is low.
    pub low: bool,
}

/// What the marks of a line say, or what was found there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Rules that must be reported at medium or high confidence.
    pub sure: BTreeSet<String>,
    /// Rules that must be reported at low confidence.
    pub low: BTreeSet<String>,
}

/// Runs the binary in `folder` with `arguments`, for at most `limit`.
pub fn ranklint(folder: &Path, arguments: &[&str], limit: Duration) -> Output {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .current_dir(folder)
        .args(arguments)
        .timeout(limit)
        .output()
        .expect("the binary starts")
}

/// Findings in the JSON object that the binary printed.
pub fn findings(output: &Output) -> Result<Vec<Got>, String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("ranklint ended with {}: {}", output.status, stderr.trim()));
    }
    let object: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("ranklint printed no JSON object ({error}): {}", stderr.trim()))?;
    let Some(found) = object["findings"].as_array() else { return Err("the object has no findings".into()) };
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let got = found.iter().map(|finding| Got {
        path: text(finding, "path").trim_start_matches("./").to_owned(),
        line: finding["line"].as_u64().unwrap_or_default() as u32,
        rule: text(finding, "rule"),
        group: text(finding, "group"),
        low: finding["confidence"] == "low",
    });
    Ok(got.collect())
}

/// A fresh, empty folder of the harness `harness` under cargo's target folder.
pub fn scratch(harness: &str, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(harness).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("old copies can be removed");
    }
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// Copies the case and checks the copy as a project of its own: without configuration, or with its own `ranklint.toml`.
pub fn check(harness: &str, case: &Case) -> Result<Vec<Got>, String> {
    let folder = scratch(harness, &case.name);
    for (path, content) in &case.files {
        let target = folder.join(path);
        fs::create_dir_all(target.parent().expect("a file lies in a folder")).expect("the target folder is writable");
        fs::write(target, content).expect("the target folder is writable");
    }
    let configured = case.files.iter().any(|(path, _)| path == "ranklint.toml");
    let config: &[&str] = if configured { &["--config", "ranklint.toml"] } else { &["--isolated"] };
    let common = ["--no-cache", "--output-format", "json", "--min-confidence", "low", "."];
    let arguments: Vec<&str> = ["check"].iter().chain(config).chain(&common).copied().collect();
    findings(&ranklint(&folder, &arguments, Duration::from_secs(60)))
}

/// `work` on every item, on a few threads; results in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get()).clamp(1, 8);
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < items.len()) {
                    let result = work(&items[index]);
                    *slots[index].lock().expect("no thread panics while it holds a slot") = Some(result);
                }
            });
        }
    });
    slots.into_iter().map(|slot| slot.into_inner().expect("not poisoned").expect("every item was worked on")).collect()
}

/// What the marks in `text` say, by line; lines without marks are absent.
pub fn marks(text: &str) -> BTreeMap<u32, Expected> {
    static MARK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"#\s*(error|low):\s*\[([^\]]*)\]").expect("it is valid"));
    let mut marks: BTreeMap<u32, Expected> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        for mark in MARK.captures_iter(line) {
            let expected = marks.entry(index as u32 + 1).or_default();
            let rules = if &mark[1] == "error" { &mut expected.sure } else { &mut expected.low };
            rules.extend(mark[2].split(',').map(|rule| rule.trim().to_owned()).filter(|rule| !rule.is_empty()));
        }
    }
    marks
}

/// What the marks of all scripts of a case say, by path and line.
pub fn case_marks(case: &Case) -> BTreeMap<(String, u32), Expected> {
    let mut all = BTreeMap::new();
    for (path, content) in &case.files {
        let script = [".py", ".pyi", ".ipynb", ".sh", ".bash"].iter().any(|ending| path.ends_with(ending));
        if script || String::from_utf8_lossy(content).starts_with("#!") {
            let text = String::from_utf8_lossy(content);
            all.extend(marks(&text).into_iter().map(|(line, expected)| ((path.clone(), line), expected)));
        }
    }
    all
}

/// What was found, by path and line.
pub fn by_line(got: &[Got]) -> BTreeMap<(String, u32), Expected> {
    let mut lines: BTreeMap<(String, u32), Expected> = BTreeMap::new();
    for found in got {
        let line = lines.entry((found.path.clone(), found.line)).or_default();
        if found.low { &mut line.low } else { &mut line.sure }.insert(found.rule.clone());
    }
    lines
}

/// A line of the report of a harness: `path:line: expected a, b; got nothing`.
pub fn mismatch(path: &str, line: u32, expected: &Expected, got: &Expected) -> String {
    let words = |of: &Expected| {
        let low = of.low.iter().map(|rule| format!("{rule} (low)"));
        let words: Vec<String> = of.sure.iter().cloned().chain(low).collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    };
    format!("{path}:{line}: expected {}; got {}", words(expected), words(got))
}

/// All files below `folder` as paths with forward slashes, sorted. Caches of Python are no files of ours.
pub fn tree(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, prefix: &str, into: &mut Vec<String>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                if name != "__pycache__" {
                    walk(&entry.path(), &format!("{prefix}{name}/"), into);
                }
            } else {
                into.push(format!("{prefix}{name}"));
            }
        }
    }
    let mut files = Vec::new();
    walk(folder, "", &mut files);
    files.sort();
    files
}

/// Fails with all of `problems`, if there are any.
pub fn must_be_empty(what: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{} {what}:\n{}\n", problems.len(), problems.join("\n"));
}
