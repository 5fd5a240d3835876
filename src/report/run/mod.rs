//! One run of a program at several ranks, on its way to people and tools: one renderer a file, one door.
//!
//! Renderers print what they are given. They read neither files nor the environment: the text of source files is asked for
//! through [`Sources`], and the same report gives the same bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

use crate::verify::outcome::RunReport;

mod aligned;
mod chrome;
mod doctor;
mod html;
mod json;
mod junit;
mod sarif;
mod text;
mod words;

pub use doctor::{DoctorFormat, render_doctor};
pub use json::VERSION;

/// The texts of the program's files.
pub trait Sources {
    /// The text of the file at an absolute path, or of a path relative to the working directory; nothing where it cannot be
    /// read, which is no mistake: a log may come from another machine.
    fn text(&self, path: &str) -> Option<String>;
}

/// For logs whose program is elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct NoSources;

impl Sources for NoSources {
    fn text(&self, _: &str) -> Option<String> {
        None
    }
}

/// Everything a renderer is given.
pub struct Run<'a> {
    /// What happened.
    pub report: &'a RunReport,
    /// The working directory; paths below it are printed relative to it. Empty: paths are printed as they are.
    pub folder: &'a str,
    /// The program's files.
    pub sources: &'a dyn Sources,
    /// Whether text for people may carry colours.
    pub color: bool,
}

/// A way to print a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunFormat {
    /// One screen for the terminal.
    Text,
    /// One versioned object: the contract for tools.
    Json,
    /// JUnit XML: a case for the run, one a rank.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// One file for a browser.
    Html,
    /// A trace for `chrome://tracing` and Perfetto.
    Chrome,
}

impl RunFormat {
    /// All formats, in the order in which they are listed to users.
    pub const ALL: [RunFormat; 6] =
        [RunFormat::Text, RunFormat::Json, RunFormat::Junit, RunFormat::Sarif, RunFormat::Html, RunFormat::Chrome];

    /// The name users choose it by.
    pub fn name(self) -> &'static str {
        match self {
            RunFormat::Text => "text",
            RunFormat::Json => "json",
            RunFormat::Junit => "junit",
            RunFormat::Sarif => "sarif",
            RunFormat::Html => "html",
            RunFormat::Chrome => "chrome",
        }
    }
}

/// Prints `run` to `out` as `format`.
pub fn render_run(format: RunFormat, run: &Run<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let view = View { report: run.report, folder: run.folder, sources: run.sources, texts: RefCell::default() };
    match format {
        RunFormat::Text => text::render(&view, run.color, out),
        RunFormat::Json => json::render(&view, out),
        RunFormat::Junit => junit::render(&view, out),
        RunFormat::Sarif => sarif::render(&view, out),
        RunFormat::Html => html::render(&view, out),
        RunFormat::Chrome => chrome::render(&view, out),
    }
}

/// A run with paths and source lines at hand.
struct View<'a> {
    report: &'a RunReport,
    folder: &'a str,
    sources: &'a dyn Sources,
    texts: RefCell<BTreeMap<String, Option<Rc<str>>>>,
}

impl View<'_> {
    /// `path` relative to the working directory where it lies below it, with forward slashes.
    fn path(&self, path: &str) -> String {
        let folder = self.folder.trim_end_matches(['/', '\\']);
        let below = path.strip_prefix(folder).filter(|_| !folder.is_empty());
        let below = below.and_then(|rest| rest.strip_prefix(['/', '\\'])).filter(|rest| !rest.is_empty());
        let shown = below.unwrap_or(path);
        if shown.contains('\\') && !shown.contains('/') { shown.replace('\\', "/") } else { shown.to_owned() }
    }

    /// The lines of a file around `line` (from 1) with their numbers, `around` on either side; empty where it is not readable.
    fn lines(&self, path: &str, line: u32, around: u32) -> Vec<(u32, String)> {
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry(path.to_owned()).or_insert_with(|| self.sources.text(path).map(Rc::from));
        let Some(text) = text else { return Vec::new() };
        let first = line.saturating_sub(around).max(1);
        let lines: Vec<(u32, String)> = (text.lines().enumerate())
            .skip(first as usize - 1)
            .take((line.saturating_add(around) - first + 1) as usize)
            .map(|(index, text)| (index as u32 + 1, text.trim_end().to_owned()))
            .collect();
        // The file has changed since, or was never this one.
        if lines.iter().any(|(number, _)| *number == line) { lines } else { Vec::new() }
    }

    /// One line of a file, without blanks around it.
    fn line(&self, path: &str, line: u32) -> Option<String> {
        let found = self.lines(path, line, 0).pop()?.1;
        Some(found.trim().to_owned()).filter(|text| !text.is_empty())
    }
}
