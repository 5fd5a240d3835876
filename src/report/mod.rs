//! Findings on their way to people and tools: one renderer a file, one door.
//!
//! Renderers print what they are given, in the order in which they are given it; sorting, filtering and suppressing are done
//! before. They read neither files nor the environment, so the same findings give the same bytes.

use std::io;
use std::time::Duration;

use crate::base::FileId;
use crate::finding::{Finding, Severity, Suppressed};

mod concise;
mod crowd;
mod fingerprint;
mod github;
mod gitlab;
mod html;
pub mod json;
mod jsonl;
mod junit;
mod markup;
pub mod matrix;
mod places;
mod rdjson;
pub mod run;
mod sarif;
mod site;
mod story;
mod text;

pub use fingerprint::fingerprints;
pub use places::{Places, Range};
pub use site::site;
pub use story::story;

/// The texts and paths behind the findings.
pub trait Files {
    /// Path relative to the working directory, with forward slashes.
    fn path(&self, file: FileId) -> &str;
    /// The text that spans count in.
    fn text(&self, file: FileId) -> &str;
}

/// What the run did beside finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files looked at.
    pub files: usize,
    /// Their lines.
    pub lines: usize,
    /// Findings that a comment or the baseline silenced.
    pub suppressed: usize,
    /// Findings below the chosen confidence or severity.
    pub hidden: usize,
    /// How long it took, where it is known; printed only where colours are, so that piped output does not change.
    pub elapsed: Option<Duration>,
}

/// Everything a renderer is given.
pub struct Report<'a> {
    /// The findings, in the order in which they are to be printed.
    pub findings: &'a [Finding],
    /// Findings that are not shown; logs that keep account of them list them.
    pub silenced: &'a [Suppressed],
    /// Texts and paths.
    pub files: &'a dyn Files,
    /// Whether text for people may carry colours.
    pub color: bool,
    /// The rest.
    pub summary: Summary,
}

/// A way to print findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Snippets, the two traces side by side, what to do.
    Text,
    /// One line a finding.
    Concise,
    /// One versioned object: the contract for tools.
    Json,
    /// One object a line.
    Jsonl,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands that annotate a pull request.
    Github,
    /// A code-quality report.
    Gitlab,
    /// JUnit XML, one suite a file.
    Junit,
    /// Reviewdog's diagnostic format.
    Rdjson,
    /// One page for a browser.
    Html,
}

impl Format {
    /// All formats, in the order in which they are listed to users.
    pub const ALL: [Format; 10] = [
        Format::Text,
        Format::Concise,
        Format::Json,
        Format::Jsonl,
        Format::Sarif,
        Format::Github,
        Format::Gitlab,
        Format::Junit,
        Format::Rdjson,
        Format::Html,
    ];

    /// The name users choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Concise => "concise",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Sarif => "sarif",
            Format::Github => "github",
            Format::Gitlab => "gitlab",
            Format::Junit => "junit",
            Format::Rdjson => "rdjson",
            Format::Html => "html",
        }
    }
}

/// Prints `report` to `out` as `format`.
pub fn render(format: Format, report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let places = Places::new(report.files);
    match format {
        Format::Text => text::render(report, &places, out),
        Format::Concise => concise::render(report, &places, out),
        Format::Json => json::render(report, &places, out),
        Format::Jsonl => jsonl::render(report, &places, out),
        Format::Sarif => sarif::render(report, &places, out),
        Format::Github => github::render(report, &places, out),
        Format::Gitlab => gitlab::render(report, &places, out),
        Format::Junit => junit::render(report, &places, out),
        Format::Rdjson => rdjson::render(report, &places, out),
        Format::Html => html::render(report, &places, out),
    }
}

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    errors: usize,
    warnings: usize,
    notes: usize,
}

impl Counts {
    fn of(findings: &[Finding]) -> Counts {
        let mut counts = Counts::default();
        for finding in findings {
            match finding.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Note => counts.notes += 1,
            }
        }
        counts
    }
}

/// The word for a severity.
fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The last line for people: `5 findings (4 errors, 1 warning) in 213 files`.
fn closing_line(report: &Report<'_>) -> String {
    let counts = Counts::of(report.findings);
    let mut line = match report.findings.len() {
        0 => "no findings".to_owned(),
        found => {
            let parts = [(counts.errors, "error"), (counts.warnings, "warning"), (counts.notes, "note")];
            let parts: Vec<String> =
                parts.into_iter().filter(|&(n, _)| n > 0).map(|(n, word)| counted(n, word)).collect();
            format!("{} ({})", counted(found, "finding"), parts.join(", "))
        }
    };
    line += &format!(" in {}", counted(report.summary.files, "file"));
    // A time is for the person at the terminal; what is piped on stays the same from run to run.
    if let Some(elapsed) = report.summary.elapsed.filter(|_| report.color) {
        line += &format!(", {}, {:.2} s", counted(report.summary.lines, "line"), elapsed.as_secs_f64());
    }
    if report.summary.suppressed > 0 {
        line += &format!("; {} suppressed", report.summary.suppressed);
    }
    if report.summary.hidden > 0 {
        line += &format!("; {} less certain (`--min-confidence low` shows them)", report.summary.hidden);
    }
    let fixable = |safe: bool| {
        report.findings.iter().filter_map(|finding| finding.fix.as_ref()).filter(|fix| fix.safe == safe).count()
    };
    match (fixable(true), fixable(false)) {
        (0, 0) => {}
        (0, unsafe_too) => line += &format!("; {unsafe_too} fixable with `--fix --unsafe-fixes`"),
        (safe, 0) => line += &format!("; {safe} fixable with `--fix`"),
        (safe, unsafe_too) => {
            line += &format!("; {safe} fixable with `--fix`, {unsafe_too} more with `--unsafe-fixes`");
        }
    }
    line
}

fn counted(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// A rank of a witness in words.
fn rank_name(rank: &str) -> String {
    let numeric = !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit());
    if numeric { format!("rank {rank}") } else { printable(rank) }
}

/// `text` with everything a terminal would act on made visible: control characters and changes of writing direction.
fn printable(text: &str) -> String {
    text.chars().map(|c| if is_unprintable(c) { '\u{fffd}' } else { c }).collect()
}

/// Whether a character would move the cursor, change colours or reorder the line.
fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
