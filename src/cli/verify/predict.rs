//! The static half beside a run: lints the files that took part, and lets the run judge what was found.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::analyze::{FileRecord, Options, Progress, Workers};
use crate::base::{FileId, Site};
use crate::finding::{Evidence, Finding};
use crate::graph::{Program, collective_sites};
use crate::project::{ConfigFrom, Project, Verdicts};
use crate::report::{self, Places};
use crate::triage;
use crate::verify::judge::{Claim, Place, coverage, files_of, judge};
use crate::verify::outcome::{Prediction, RunReport};

use crate::cli::{Failure, complain};

/// A working directory with more files is not read as a whole: then the folders of the files that took part are.
const MANY: usize = 3_000;

/// Lints the files that took part in a run and writes into its report what the run makes of the findings. A project that
/// cannot be linted is said to be one, and costs nothing else.
pub(super) fn predict(report: &mut RunReport, cwd: &Path) {
    if let Err(failure) = lint(report, cwd) {
        complain("warning", &format!("the program was not linted: {}", failure.message), failure.help.as_deref());
    }
}

fn lint(report: &mut RunReport, cwd: &Path) -> Result<(), Failure> {
    let taking_part = taking_part(report, cwd);
    if taking_part.is_empty() {
        return Ok(());
    }
    let project = Project::open(ConfigFrom::Nearest(Path::new("")), cwd)?;
    let mut found = crate::project::files(&[root(report, cwd)], cwd, &project.config, false)?;
    let folders: BTreeSet<Option<&Path>> = taking_part.iter().map(|path| Path::new(path).parent()).collect();
    if found.len() > MANY {
        found.retain(|file| folders.contains(&file.location.parent()));
    }
    let workers = Workers::start(0).map_err(|error| Failure::internal(format!("cannot start the threads: {error}")))?;
    let sources = workers.read(found);
    let progress = Progress::default();
    let options = Options {
        rules: &project.rules,
        facts: project.facts.clone(),
        catalog: project.catalog.clone(),
        progress: &progress,
    };
    let mut analysis = workers.analyze(sources, options);
    let mut triaged = triage::of(&mut analysis, &project.policy());
    let files = Files(&analysis.files);
    let places = Places::new(&files);
    let fingerprints = report::fingerprints(&triaged.findings, &places);
    for (finding, fingerprint) in triaged.findings.iter_mut().zip(fingerprints) {
        if finding.group != "collectives" || !taking_part.contains(&absolute(places.path(finding.site.file), cwd)) {
            continue;
        }
        let judgement = judge(&claim(finding, &places, cwd), report);
        finding.evidence = judgement.evidence;
        report.predictions.push(Prediction {
            rule: finding.rule.to_owned(),
            path: places.path(finding.site.file).to_owned(),
            line: places.line(finding.site),
            message: finding.message.clone(),
            fingerprint,
            evidence: judgement.evidence,
            why: judgement.why,
        });
    }
    Verdicts::keep(&triaged.findings, &analysis.files, cwd);
    let was_foreseen = report.predictions.iter().any(|prediction| prediction.evidence == Evidence::Confirmed);
    report.unpredicted = report.outcome.divergence().is_some() && !was_foreseen;
    if let Some(program) = &analysis.program {
        report.coverage = Some(coverage(&sites(program, &taking_part, cwd), report));
    }
    Ok(())
}

/// The folder that is linted: the working directory, or that of a program which lies elsewhere.
fn root(report: &RunReport, cwd: &Path) -> PathBuf {
    let mut programs = report.command.iter().filter(|word| word.ends_with(".py")).map(|word| absolute(word, cwd));
    let elsewhere = programs.find(|program| !Path::new(program).starts_with(cwd)).map(PathBuf::from);
    elsewhere.and_then(|program| program.parent().map(Path::to_owned)).unwrap_or_else(|| cwd.to_owned())
}

/// The program's own files, by absolute path.
fn taking_part(report: &RunReport, cwd: &Path) -> BTreeSet<String> {
    let mut files = files_of(report);
    files.extend(report.command.iter().filter(|word| word.ends_with(".py")).map(|word| absolute(word, cwd)));
    let root = root(report, cwd);
    files.retain(|path| Path::new(path).starts_with(&root));
    files
}

/// The collectives in the files that took part.
fn sites(program: &Program, taking_part: &BTreeSet<String>, cwd: &Path) -> Vec<Vec<Place>> {
    let files = Linked(program);
    let places = Places::new(&files);
    let own = program.file_ids().filter(|file| taking_part.contains(&absolute(&program.file(*file).path, cwd)));
    let sites = own.flat_map(|file| collective_sites(program, file));
    sites.map(|site| lines(site, &places, cwd)).collect()
}

fn claim(finding: &Finding, places: &Places<'_>, cwd: &Path) -> Claim {
    let related = finding.related.iter().map(|related| related.site);
    let witness = finding.witness.iter().flat_map(|rank| rank.trace.iter().map(|event| event.site));
    Claim {
        own: lines(finding.site, places, cwd),
        explanation: related.chain(witness).flat_map(|site| lines(site, places, cwd)).collect(),
    }
}

fn lines(site: Site, places: &Places<'_>, cwd: &Path) -> Vec<Place> {
    let path = absolute(places.path(site.file), cwd);
    let range = places.range(site);
    (range.start.line..=range.end.line).map(|line| Place { path: path.clone(), line }).collect()
}

fn absolute(path: &str, cwd: &Path) -> String {
    // Component by component, so that `./a.py`, `b/../a.py` and `a.py` are the same.
    let mut absolute = PathBuf::new();
    for component in cwd.join(path).components() {
        match component {
            Component::ParentDir => _ = absolute.pop(),
            component => absolute.push(component),
        }
    }
    absolute.to_string_lossy().into_owned()
}

struct Files<'a>(&'a [FileRecord]);

impl report::Files for Files<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.0[file.index()].path
    }

    fn text(&self, file: FileId) -> &str {
        &self.0[file.index()].text
    }
}

struct Linked<'a>(&'a Program);

impl report::Files for Linked<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.0.file(file).path
    }

    fn text(&self, file: FileId) -> &str {
        &self.0.file(file).text
    }
}
