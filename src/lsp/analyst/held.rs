//! One project in memory: its files, its last whole analysis, and the one that runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::super::outcome::{Key, Outcome};
use super::super::tasks::{News, Trace};
use super::super::workspace::Place;
use super::Buffers;
use crate::analyze::{Callers, Models, Options, Progress, Standing, Workers};
use crate::base::FileId;
use crate::project::Project;
use crate::source::{self, Content, Found, Kind, SourceFile, shown};

/// Projects whose whole analysis takes no longer than this have it after every edit.
const SMALL: Duration = Duration::from_millis(40);

/// What tracing may take before the first answer to an edit; what takes longer is told later.
const FIRST: Duration = Duration::from_millis(30);

/// What it may take for the edited files, or for some of those that call into them, while nothing else is to be done.
const SECOND: Duration = Duration::from_secs(3);

/// Callers that are asked at once.
const TOGETHER: usize = 6;

/// How often somebody looks whether that is over.
const LOOK: Duration = Duration::from_millis(2);

/// How the last analysis stands to the files as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It speaks of other files, or there is none: only a whole analysis answers.
    Unknown,
    /// Quick answers have been given since.
    Quick,
    /// It holds.
    Whole,
}

/// A whole analysis that has ended.
pub(super) struct Finished {
    pub key: Key,
    run: u64,
    standing: Option<Standing>,
    took: Duration,
}

struct Running {
    run: u64,
    stop: Arc<AtomicBool>,
    progress: Arc<Progress>,
    told: Option<u32>,
    /// Files that were edited since it began.
    since: BTreeSet<PathBuf>,
}

/// A project in memory.
pub(super) struct Held {
    pub key: Key,
    pub project: Arc<Project>,
    pub folder: Option<PathBuf>,
    pub state: State,
    /// The files on disk, by the path that is shown.
    disk: BTreeMap<String, SourceFile>,
    /// Open files that are not on disk, or are no files of their own.
    adopted: BTreeSet<PathBuf>,
    models: Arc<Models>,
    standing: Option<Standing>,
    running: Option<Running>,
    runs: u64,
    /// Analyses whose threads have not ended, those that were given up included.
    busy: u32,
    /// When a whole analysis is to begin.
    due: Option<Instant>,
    took: Duration,
}

impl Held {
    pub(super) fn new(key: Key, place: Place, workers: &Workers) -> Held {
        let Place { project, folder, found } = place;
        let disk = workers.read(found).into_iter().map(|file| (file.path.clone(), file)).collect();
        Held {
            key,
            project: Arc::new(project),
            folder,
            state: State::Unknown,
            disk,
            adopted: BTreeSet::new(),
            models: Arc::default(),
            standing: None,
            running: None,
            runs: 0,
            busy: 0,
            due: Some(Instant::now()),
            took: Duration::MAX,
        }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.adopted.contains(path) || self.disk.contains_key(&self.shown(path))
    }

    fn shown(&self, path: &Path) -> String {
        shown(path, &self.project.cwd)
    }

    /// Takes an open file that was not found on disk. False when the project leaves it out.
    pub(super) fn adopt(&mut self, path: &Path) -> bool {
        let config = &self.project.config;
        let cwd = &self.project.cwd;
        let is_notebook = path.extension().is_some_and(|extension| extension == "ipynb");
        // What lies there and was not found is left out on purpose.
        let left_out = config.exclude.matches(path, cwd) || self.folder.is_some() && path.exists() && !is_notebook;
        if left_out {
            return false;
        }
        if !self.has(path) {
            self.adopted.insert(path.to_path_buf());
            self.unsettle();
        }
        true
    }

    /// Reads a file again.
    pub(super) fn reread(&mut self, path: &Path) {
        let name = self.shown(path);
        if self.adopted.contains(path) {
            self.adopted.remove(path);
            self.unsettle();
        }
        if !path.is_file() {
            if self.disk.remove(&name).is_some() {
                self.unsettle();
            }
            return;
        }
        let Some(kind) = Kind::of(path).or(self.disk.get(&name).map(|file| file.kind)) else { return };
        let found = Found { path: name.clone(), location: path.to_path_buf(), kind, problem: None };
        self.disk.insert(name, source::read(found));
    }

    /// A file was deleted. While it is open it stays.
    pub(super) fn forget(&mut self, path: &Path, buffers: &Buffers) {
        self.disk.remove(&self.shown(path));
        if buffers.contains_key(path) {
            self.adopted.insert(path.to_path_buf());
        } else {
            self.unsettle();
        }
    }

    /// These are the files now.
    pub(super) fn found(&mut self, found: Vec<Found>, workers: &Workers) {
        let disk: BTreeMap<String, SourceFile> =
            workers.read(found).into_iter().map(|file| (file.path.clone(), file)).collect();
        if disk.keys().ne(self.disk.keys()) {
            self.unsettle();
        }
        self.disk = disk;
    }

    fn unsettle(&mut self) {
        self.stop();
        self.running = None;
        self.state = State::Unknown;
        self.due = Some(Instant::now());
    }

    /// Gives up the analysis that runs.
    pub(super) fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// How long nothing needs to be done.
    pub(super) fn wait(&self, now: Instant, tick: Duration) -> Duration {
        match (&self.running, self.due) {
            (Some(running), _) if running.told.is_some() => tick,
            (None, Some(due)) if self.busy == 0 => due.saturating_duration_since(now),
            _ => Duration::from_secs(3600),
        }
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        // One that was given up still holds the workers until it notices: a second one beside it helps nobody.
        self.running.is_none() && self.busy == 0 && self.due.is_some_and(|due| due <= now)
    }

    /// Begins a whole analysis beside this thread.
    pub(super) fn begin(
        &mut self,
        buffers: &Buffers,
        workers: &Arc<Workers>,
        finished: &Sender<Finished>,
        news: &Sender<News>,
    ) {
        self.due = None;
        self.busy += 1;
        self.runs += 1;
        let (stop, progress) = (Arc::<AtomicBool>::default(), Arc::<Progress>::default());
        let told = (self.state == State::Unknown).then_some(0);
        if told.is_some() {
            // Nobody listens when the session has ended.
            let _ = news.send(News::Begun(self.key, self.project.cwd.clone()));
        }
        self.running = Some(Running {
            run: self.runs,
            stop: stop.clone(),
            progress: progress.clone(),
            told,
            since: BTreeSet::new(),
        });
        let (project, models, sources) = (self.project.clone(), self.models.clone(), self.sources(buffers));
        let (key, run, workers, finished) = (self.key, self.runs, workers.clone(), finished.clone());
        thread::spawn(move || {
            let started = Instant::now();
            let options = options(&project, &progress);
            let standing = workers.install(|| Standing::of(sources, &options, &models, &stop));
            // The analyst may have ended.
            let _ = finished.send(Finished { key, run, standing, took: started.elapsed() });
        });
    }

    /// The thread of an analysis has ended.
    pub(super) fn ended(&mut self) {
        self.busy = self.busy.saturating_sub(1);
    }

    /// Puts the whole analysis off, for as long as somebody may still be typing.
    pub(super) fn rest(&mut self, pause: Duration) {
        self.due = self.due.map(|_| Instant::now() + pause);
    }

    pub(super) fn tell_progress(&mut self, news: &Sender<News>) {
        let Some(running) = &mut self.running else { return };
        let Some(told) = running.told else { return };
        let total = running.progress.total.load(Ordering::Relaxed).max(1);
        let percent = (running.progress.done.load(Ordering::Relaxed) * 100 / total).min(100) as u32;
        if percent > told {
            running.told = Some(percent);
            // Nobody listens when the session has ended.
            let _ = news.send(News::Progress(self.key, percent));
        }
    }

    /// Takes over what a whole analysis found, and what was edited meanwhile: those files. Nothing when it is not the one
    /// that counts.
    pub(super) fn take(
        &mut self,
        finished: Finished,
        buffers: &Buffers,
        quick: &Workers,
        pause: Duration,
    ) -> Option<Vec<FileId>> {
        let running = self.running.take_if(|running| running.run == finished.run)?;
        let Some(standing) = finished.standing else {
            self.due = Some(Instant::now());
            return None;
        };
        self.standing = Some(standing);
        self.took = finished.took;
        self.state = State::Whole;
        let since: Vec<&Path> = running.since.iter().map(PathBuf::as_path).collect();
        if since.is_empty() {
            return Some(Vec::new());
        }
        Some(self.quickly(&since, buffers, quick, pause).unwrap_or_default())
    }

    /// What went wrong inside.
    pub(super) fn complaints(&self) -> Vec<String> {
        let internal = self.standing.iter().flat_map(|standing| &standing.analysis.internal);
        internal.map(|error| format!("internal error: {}: {}", error.path, error.message)).collect()
    }

    /// Takes other texts of files into account; the files when an answer is ready now.
    pub(super) fn edit(
        &mut self,
        paths: &[&Path],
        buffers: &Buffers,
        quick: &Workers,
        workers: &Workers,
        pause: Duration,
    ) -> Option<Vec<FileId>> {
        if let Some(running) = &mut self.running {
            running.since.extend(paths.iter().map(|path| path.to_path_buf()));
        }
        if self.state == State::Unknown || self.standing.is_none() {
            return None;
        }
        if self.took <= SMALL {
            return self.wholly(paths, buffers, workers);
        }
        self.quickly(paths, buffers, quick, pause)
    }

    fn wholly(&mut self, paths: &[&Path], buffers: &Buffers, workers: &Workers) -> Option<Vec<FileId>> {
        self.stop();
        self.running = None;
        let (started, progress) = (Instant::now(), Progress::default());
        let options = options(&self.project, &progress);
        let sources = self.sources(buffers);
        let standing = workers.install(|| Standing::of(sources, &options, &self.models, &Arc::default()))?;
        self.standing = Some(standing);
        self.took = started.elapsed();
        self.state = State::Whole;
        self.due = None;
        let _ = paths;
        Some(Vec::new())
    }

    fn quickly(&mut self, paths: &[&Path], buffers: &Buffers, quick: &Workers, pause: Duration) -> Option<Vec<FileId>> {
        let texts: Vec<(String, Arc<str>)> =
            paths.iter().filter_map(|path| Some((self.shown(path), self.text(path, buffers)?))).collect();
        let standing = self.standing.as_mut()?;
        let progress = Progress::default();
        let options = options(&self.project, &progress);
        let text_of = |standing: &Standing, path: &str| {
            standing.file(path).map(|file| standing.analysis.files[file.index()].text.clone())
        };
        let texts: Vec<(String, Arc<str>)> =
            texts.into_iter().filter(|(path, text)| text_of(standing, path).as_ref() != Some(text)).collect();
        if texts.is_empty() {
            return Some(Vec::new());
        }
        let models = &self.models;
        let files = quick.install(|| {
            let mut files = Vec::new();
            for (path, text) in &texts {
                if !standing.replace(path, text, &options, models) {
                    return None;
                }
                files.extend(standing.file(path));
            }
            standing.ask_changed(&files, &options, &watched(FIRST, None));
            Some(files)
        });
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
        }
        self.running = None;
        match files {
            Some(files) => {
                self.state = State::Quick;
                self.due = Some(Instant::now() + pause);
                Some(files)
            }
            None => {
                self.unsettle();
                None
            }
        }
    }

    /// The functions in open files that may call what was edited, the nearest first.
    pub(super) fn callers_in_sight(&self, files: &[FileId], buffers: &Buffers) -> Vec<Callers> {
        let near = self.near(files, buffers);
        self.standing.as_ref().map(|standing| standing.callers_in(files, &near)).unwrap_or_default()
    }

    /// Asks about some of them; whether anything is different now.
    pub(super) fn ask_callers(&mut self, callers: &Callers, quick: &Workers, interrupt: &Arc<AtomicBool>) -> bool {
        let Some(standing) = &mut self.standing else { return false };
        let progress = Progress::default();
        let options = options(&self.project, &progress);
        let before = standing.analysis.findings.clone();
        quick.install(|| standing.ask_callers(callers, &options, &watched(SECOND, Some(interrupt.clone()))));
        standing.analysis.findings != before
    }

    /// The open files that may call into the edited ones.
    fn near(&self, files: &[FileId], buffers: &Buffers) -> Vec<FileId> {
        let Some(standing) = &self.standing else { return Vec::new() };
        let open: BTreeSet<FileId> = buffers.keys().filter_map(|path| standing.file(&self.shown(path))).collect();
        let mut near: Vec<FileId> = files.iter().flat_map(|&file| standing.callers(file)).collect();
        near.retain(|file| open.contains(file) && !files.contains(file));
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Whether the project's findings depend on a file that is no source.
    pub(super) fn is_configured_by(&self, path: &Path) -> bool {
        self.project.depends_on().iter().any(|file| file == path)
    }

    /// Which files to ask next, some at a time: the open ones that may call into the edited files, those themselves, and
    /// the others that may.
    pub(super) fn around(&self, files: &[FileId], buffers: &Buffers) -> Vec<Vec<FileId>> {
        let Some(standing) = &self.standing else { return Vec::new() };
        let open: BTreeSet<FileId> = buffers.keys().filter_map(|path| standing.file(&self.shown(path))).collect();
        let callers = files.iter().flat_map(|&file| standing.callers(file)).filter(|file| !files.contains(file));
        let (near, far): (Vec<FileId>, Vec<FileId>) = callers.partition(|file| open.contains(file));
        let groups = near.chunks(TOGETHER).chain([files]).chain(far.chunks(TOGETHER));
        groups.map(<[FileId]>::to_vec).collect()
    }

    /// Asks anew about files; whether anything is different now.
    pub(super) fn ask(&mut self, files: &[FileId], quick: &Workers, interrupt: &Arc<AtomicBool>) -> bool {
        let Some(standing) = &mut self.standing else { return false };
        let progress = Progress::default();
        let options = options(&self.project, &progress);
        let before = standing.analysis.findings.clone();
        quick.install(|| standing.ask(files, &options, &watched(SECOND, Some(interrupt.clone()))));
        standing.analysis.findings != before
    }

    /// What is known now.
    pub(super) fn outcome(&self) -> Arc<Outcome> {
        let (findings, files, by_path) = match &self.standing {
            Some(standing) => {
                let files = standing.analysis.files.clone();
                let triaged = self.project.triage(standing.analysis.findings.clone(), &files);
                (triaged.findings, files, standing.paths())
            }
            None => (Vec::new(), Vec::new(), Arc::default()),
        };
        Arc::new(Outcome { key: self.key, cwd: self.project.cwd.clone(), findings, files, by_path })
    }

    /// What the function around a place issues.
    pub(super) fn outline(&self, quick: &Workers, path: &Path, offset: u32) -> Option<Trace> {
        let standing = self.standing.as_ref()?;
        let file = standing.file(&self.shown(path))?;
        let (span, text) = quick.install(|| standing.outline(file, offset))?;
        Some(Trace { span, text })
    }

    /// What the functions of a file issue.
    pub(super) fn traces(&self, quick: &Workers, path: &Path) -> Option<(Arc<str>, Vec<Trace>)> {
        let standing = self.standing.as_ref()?;
        let file = standing.file(&self.shown(path))?;
        let traces = quick.install(|| standing.outlines(file));
        let text = standing.analysis.files[file.index()].text.clone();
        Some((text, traces.into_iter().map(|(span, text)| Trace { span, text }).collect()))
    }

    fn text(&self, path: &Path, buffers: &Buffers) -> Option<Arc<str>> {
        if let Some((_, text)) = buffers.get(path) {
            return Some(text.clone());
        }
        match &self.disk.get(&self.shown(path))?.content {
            Content::Text(text) => Some(text.clone()),
            Content::Unreadable(_) => None,
        }
    }

    /// Files on disk, with the texts of those that are open.
    fn sources(&self, buffers: &Buffers) -> Vec<SourceFile> {
        let mut open: BTreeMap<String, SourceFile> = BTreeMap::new();
        for (path, (kind, text)) in buffers {
            let name = self.shown(path);
            if self.adopted.contains(path) || self.disk.contains_key(&name) {
                open.insert(name.clone(), SourceFile::from_text(name, *kind, text.clone()));
            }
        }
        let closed = self.disk.iter().filter(|(name, _)| !open.contains_key(*name)).map(|(_, file)| file.clone());
        let closed: Vec<SourceFile> = closed.collect();
        closed.into_iter().chain(open.into_values()).collect()
    }
}

/// A flag that is set when the time is over, or when it is set elsewhere; nobody watches once it is dropped.
fn watched(time: Duration, interrupt: Option<Arc<AtomicBool>>) -> Arc<AtomicBool> {
    let flag: Arc<AtomicBool> = Arc::default();
    let started = Instant::now();
    let watched = Arc::downgrade(&flag);
    thread::spawn(move || {
        while let Some(flag) = watched.upgrade() {
            let told = interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed));
            if told || started.elapsed() >= time {
                flag.store(true, Ordering::Relaxed);
                return;
            }
            drop(flag);
            thread::sleep(LOOK);
        }
    });
    flag
}

fn options<'a>(project: &'a Project, progress: &'a Progress) -> Options<'a> {
    Options { rules: &project.rules, facts: project.facts.clone(), catalog: project.catalog.clone(), progress }
}
