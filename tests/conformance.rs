//! Recall and false reports on the shared witness programs, counted as `../shared/tools/conformance.py` counts them.

#![allow(clippy::disallowed_methods, reason = "harnesses read and copy files")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use regex::Regex;

use support::{findings, ranklint, root, tree};

/// The share of diverging programs that must be reported.
const MIN_RECALL: f64 = 0.95;
/// The groups whose findings count.
const GROUPS: [&str; 4] = ["collectives", "control-plane", "parity", "compile"];

#[test]
fn diverging_programs_are_reported_and_programs_in_step_are_not() {
    let folder = root().join("../shared/conformance/ranks");
    assert!(
        folder.is_dir(),
        "the witness programs are not there: ../shared/conformance/ranks must lie beside the crate's own folder"
    );
    let arguments = ["check", "--no-cache", "--isolated", "--output-format", "json", "."];
    let got = findings(&ranklint(&folder, &arguments, Duration::from_secs(60))).expect("ranklint checks the programs");
    let mut reported: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for finding in got.into_iter().filter(|finding| GROUPS.contains(&finding.group.as_str()) && !finding.low) {
        reported.entry(finding.path).or_default().insert(finding.rule);
    }
    let expectation = Regex::new(r"(?m)^# expect: (\S+)").expect("it is valid");
    let (mut diverging, mut missed, mut wrong) = (0, Vec::new(), Vec::new());
    for path in tree(&folder).into_iter().filter(|path| path.ends_with(".py")) {
        let text = fs::read_to_string(folder.join(&path)).expect("programs can be read");
        match expectation.captures(&text).map(|found| found[1].to_owned()).as_deref() {
            None | Some("either") => {}
            Some("diverges") => {
                diverging += 1;
                if !reported.contains_key(&path) {
                    missed.push(path);
                }
            }
            Some(_) => wrong.extend(reported.get(&path).map(|rules| format!("{path}: {rules:?}"))),
        }
    }
    assert!(diverging > 0, "no program of ../shared/conformance/ranks is marked `# expect: diverges`");
    let recall = (diverging - missed.len()) as f64 / diverging as f64;
    println!("recall {}/{diverging} = {recall:.3}", diverging - missed.len());
    let list = |of: &[String]| of.iter().map(|line| format!("  {line}\n")).collect::<String>();
    let report = format!("missed:\n{}wrongly reported:\n{}", list(&missed), list(&wrong));
    assert!(recall >= MIN_RECALL && wrong.is_empty(), "recall {recall:.3}, at least {MIN_RECALL} is wanted\n{report}");
}
