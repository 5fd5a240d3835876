//! Sources to findings: parse and model every file, link the program, ask every rule. The only place with threads.
//!
//! Each file's part runs inside `catch_unwind`: a defect met in one file is reported under its name and leaves the
//! rest of the run unharmed.

mod ask;
mod depth;
mod standing;

use std::any::Any;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as Atomic};

use rayon::prelude::*;

use crate::base::{FileId, LineIndex, Site, Span};
use crate::catalog::{Catalog, ProjectFacts};
use crate::finding::Finding;
use crate::graph::{FileEntry, Prepared, Program};
use crate::meta;
use crate::model::{self, Comment, Detail};
use crate::rules::{Check, Findings, Rule, Script};
use crate::source::{self, Content, Found, Kind, Problem, SourceFile};
use crate::syntax;
use crate::vocabulary::detail_of;

use ask::{ask, guarded, in_rule};
pub use standing::{Callers, Models, Standing};

/// Stack of a worker, in virtual memory: trees nest as deeply as sources do, and are dropped recursively.
const STACK_BYTES: usize = 256 << 20;

/// What to analyse with.
pub struct Options<'a> {
    /// The rules to ask.
    pub rules: &'a [&'static Rule],
    /// What the project declares.
    pub facts: ProjectFacts,
    /// What library calls do.
    pub catalog: Arc<Catalog>,
    /// How far the run is.
    pub progress: &'a Progress,
}

/// How far a run is, for whoever watches from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Steps done.
    pub done: AtomicUsize,
    /// Steps in all; 0 until known.
    pub total: AtomicUsize,
}

impl Progress {
    fn step(&self) {
        self.done.fetch_add(1, Atomic::Relaxed);
    }
}

/// A file as the layers above see it; [`FileId`] is the position in [`Analysis::files`].
#[derive(Clone, Debug)]
pub struct FileRecord {
    /// Path relative to the working directory, with forward slashes.
    pub path: String,
    /// Its text; empty where it could not be read.
    pub text: Arc<str>,
    /// Comments that speak to ranklint.
    pub comments: Vec<Comment>,
}

/// The files of an analysis of `sources`, and the lines of all, without analysing them: what a report needs.
pub fn records(sources: Vec<SourceFile>) -> (Vec<FileRecord>, usize) {
    let sorted = Sorted::new(sources);
    let readable = sorted.python.into_iter().chain(sorted.scripts);
    let unreadable = sorted.unreadable.into_iter().map(|(path, _)| (path, "".into()));
    let files = readable.chain(unreadable).map(|(path, text)| FileRecord { path, text, comments: Vec::new() });
    let files: Vec<FileRecord> = files.collect();
    let lines = files.iter().map(|file| line_count(&file.text)).sum();
    (files, lines)
}

/// A defect of ranklint itself that was met in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalError {
    /// The file.
    pub path: String,
    /// What the defect says of itself.
    pub message: String,
}

/// What an analysis gives.
pub struct Analysis {
    /// The findings, sorted by path, place, rule and message, each once.
    pub findings: Vec<Finding>,
    /// The files: Python first, then scripts, then what could not be read; each by path.
    pub files: Vec<FileRecord>,
    /// Lines of all files.
    pub lines: usize,
    /// Defects met on the way.
    pub internal: Vec<InternalError>,
    /// What the findings were found in. To let go of it takes a while: whoever is about to end forgets it instead.
    pub program: Option<Box<Program>>,
}

/// A pool of workers; `threads` 0 means one for each core. Everything of this module runs inside one.
pub struct Workers(rayon::ThreadPool);

impl Workers {
    /// Starts the workers.
    pub fn start(threads: usize) -> Result<Workers, String> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK_BYTES)
            .build()
            .map(Workers)
            .map_err(|error| error.to_string())
    }

    /// Reads what discovery found.
    pub fn read(&self, found: Vec<Found>) -> Vec<SourceFile> {
        self.0.install(|| found.into_par_iter().map(source::read).collect())
    }

    /// Does other work on the same threads and stacks.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }

    /// Analyses the sources.
    pub fn analyze(&self, sources: Vec<SourceFile>, options: Options<'_>) -> Analysis {
        self.0.install(|| analyze(sources, options))
    }
}

/// Analyses the sources, inside the current pool.
pub fn analyze(sources: Vec<SourceFile>, options: Options<'_>) -> Analysis {
    let model = |path, text: Arc<str>| model_of(path, text.clone(), detail_of(&text));
    let (mut analysis, standing) = run(sources, &options, &model, &Arc::default());
    analysis.program = standing.map(|(program, _)| Box::new(program));
    analysis
}

/// The whole analysis. Beside its result comes what a later one can build on; absent where linking failed. When `stop` is
/// set on the way, the result is worth nothing.
fn run(
    sources: Vec<SourceFile>,
    options: &Options<'_>,
    model: &(dyn Fn(String, Arc<str>) -> Modelled + Sync),
    stop: &Arc<AtomicBool>,
) -> (Analysis, Option<(Program, Option<Prepared>)>) {
    let mut sorted = Sorted::new(sources);
    let steps = sorted.python.len() * 2 + sorted.scripts.len();
    options.progress.total.store(steps, Atomic::Relaxed);

    let modelled: Vec<Modelled> = std::mem::take(&mut sorted.python)
        .into_par_iter()
        .map(|(path, text)| {
            let modelled = model(path, text);
            options.progress.step();
            modelled
        })
        .collect();

    let mut found = Vec::new();
    let mut internal = Vec::new();
    let mut files = Vec::with_capacity(modelled.len() + sorted.scripts.len() + sorted.unreadable.len());
    let mut entries = Vec::with_capacity(modelled.len());
    let mut lines = 0;
    for (index, modelled) in modelled.into_iter().enumerate() {
        let entry = modelled.entry;
        if let Some(error) = modelled.syntax_error {
            found.push(syntax_error(FileId(index as u32), error));
        }
        if let Some(message) = modelled.defect {
            internal.push(InternalError { path: entry.path.clone(), message });
        }
        lines += modelled.lines;
        let comments = entry.model.comments.clone();
        files.push(FileRecord { path: entry.path.clone(), text: entry.text.clone(), comments });
        entries.push(entry);
    }
    let first_script = files.len();
    for (path, text) in sorted.scripts {
        lines += line_count(&text);
        let comments = script_comments(&text);
        files.push(FileRecord { path, text, comments });
    }
    let scripts = first_script..files.len();
    for (path, problem) in sorted.unreadable {
        found.push(unreadable(FileId(files.len() as u32), problem));
        files.push(FileRecord { path, text: "".into(), comments: Vec::new() });
    }

    let paths: Vec<String> = entries.iter().map(|entry| entry.path.clone()).collect();
    let (facts, catalog) = (options.facts.clone(), options.catalog.clone());
    if stop.load(Atomic::Relaxed) {
        return (Analysis { findings: found, files, lines, internal, program: None }, None);
    }
    let standing = match catch_unwind(AssertUnwindSafe(|| linked(entries, facts, catalog))) {
        Ok(program) => {
            let asked = ask(&program, &paths, options, stop);
            found.extend(asked.found);
            internal.extend(asked.internal);
            Some((program, asked.prepared))
        }
        Err(defect) => {
            internal.push(InternalError { path: "(all files)".to_owned(), message: defect_text(&*defect) });
            None
        }
    };
    for index in scripts {
        let script = Script { file: FileId(index as u32), text: &files[index].text, facts: &options.facts };
        for rule in options.rules {
            let (Check::Script(check) | Check::FileAndScript(_, check)) = rule.check else { continue };
            match guarded(|findings| check(&script, findings)) {
                Ok(findings) => found.extend(findings),
                Err(defect) => internal.push(in_rule(rule, &files[index].path, defect)),
            }
        }
        options.progress.step();
    }

    sort(&mut found, &files);
    (Analysis { findings: found, files, lines, internal, program: None }, standing)
}

/// The linked program of the sources, every file read in full, inside the current pool.
pub fn program(sources: Vec<SourceFile>, facts: ProjectFacts, catalog: Arc<Catalog>) -> Program {
    let sorted = Sorted::new(sources);
    let entries: Vec<FileEntry> =
        sorted.python.into_par_iter().map(|(path, text)| model_of(path, text, Detail::Full).entry).collect();
    Program::link(entries, facts, catalog)
}

/// Links the program; files that turn out to stand on the way to a collective are lowered again in full.
fn linked(entries: Vec<FileEntry>, facts: ProjectFacts, catalog: Arc<Catalog>) -> Program {
    let program = Program::link(entries, facts, catalog);
    let wanted = program.wanted_in_full();
    if wanted.is_empty() {
        return program;
    }
    let models: Vec<(FileId, Arc<model::File>)> = wanted
        .into_par_iter()
        .map(|file| {
            let entry = program.file(file);
            (file, model_of(entry.path.clone(), entry.text.clone(), Detail::Full).entry.model)
        })
        .collect();
    program.with_models(models)
}

/// The sources by what is done with them, each part sorted by path.
struct Sorted {
    python: Vec<(String, Arc<str>)>,
    scripts: Vec<(String, Arc<str>)>,
    unreadable: Vec<(String, Problem)>,
}

impl Sorted {
    fn new(mut sources: Vec<SourceFile>) -> Sorted {
        sources.sort_by(|left, right| left.path.cmp(&right.path));
        let mut sorted = Sorted { python: Vec::new(), scripts: Vec::new(), unreadable: Vec::new() };
        for source in sources {
            match (source.content, source.kind) {
                (Content::Text(text), Kind::Python) => sorted.python.push((source.path, text)),
                (Content::Text(text), Kind::Shell) => sorted.scripts.push((source.path, text)),
                (Content::Unreadable(problem), _) => sorted.unreadable.push((source.path, problem)),
            }
        }
        sorted
    }
}

#[derive(Clone)]
struct Modelled {
    entry: FileEntry,
    lines: usize,
    syntax_error: Option<syntax::SyntaxError>,
    defect: Option<String>,
}

fn model_of(path: String, text: Arc<str>, detail: Detail) -> Modelled {
    if let Some(span) = depth::too_deep(&text) {
        let error = syntax::SyntaxError { message: "nested too deeply to be analysed".to_owned(), span };
        let (lines, model) = (line_count(&text), empty_model());
        return Modelled {
            entry: FileEntry { path, text, model: Arc::new(model) },
            lines,
            syntax_error: Some(error),
            defect: None,
        };
    }
    let outcome = catch_unwind(|| {
        let mut parsed = syntax::parse(&text);
        let model = model::lower(&parsed, &text, detail);
        (model, parsed.error.take())
    });
    let lines = line_count(&text);
    match outcome {
        Ok((model, syntax_error)) => {
            Modelled { entry: FileEntry { path, text, model: Arc::new(model) }, lines, syntax_error, defect: None }
        }
        Err(defect) => {
            let (model, defect) = (empty_model(), Some(defect_text(&*defect)));
            Modelled { entry: FileEntry { path, text, model: Arc::new(model) }, lines, syntax_error: None, defect }
        }
    }
}

fn empty_model() -> model::File {
    model::lower(&syntax::parse(""), "", Detail::Full)
}

fn line_count(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 1 + memchr::memchr_iter(b'\n', bytes).count();
    if memchr::memchr(b'\r', bytes).is_some() {
        count = LineIndex::new(text).line_count() as usize;
    }
    if text.is_empty() || text.ends_with(['\n', '\r']) { count - 1 } else { count }
}

/// Comments of a shell script that speak to ranklint. A `#` begins one at the start of a line or after white space.
fn script_comments(text: &str) -> Vec<Comment> {
    memchr::memmem::find_iter(text.as_bytes(), "ranklint:")
        .filter_map(|at| {
            let before = &text[..at];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            let sign = line_start + before[line_start..].rfind('#')?;
            let begins = sign == line_start || text[..sign].ends_with([' ', '\t']);
            let line_end = text[at..].find(['\n', '\r']).map_or(text.len(), |length| at + length);
            begins.then(|| Comment::of_interest(text, Span::new(sign as u32, line_end as u32))).flatten()
        })
        .collect()
}

fn syntax_error(file: FileId, error: syntax::SyntaxError) -> Finding {
    let message = error.message.strip_prefix("SyntaxError: ").unwrap_or(&error.message);
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    let message = format!("{first}{}", letters.as_str());
    Findings::new_finding(&meta::SYNTAX_ERROR, Site { file, span: error.span }, "", message)
        .help("repair the syntax; what follows in this file may have been missed")
}

fn unreadable(file: FileId, problem: Problem) -> Finding {
    let site = Site { file, span: Span::default() };
    Findings::new_finding(&meta::UNREADABLE_FILE, site, "", problem.message).help(problem.help)
}

fn sort(findings: &mut Vec<Finding>, files: &[FileRecord]) {
    let order = |left: &Finding, right: &Finding| -> Ordering {
        let path = |finding: &Finding| files[finding.site.file.index()].path.as_str();
        path(left)
            .cmp(path(right))
            .then_with(|| left.site.span.start.cmp(&right.site.span.start))
            .then_with(|| left.rule.cmp(right.rule))
            .then_with(|| left.message.cmp(&right.message))
            .then_with(|| left.site.span.end.cmp(&right.site.span.end))
    };
    // Of several reasons for one finding the surest is told.
    findings.sort_by(|left, right| order(left, right).then_with(|| right.confidence.cmp(&left.confidence)));
    findings.dedup_by(|later, first| order(later, first).is_eq());
}

fn defect_text(defect: &(dyn Any + Send)) -> String {
    let text = defect.downcast_ref::<&str>().copied().or_else(|| defect.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a defect without a message").to_owned()
}

#[cfg(test)]
mod tests;
