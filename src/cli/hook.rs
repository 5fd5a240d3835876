//! `ranklint hook`: what a coding assistant is told about the file that it has just edited.
//!
//! The assistant sends an event as JSON; the answer is a decision as JSON. Whatever goes wrong here lets the edit pass:
//! a linter that cannot look has no say.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::analyze::{Options, Progress, Workers};
use crate::finding::{Finding, Severity};
use crate::project::{ConfigFrom, Project};
use crate::report::{self, Files as _, Places};
use crate::source::shown;

use super::check::Records;
use super::{Exit, Failure, complain, print, project};

/// The exit codes, for `--help`.
pub(super) const HELP: &str = "\
Reads an event such as
  {\"cwd\": \"/project\", \"tool_name\": \"Edit\", \"tool_input\": {\"file_path\": \"train.py\"}}
and answers with {\"decision\": \"allow\"}, or with {\"decision\": \"block\", \"reason\": …, \"findings\": […]}. The project of the
file is read; findings in the file itself count, and warnings and errors block. Where the event has a `hook_event_name` of
`PreToolUse` or `PostToolUse`, an answer without `decision` lets the edit pass: there, allowing would skip the question
whether the tool may run.

Exit codes:
  0  the answer is on standard output, whichever it is
  3  a defect of ranklint itself; the edit is allowed
  4  the event or the configuration cannot be understood; the edit is allowed";

/// Runs the command.
pub(super) fn run() -> Result<Exit, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    let event = match read.map_err(|error| error.to_string()).and_then(|_| event(&text)) {
        Ok(event) => event,
        Err(why) => {
            let help = "the event is one JSON object; `ranklint hook --help` shows it";
            return pass(&Value::Null, &format!("the event cannot be understood: {why}"), Some(help));
        }
    };
    let here = match project::working_directory() {
        Ok(here) => here,
        Err(failure) => return pass(&event, &failure.message, None),
    };
    let cwd = event["cwd"].as_str().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let Some(file) = edited(&event).map(|file| cwd.join(file)) else { return allow(&event) };
    match look_at(&file, &cwd) {
        Ok(verdict) if verdict.reasons.is_empty() => allow(&event),
        Ok(verdict) => answer(&json!({
            "decision": "block",
            "reason": verdict.reason(),
            "findings": verdict.findings,
        })),
        Err(failure) if failure.exit == Exit::Usage => pass(&event, &failure.message, failure.help.as_deref()),
        Err(failure) => Err(failure),
    }
}

/// The event; why there is none.
fn event(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err("standard input is empty".to_owned());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
    if value.is_object() { Ok(value) } else { Err("it is JSON, but no object".to_owned()) }
}

/// The file that was edited; none where the tool edits no file.
fn edited(event: &Value) -> Option<PathBuf> {
    [&event["tool_input"], event]
        .into_iter()
        .flat_map(|place| ["file_path", "filePath", "path"].map(|key| &place[key]))
        .find_map(Value::as_str)
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// What was found in a file.
#[derive(Default)]
struct Verdict {
    reasons: Vec<String>,
    findings: Vec<Value>,
}

impl Verdict {
    fn reason(&self) -> String {
        let what = "ranklint: ranks can part ways after this edit. Each place, why, and what to do:";
        format!("{what}\n\n{}", self.reasons.join("\n\n"))
    }

    fn add(&mut self, finding: &Finding, places: &Places<'_>) {
        let start = places.range(finding.site).start;
        let path = places.path(finding.site.file);
        let (line, column) = (start.line, start.column);
        if finding.severity >= Severity::Warning {
            let story = report::story(finding, places);
            let rule = finding.rule;
            self.reasons.push(format!("{path}:{line}:{column} {rule}: {story}\nmore: `ranklint explain {rule}`"));
        }
        self.findings.push(json!({
            "rule": finding.rule,
            "severity": finding.severity,
            "confidence": finding.confidence,
            "path": path,
            "line": line,
            "column": column,
            "message": finding.message,
            "help": finding.help,
        }));
    }
}

/// Checks a file in its project.
fn look_at(file: &Path, cwd: &Path) -> Result<Verdict, Failure> {
    let mut verdict = Verdict::default();
    let root = root_of(file, cwd)?;
    let project = Project::open(ConfigFrom::Nearest(file), &root)?;
    let found = project::files(&[PathBuf::from(".")], &root, &project.config, false)?;
    let name = shown(file, &root);
    if !found.iter().any(|found| found.path == name) {
        return Ok(verdict);
    }
    let workers = Workers::start(0).map_err(|error| Failure::usage(format!("cannot start threads: {error}"), None))?;
    let progress = Progress::default();
    let options = Options {
        rules: &project.rules,
        facts: project.facts.clone(),
        catalog: project.catalog.clone(),
        progress: &progress,
    };
    let mut analysis = workers.analyze(workers.read(found), options);
    let triaged = project.triage(std::mem::take(&mut analysis.findings), &analysis.files);
    let records = Records(&analysis.files);
    let places = Places::new(&records);
    let own = triaged.findings.iter().filter(|finding| records.path(finding.site.file) == name);
    own.for_each(|finding| verdict.add(finding, &places));
    match analysis.internal.first() {
        Some(error) if verdict.findings.is_empty() => {
            Err(Failure::internal(format!("{}: {}", error.path, error.message)))
        }
        _ => Ok(verdict),
    }
}

/// The folder of the file's project: where its configuration lies, or else its repository, or else where the assistant works
/// if the file lies there. A configuration that lies above the repository holds, and does not widen the project.
fn root_of(file: &Path, cwd: &Path) -> Result<PathBuf, Failure> {
    let folder = file.parent().unwrap_or(cwd);
    let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
    let outer = repository.or_else(|| file.starts_with(cwd).then_some(cwd)).unwrap_or(folder);
    let config = project::config(ConfigFrom::Nearest(file), outer)?;
    let configured = config.origin.map(|origin| outer.join(origin));
    let configured = configured.as_deref().and_then(Path::parent).filter(|folder| folder.starts_with(outer));
    Ok(configured.unwrap_or(outer).to_path_buf())
}

fn allow(event: &Value) -> Result<Exit, Failure> {
    let asks = matches!(event["hook_event_name"].as_str(), Some("PreToolUse" | "PostToolUse"));
    answer(&if asks { json!({}) } else { json!({ "decision": "allow" }) })
}

/// Lets the edit pass because it cannot be looked at.
fn pass(event: &Value, why: &str, help: Option<&str>) -> Result<Exit, Failure> {
    complain("error", why, help);
    allow(event)?;
    Ok(Exit::CannotRun)
}

fn answer(answer: &Value) -> Result<Exit, Failure> {
    print(&format!("{answer}\n"))
}
