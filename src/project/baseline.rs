//! The baseline: findings that are known, kept by what they say and never by their line.
//!
//! An entry is recognised by its fingerprint (rule, path, symbol, text of the line). Paths are relative to the folder of
//! the baseline, so that it means the same wherever the run starts. An entry that a run should have met and did not is
//! stale; of entries in files, or of rules, that the run did not look at, nothing is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::analyze::FileRecord;
use crate::base::FileId;
use crate::finding::{Confidence, Severity, Suppressed, Suppression};
use crate::report::{Files, Places, fingerprints};
use crate::source::{read_optional, shown};
use crate::triage::{Policy, Triaged, sort_silenced};

use super::Refusal;

/// The layout that is written and read.
const VERSION: u32 = 1;

/// The file.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    findings: Vec<Entry>,
}

/// A known finding. What is beside the fingerprint is for people, and for telling what a run did not look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Entry {
    path: String,
    rule: String,
    symbol: String,
    code: String,
    severity: Severity,
    confidence: Confidence,
    fingerprint: String,
}

/// Findings that are known.
#[derive(Clone, Debug)]
pub struct Baseline {
    folder: PathBuf,
    entries: BTreeMap<String, Entry>,
}

/// What came of a baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Findings that it knows.
    pub known: usize,
    /// Entries that match nothing any more.
    pub stale: usize,
}

impl Baseline {
    /// A baseline without entries, to be kept in `file`.
    pub fn empty(file: &Path, cwd: &Path) -> Baseline {
        let folder = cwd.join(file).parent().map_or_else(|| cwd.to_path_buf(), Path::to_path_buf);
        Baseline { folder: PathBuf::from(shown(&folder, Path::new(""))), entries: BTreeMap::new() }
    }

    /// The baseline in `file`.
    pub fn load(file: &Path, cwd: &Path) -> Result<Baseline, Refusal> {
        let name = shown(file, cwd);
        if cwd.join(file).is_dir() {
            return Err(Refusal::new(
                format!("the baseline `{name}` is a folder"),
                Some("name a file in it".to_owned()),
            ));
        }
        let text = read_optional(&cwd.join(file))
            .map_err(|problem| Refusal::new(format!("{name}: {}", problem.message), Some(problem.help)))?
            .ok_or_else(|| {
                let help = "`ranklint check --update-baseline` writes it".to_owned();
                Refusal::new(format!("there is no baseline `{name}`"), Some(help))
            })?;
        let anew = || Some("`ranklint check --update-baseline` with another file writes a new one".to_owned());
        let kept: Kept = serde_json::from_str(&text)
            .map_err(|error| Refusal::new(format!("`{name}` is no baseline: {error}"), anew()))?;
        if kept.version != VERSION {
            let message = format!("`{name}` has version {}, and this ranklint reads {VERSION}", kept.version);
            return Err(Refusal::new(message, anew()));
        }
        let entries = kept.findings.into_iter().map(|entry| (entry.fingerprint.clone(), entry)).collect();
        Ok(Baseline { entries, ..Baseline::empty(file, cwd) })
    }

    /// The same; one that was not written yet knows nothing.
    pub fn load_if_there(file: &Path, cwd: &Path) -> Result<Baseline, Refusal> {
        match cwd.join(file).exists() {
            true => Baseline::load(file, cwd),
            false => Ok(Baseline::empty(file, cwd)),
        }
    }

    /// Takes the findings away that are known.
    pub fn apply(&self, triaged: &mut Triaged, files: &[FileRecord], policy: &Policy<'_>) -> Applied {
        let names = self.names(triaged, files, policy.cwd);
        let met: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let looked_at = self.looked_at(files, policy.cwd);
        let stale = self
            .entries
            .values()
            .filter(|entry| !met.contains(entry.fingerprint.as_str()) && self.is_judged(entry, &looked_at, policy));
        let stale = stale.count();
        let mut names = names.iter();
        let is_known = |_: &mut _| names.next().is_some_and(|name| self.entries.contains_key(name));
        let known: Vec<Suppressed> = (triaged.findings.extract_if(.., is_known))
            .map(|finding| Suppressed { finding, by: Suppression::Baseline })
            .collect();
        let count = known.len();
        triaged.suppressed += count;
        triaged.silenced.extend(known);
        sort_silenced(&mut triaged.silenced, files);
        Applied { known: count, stale }
    }

    /// The baseline that knows these findings, and whatever the run did not look at.
    #[must_use]
    pub fn updated(&self, triaged: &Triaged, files: &[FileRecord], policy: &Policy<'_>) -> Baseline {
        let looked_at = self.looked_at(files, policy.cwd);
        let mut entries: BTreeMap<String, Entry> = (self.entries.iter())
            .filter(|(_, entry)| !self.is_judged(entry, &looked_at, policy))
            .map(|(name, entry)| (name.clone(), entry.clone()))
            .collect();
        let rebased = Rebased::new(files, policy.cwd, &self.folder);
        let places = Places::new(&rebased);
        for (finding, name) in triaged.findings.iter().zip(fingerprints(&triaged.findings, &places)) {
            let code = places.line_text(finding.site.file, places.line(finding.site)).trim();
            let entry = Entry {
                path: places.path(finding.site.file).to_owned(),
                rule: finding.rule.to_owned(),
                symbol: finding.symbol.clone(),
                code: code.chars().take(200).collect(),
                severity: finding.severity,
                confidence: finding.confidence,
                fingerprint: name.clone(),
            };
            entries.insert(name, entry);
        }
        Baseline { folder: self.folder.clone(), entries }
    }

    /// How many findings it knows.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many findings it knows that `other` does not.
    pub fn beyond(&self, other: &Baseline) -> usize {
        self.entries.keys().filter(|name| !other.entries.contains_key(*name)).count()
    }

    /// The text of the file: sorted, one key a line, so that it merges well.
    pub fn text(&self) -> String {
        let mut findings: Vec<Entry> = self.entries.values().cloned().collect();
        findings.sort();
        let mut text = serde_json::to_string_pretty(&Kept { version: VERSION, findings }).unwrap_or_default();
        text.push('\n');
        text
    }

    fn names(&self, triaged: &Triaged, files: &[FileRecord], cwd: &Path) -> Vec<String> {
        let rebased = Rebased::new(files, cwd, &self.folder);
        fingerprints(&triaged.findings, &Places::new(&rebased))
    }

    /// The paths of the run, as the baseline calls them.
    fn looked_at(&self, files: &[FileRecord], cwd: &Path) -> BTreeSet<String> {
        Rebased::new(files, cwd, &self.folder).paths.into_iter().collect()
    }

    /// Whether the run would have met the entry if it still held. A file that is gone holds nothing.
    fn is_judged(&self, entry: &Entry, looked_at: &BTreeSet<String>, policy: &Policy<'_>) -> bool {
        let shown = entry.confidence >= policy.min_confidence && entry.severity >= policy.min_severity;
        let asked = policy.rules.iter().any(|rule| rule.name == entry.rule) || !crate::meta::is_known(&entry.rule);
        shown && asked && (looked_at.contains(&entry.path) || !self.folder.join(&entry.path).exists())
    }
}

/// Files under the names that they have from another folder.
pub(super) struct Rebased<'a> {
    files: &'a [FileRecord],
    paths: Vec<String>,
}

impl<'a> Rebased<'a> {
    /// The files of a run in `cwd`, as `folder` sees them.
    pub(super) fn new(files: &'a [FileRecord], cwd: &Path, folder: &Path) -> Rebased<'a> {
        let path = |file: &FileRecord| {
            if cwd == folder { file.path.clone() } else { shown(&cwd.join(&file.path), folder) }
        };
        Rebased { files, paths: files.iter().map(path).collect() }
    }
}

impl Files for Rebased<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.paths[file.index()]
    }

    fn text(&self, file: FileId) -> &str {
        &self.files[file.index()].text
    }
}
