//! JUnit XML: one suite, a case for the run and one a rank. A skip is a skip, and what could not be run is an error.

use std::io::{self, Write};

use super::{View, words};
use crate::report::junit::escaped;
use crate::verify::outcome::{Lane, Outcome};

pub(super) fn render(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = view.report;
    let mut cases = vec![run(view)];
    cases.extend(report.lanes.iter().map(|lane| rank(view, lane)));
    let count = |wanted: fn(&Verdict) -> bool| cases.iter().filter(|case| wanted(&case.verdict)).count();
    let failures = count(|verdict| matches!(verdict, Verdict::Failure { .. }));
    let errors = count(|verdict| matches!(verdict, Verdict::Error { .. }));
    let skipped = count(|verdict| matches!(verdict, Verdict::Skipped { .. }));
    let (tests, time) = (cases.len(), seconds(report.wall_us));
    let counts =
        format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}" time="{time}""#);
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="ranklint verify run" {counts}>"#)?;
    writeln!(out, r#"  <testsuite name="{}" {counts}>"#, escaped(&report.command.join(" ")))?;
    for case in &cases {
        let (name, time) = (escaped(&case.name), seconds(case.micros));
        write!(out, r#"    <testcase name="{name}" classname="ranklint.verify.run" time="{time}""#)?;
        if case.verdict.is_pass() && case.output.is_empty() {
            writeln!(out, "/>")?;
            continue;
        }
        writeln!(out, ">")?;
        match &case.verdict {
            Verdict::Pass => {}
            Verdict::Skipped { why } => writeln!(out, r#"      <skipped message="{}"/>"#, escaped(why))?,
            Verdict::Failure { kind, message, text } => element(out, "failure", kind, message, text)?,
            Verdict::Error { kind, message, text } => element(out, "error", kind, message, text)?,
        }
        if !case.output.is_empty() {
            writeln!(out, "      <system-out>{}</system-out>", escaped(case.output))?;
        }
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")?;
    writeln!(out, "</testsuites>")
}

struct Case<'a> {
    name: String,
    micros: u64,
    verdict: Verdict,
    output: &'a str,
}

enum Verdict {
    Pass,
    Failure { kind: &'static str, message: String, text: String },
    Error { kind: &'static str, message: String, text: String },
    Skipped { why: String },
}

impl Verdict {
    fn is_pass(&self) -> bool {
        matches!(self, Verdict::Pass)
    }
}

fn run<'a>(view: &View<'_>) -> Case<'a> {
    let report = view.report;
    let kind = report.outcome.name();
    let message = words::verdict(report).1;
    let verdict = match &report.outcome {
        Outcome::Passed => Verdict::Pass,
        Outcome::Skipped { why } => Verdict::Skipped { why: why.clone() },
        Outcome::Blocked { tried, remedy } => {
            let mut lines = tried.clone();
            lines.push(format!("help: {remedy}"));
            Verdict::Error { kind, message, text: lines.join("\n") }
        }
        Outcome::Interrupted { .. } => Verdict::Error { kind, message, text: story(view) },
        _ => Verdict::Failure { kind, message, text: story(view) },
    };
    Case { name: "run".to_owned(), micros: report.wall_us, verdict, output: "" }
}

/// What each side does and where, one a line.
pub(super) fn story(view: &View<'_>) -> String {
    let mut lines = Vec::new();
    if let Some(divergence) = view.report.outcome.divergence() {
        for side in &divergence.sides {
            lines.push(format!("{} {}", words::ranks(&side.ranks), words::doing(side, &divergence.group)));
            for frame in words::frames(&side.doing) {
                lines.push(format!("    {}:{} in {}", view.path(&frame.path), frame.line, frame.function));
            }
        }
    }
    if let Outcome::Leaked { processes } = &view.report.outcome {
        lines.extend(processes.iter().cloned());
    }
    lines.push(format!("again: {}", words::again(view.report)));
    lines.join("\n")
}

fn rank<'a>(view: &View<'a>, lane: &'a Lane) -> Case<'a> {
    let message = words::end(lane, view.report);
    let verdict = match &lane.end {
        None => Verdict::Skipped { why: message },
        Some(end) if end.told => Verdict::Skipped { why: message },
        Some(end) if end.code == Some(0) => Verdict::Pass,
        Some(end) => {
            let kind = if end.signal.is_some() { "signalled" } else { "failed" };
            Verdict::Failure { kind, message, text: end.exception.clone() }
        }
    };
    let first = lane.calls.first().map_or(0, |call| call.entered_us);
    let micros = lane.end.as_ref().map_or(0, |end| end.time_us.saturating_sub(first));
    let micros = if lane.calls.is_empty() { 0 } else { micros };
    Case { name: format!("rank {}", lane.rank), micros, verdict, output: lane.output_tail.trim_end() }
}

fn element(out: &mut dyn Write, tag: &str, kind: &str, message: &str, text: &str) -> io::Result<()> {
    writeln!(out, r#"      <{tag} type="{kind}" message="{}">{}</{tag}>"#, escaped(message), escaped(text))
}

fn seconds(micros: u64) -> String {
    format!("{:.3}", micros as f64 / 1e6)
}
