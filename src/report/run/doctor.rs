//! What the machine offers to runs, for people and for tools.

use std::io::{self, Write};

use serde::Serialize;

use crate::finding::Severity;
use crate::report::text::{Paint, Style, push_line};
use crate::report::{counted, printable};
use crate::verify::doctor::{Check, Diagnosis, State};

/// The version of the object; it changes when a field changes its meaning or goes away.
const VERSION: u32 = 1;

/// A way to print a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoctorFormat {
    /// For people, in colours.
    Color,
    /// For people.
    Plain,
    /// One versioned object.
    Json,
}

/// Prints `diagnosis` to `out` as `format`.
pub fn render_doctor(format: DoctorFormat, diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    match format {
        DoctorFormat::Color => text(diagnosis, Paint::new(true), out),
        DoctorFormat::Plain => text(diagnosis, Paint::new(false), out),
        DoctorFormat::Json => json(diagnosis, out),
    }
}

fn text(diagnosis: &Diagnosis, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::new();
    let widest = diagnosis.checks.iter().map(|check| check.topic.len()).max().unwrap_or(0);
    for check in &diagnosis.checks {
        let (mark, style, word, more) = match &check.state {
            State::Well => ("✓", Style::Remedy, "", ""),
            State::Skipped { why } => ("–", Style::Faint, "skipped: ", why.as_str()),
            State::Problem { remedy } => ("✗", Style::Primary(Severity::Error), "help: ", remedy.as_str()),
        };
        let topic = format!("{:<widest$}", check.topic);
        push_line(&mut text, &format!(" {} {topic}  {}", paint.paint(style, mark), printable(&check.found)));
        if !more.is_empty() {
            let word = paint.paint(Style::Secondary, word);
            push_line(&mut text, &format!("   {}  {word}{}", " ".repeat(widest), printable(more)));
        }
    }
    let count = |wanted: fn(&State) -> bool| diagnosis.checks.iter().filter(|check| wanted(&check.state)).count();
    let problems = count(|state| matches!(state, State::Problem { .. }));
    let closing = match problems {
        0 => paint.paint(Style::Remedy, "ready to run"),
        _ => paint.paint(Style::Primary(Severity::Error), &counted(problems, "problem")),
    };
    push_line(&mut text, &format!("\n{closing}"));
    write!(out, "{text}")
}

#[derive(Serialize)]
struct Output<'a> {
    /// Version of this object.
    version: u32,
    /// Whether runs can be expected to work.
    ready: bool,
    checks: Vec<WireCheck<'a>>,
}

#[derive(Serialize)]
struct WireCheck<'a> {
    topic: &'a str,
    found: &'a str,
    /// `well`, `skipped` or `problem`.
    state: &'static str,
    /// What will be skipped; or empty.
    why: &'a str,
    /// What to do; or empty.
    remedy: &'a str,
}

fn json(diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    let checks = diagnosis.checks.iter().map(wire).collect();
    serde_json::to_writer_pretty(&mut *out, &Output { version: VERSION, ready: !diagnosis.has_problems(), checks })?;
    writeln!(out)
}

fn wire(check: &Check) -> WireCheck<'_> {
    let Check { topic, found, state } = check;
    let (state, why, remedy) = match state {
        State::Well => ("well", "", ""),
        State::Skipped { why } => ("skipped", why.as_str(), ""),
        State::Problem { remedy } => ("problem", "", remedy.as_str()),
    };
    WireCheck { topic, found, state, why, remedy }
}
