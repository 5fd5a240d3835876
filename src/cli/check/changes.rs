//! `check --fix`, `--diff` and `--add-ignore`: texts are changed until nothing is left to change, and written once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::base::{FileId, LineIndex};
use crate::cli::args::CheckArguments;
use crate::cli::{Exit, Failure, complain, print};
use crate::finding::{Edit, Fix};
use crate::fix::{self, Trust};
use crate::source::{Content, Kind, SourceFile};
use crate::triage::{can_be_ignored, ignore_here};

use super::Outcome;
use super::setup::{Setup, stdin_name};

/// How often the texts are looked at anew: a fix may make room for another.
const ROUNDS: usize = 10;

/// What is done to the texts.
pub(super) enum Change {
    /// Fixes are applied.
    Fix(Trust),
    /// Findings are silenced by comments, with this reason.
    Ignore(String),
}

/// Texts with nothing left to change.
pub(super) struct Settled {
    /// What is found in them.
    pub outcome: Outcome,
    /// Path, language, text before and after of each file that is different.
    changed: Vec<(String, Kind, Arc<str>, Arc<str>)>,
    /// How many fixes, or comments.
    applied: usize,
    /// How many would have broken a file.
    refused: usize,
}

impl Change {
    /// What the arguments ask for.
    pub fn wanted(arguments: &CheckArguments, setup: &Setup) -> Result<Option<Change>, Failure> {
        let change = match &arguments.add_ignore {
            Some(reason) if reason.is_empty() && setup.config.require_reason => {
                let help = "write `--add-ignore=REASON`".to_owned();
                return Err(Failure::usage("this project's suppressions must say why", Some(help)));
            }
            Some(reason) if reason.contains(char::is_control) => {
                return Err(Failure::usage("the reason of `--add-ignore` must fit on one line", None));
            }
            Some(reason) => Change::Ignore(reason.trim().to_owned()),
            None if arguments.fix || arguments.diff => {
                Change::Fix(if arguments.unsafe_fixes { Trust::Any } else { Trust::Safe })
            }
            None => return Ok(None),
        };
        if stdin_name(arguments).is_some() && !arguments.diff {
            let help = "`--diff` shows what would change".to_owned();
            return Err(Failure::usage("standard input cannot be changed", Some(help)));
        }
        Ok(Some(change))
    }

    /// Looks and changes in turns.
    pub fn settle(&self, mut sources: Vec<SourceFile>, look: impl Fn(Vec<SourceFile>) -> Outcome) -> Settled {
        let before = sources.clone();
        let at: BTreeMap<String, usize> =
            sources.iter().enumerate().map(|(index, source)| (source.path.clone(), index)).collect();
        let rounds = if matches!(self, Change::Ignore(_)) { 1 } else { ROUNDS };
        let (mut applied, mut refused) = (0, 0);
        let mut outcome = look(sources.clone());
        for _ in 0..rounds {
            let kind = |file: FileId| sources[at[&outcome.files[file.index()].path]].kind;
            let comments;
            let fixes: Vec<&Fix> = match self {
                Change::Fix(trust) => {
                    let offered = outcome.triaged.findings.iter().filter_map(|finding| finding.fix.as_ref());
                    offered.filter(|fix| trust.takes(fix)).collect()
                }
                Change::Ignore(reason) => {
                    comments = ignores(&outcome, reason, &kind);
                    comments.iter().collect()
                }
            };
            let patched = fix::apply(&fixes, &outcome.files, kind);
            refused = patched.refused;
            if patched.texts.is_empty() {
                break;
            }
            applied += patched.applied.len();
            for (file, text) in patched.texts {
                sources[at[&outcome.files[file.index()].path]].content = Content::Text(text);
            }
            outcome = look(sources.clone());
        }
        let pairs = before.into_iter().zip(sources);
        let changed = pairs.filter_map(|(old, new)| match (old.content, new.content) {
            (Content::Text(from), Content::Text(to)) if from != to => Some((old.path, old.kind, from, to)),
            _ => None,
        });
        Settled { outcome, changed: changed.collect(), applied, refused }
    }

    fn words(&self, count: usize) -> String {
        let plural = if count == 1 { "" } else { "s" };
        match self {
            Change::Fix(_) => format!("{count} fix{}", if count == 1 { "" } else { "es" }),
            Change::Ignore(_) => format!("{count} suppression{plural}"),
        }
    }
}

/// A comment for each line on which something is found.
fn ignores(outcome: &Outcome, reason: &str, kind: &dyn Fn(FileId) -> Kind) -> Vec<Fix> {
    let mut lines: BTreeMap<FileId, LineIndex> = BTreeMap::new();
    let mut groups: BTreeMap<(FileId, u32), Vec<&crate::finding::Finding>> = BTreeMap::new();
    for finding in outcome.triaged.findings.iter().filter(|finding| can_be_ignored(finding.rule)) {
        let file = finding.site.file;
        let index = lines.entry(file).or_insert_with(|| LineIndex::new(&outcome.files[file.index()].text));
        groups.entry((file, index.line(finding.site.span.start))).or_default().push(finding);
    }
    let comment = |((file, _), findings): ((FileId, u32), Vec<&crate::finding::Finding>)| {
        let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        let text = &outcome.files[file.index()].text;
        let (span, content) = ignore_here(text, kind(file), findings[0].site.span, &rules, reason)?;
        let edits = vec![Edit { site: crate::base::Site { file, span }, content }];
        Some(Fix { message: String::new(), safe: true, edits })
    };
    groups.into_iter().filter_map(comment).collect()
}

impl Settled {
    /// Prints what would change; the exit code says whether anything would.
    pub fn show(&self, change: &Change) -> Result<Exit, Failure> {
        let patches: Vec<String> =
            self.changed.iter().map(|(path, _, from, to)| fix::unified(path, from, to)).collect();
        print(&patches.concat())?;
        self.tell(change, "would be made");
        Ok(if self.changed.is_empty() { Exit::Clean } else { Exit::Findings })
    }

    /// Writes what is different.
    pub fn write(&self, change: &Change, cwd: &Path) -> Result<(), Failure> {
        let failed: Vec<String> = (self.changed.iter())
            .filter_map(|(path, kind, from, to)| {
                let why = fix::replace(&cwd.join(path), *kind, from, to).err()?;
                Some(format!("cannot change `{path}`: {why}"))
            })
            .collect();
        let Some((last, others)) = failed.split_last() else {
            self.tell(change, "made");
            return Ok(());
        };
        others.iter().for_each(|message| complain("error", message, None));
        let done = match self.changed.len() - failed.len() {
            0 => None,
            1 => Some("the other file is changed".to_owned()),
            done => Some(format!("the other {done} files are changed")),
        };
        Err(Failure::usage(last.clone(), done))
    }

    fn tell(&self, change: &Change, done: &str) {
        if self.applied > 0 {
            let files = self.changed.len();
            let files = format!("{files} file{}", if files == 1 { "" } else { "s" });
            complain("note", &format!("{} {done} in {files}", change.words(self.applied)), None);
        }
        if self.refused > 0 {
            let message =
                format!("{} left out: the file does not parse, or would not any more", change.words(self.refused));
            complain("warning", &message, None);
        }
    }
}
