//! What runs have said about findings, so that `check` and the editor can say it too.
//!
//! A verdict belongs to a finding by its fingerprint, with the file named from the root of the file system: it holds wherever a
//! run starts, and until the line of the finding changes. The last run that decided counts.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::analyze::FileRecord;
use crate::cache::{keep_text, kept_text};
use crate::finding::{Evidence, Finding};
use crate::report::{Places, fingerprints};

use super::baseline::Rebased;

/// The name under which they are kept.
const NAME: &str = "verdicts.json";

/// The layout that is written and read.
const VERSION: u32 = 1;

/// More verdicts are not kept; the oldest ones go first.
const MOST: usize = 4_096;

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    verdicts: BTreeMap<String, Verdict>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Verdict {
    evidence: Evidence,
    /// When, in seconds since 1970.
    time_s: u64,
}

/// Verdicts of runs, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts(BTreeMap<String, Verdict>);

impl Verdicts {
    /// Those that this user's runs have left.
    pub fn of_user() -> Verdicts {
        kept_text(NAME).map(|text| Verdicts::read(&text)).unwrap_or_default()
    }

    fn read(text: &str) -> Verdicts {
        let kept = serde_json::from_str(text).ok().filter(|kept: &Kept| kept.version == VERSION);
        Verdicts(kept.map(|kept| kept.verdicts).unwrap_or_default())
    }

    fn text(&self) -> String {
        serde_json::to_string(&Kept { version: VERSION, verdicts: self.0.clone() }).unwrap_or_default()
    }

    /// Writes onto each finding what a run has said about it.
    pub fn apply(&self, findings: &mut [Finding], files: &[FileRecord], cwd: &Path) {
        if self.0.is_empty() {
            return;
        }
        let names = names(findings, files, cwd);
        for (finding, name) in findings.iter_mut().zip(names) {
            if let Some(verdict) = self.0.get(&name) {
                finding.evidence = verdict.evidence;
            }
        }
    }

    /// Keeps what a run says now: the evidence of each finding. A run that decided nothing changes nothing.
    pub fn keep(findings: &[Finding], files: &[FileRecord], cwd: &Path) {
        let time_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut known = Verdicts::of_user();
        if known.add(findings, names(findings, files, cwd), time_s) {
            keep_text(NAME, &known.text());
        }
    }

    fn add(&mut self, findings: &[Finding], names: Vec<String>, time_s: u64) -> bool {
        let decided = |evidence| matches!(evidence, Evidence::Confirmed | Evidence::Refuted);
        let new = findings.iter().zip(names).filter(|(finding, _)| decided(finding.evidence));
        let new: Vec<(String, Verdict)> =
            new.map(|(finding, name)| (name, Verdict { evidence: finding.evidence, time_s })).collect();
        let changes = !new.is_empty();
        self.0.extend(new);
        let mut times: Vec<u64> = self.0.values().map(|verdict| verdict.time_s).collect();
        if times.len() > MOST {
            times.sort_unstable();
            let oldest = times[times.len() - MOST];
            self.0.retain(|_, verdict| verdict.time_s >= oldest);
        }
        changes
    }
}

fn names(findings: &[Finding], files: &[FileRecord], cwd: &Path) -> Vec<String> {
    let rebased = Rebased::new(files, cwd, Path::new("/"));
    fingerprints(findings, &Places::new(&rebased))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, Site, Span};
    use crate::rules::Findings;

    fn finding(evidence: Evidence) -> Finding {
        let site = Site { file: FileId(0), span: Span::new(0, 1) };
        Finding { evidence, ..Findings::new_finding(&crate::meta::SYNTAX_ERROR, site, "", "it may differ") }
    }

    fn files(path: &str, text: &str) -> Vec<FileRecord> {
        vec![FileRecord { path: path.into(), text: text.into(), comments: Vec::new() }]
    }

    #[test]
    fn a_verdict_is_found_again_from_another_folder_and_not_after_a_change() {
        let run = files("job/train.py", "x = 1\n");
        let mut known = Verdicts::default();
        let said = [finding(Evidence::Confirmed)];
        assert!(known.add(&said, names(&said, &run, Path::new("/home/me")), 7));
        let known = Verdicts::read(&known.text());
        let seen = |path: &str, text: &str, cwd: &str| {
            let mut findings = [finding(Evidence::Static)];
            known.apply(&mut findings, &files(path, text), Path::new(cwd));
            findings[0].evidence
        };
        assert_eq!(seen("train.py", "x = 1\n", "/home/me/job"), Evidence::Confirmed);
        assert_eq!(seen("../me/job/train.py", "x = 1\n", "/home/you"), Evidence::Confirmed);
        assert_eq!(seen("train.py", "x = 2\n", "/home/me/job"), Evidence::Static);
        assert_eq!(seen("train.py", "x = 1\n", "/home/me"), Evidence::Static);
    }

    #[test]
    fn each_finding_has_its_own_verdict() {
        let run = files("train.py", "x = 1\ny = 1\nz = 1\n");
        let findings = |evidence: [Evidence; 3]| {
            let at = |index: u32| Site { file: FileId(0), span: Span::new(6 * index, 6 * index + 1) };
            [0, 1, 2].map(|index| Finding { site: at(index), ..finding(evidence[index as usize]) })
        };
        let evidence = [Evidence::Confirmed, Evidence::Refuted, Evidence::Inconclusive];
        let (said, mut known) = (findings(evidence), Verdicts::default());
        known.add(&said, names(&said, &run, Path::new("/")), 1);
        let mut seen = findings([Evidence::Static; 3]);
        known.apply(&mut seen, &run, Path::new("/"));
        assert_eq!(seen.map(|finding| finding.evidence), [Evidence::Confirmed, Evidence::Refuted, Evidence::Static]);
    }

    #[test]
    fn the_last_run_that_decided_counts_and_the_oldest_go() {
        let run = files("train.py", "x = 1\n");
        let mut known = Verdicts::default();
        for (time_s, evidence) in [(1, Evidence::Confirmed), (2, Evidence::Refuted), (3, Evidence::Inconclusive)] {
            let said = [finding(evidence)];
            known.add(&said, names(&said, &run, Path::new("/")), time_s);
        }
        assert_eq!(known.0.values().map(|verdict| verdict.evidence).collect::<Vec<_>>(), [Evidence::Refuted]);
        let many: Vec<Finding> = (0..MOST).map(|_| finding(Evidence::Confirmed)).collect();
        known.add(&many, (0..MOST).map(|number| number.to_string()).collect(), 9);
        assert!(known.0.len() == MOST && known.0.values().all(|verdict| verdict.time_s == 9));
    }

    #[test]
    fn what_is_damaged_is_nothing() {
        for text in ["", "{", r#"{"version": 2, "verdicts": {}}"#, r#"{"version": 1, "verdicts": {"a": {}}}"#] {
            assert_eq!(Verdicts::read(text), Verdicts::default());
        }
    }
}
