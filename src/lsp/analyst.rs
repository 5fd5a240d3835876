//! The thread that holds the projects. An edit is answered quickly from the last whole analysis; whole analyses run
//! beside it, begin when nothing has happened for a while, and are given up when something does.

mod held;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select, unbounded};

use super::outcome::Key;
use super::tasks::{News, Task};
use super::workspace::{CONFIGURATIONS, Place, places, single};
use crate::analyze::Workers;
use crate::source::Kind;

use held::{Finished, Held, State};

/// How long nothing must have happened before a whole analysis begins.
const PAUSE: Duration = Duration::from_millis(350);

/// How often progress is told.
const TICK: Duration = Duration::from_millis(150);

/// How long files around an edited one are asked about before the whole analysis is left to do it.
const AROUND: Duration = Duration::from_millis(800);

/// The texts of open files.
type Buffers = BTreeMap<PathBuf, (Kind, Arc<str>)>;

/// Starts the thread. It ends when its tasks do.
/// `interrupt` is set by whoever has a new task, so that what can wait is given up.
pub(super) fn start(
    tasks: Receiver<(u64, Task)>,
    news: Sender<News>,
    interrupt: Arc<AtomicBool>,
) -> Result<(), String> {
    let workers = Arc::new(Workers::start(0)?);
    let quick = Workers::start(1)?;
    let (finished, arrivals) = unbounded();
    let mut analyst = Analyst {
        news,
        workers,
        quick,
        finished,
        folders: Vec::new(),
        projects: Vec::new(),
        buffers: Buffers::new(),
        interrupt,
        next: 0,
        ticket: 0,
        refused: false,
    };
    let run = move || analyst.run(&tasks, &arrivals);
    thread::Builder::new().name("analyst".to_owned()).spawn(run).map(drop).map_err(|error| error.to_string())
}

struct Analyst {
    news: Sender<News>,
    /// For whole analyses.
    workers: Arc<Workers>,
    /// For quick answers, so that they do not stand behind a whole analysis.
    quick: Workers,
    finished: Sender<Finished>,
    folders: Vec<PathBuf>,
    projects: Vec<Held>,
    buffers: Buffers,
    interrupt: Arc<AtomicBool>,
    next: Key,
    ticket: u64,
    /// Whether a configuration cannot be used as it is.
    refused: bool,
}

impl Analyst {
    fn run(&mut self, tasks: &Receiver<(u64, Task)>, arrivals: &Receiver<Finished>) {
        loop {
            let now = Instant::now();
            let wait = self.projects.iter().map(|held| held.wait(now, TICK)).min().unwrap_or(Duration::from_secs(3600));
            select! {
                recv(tasks) -> task => match task {
                    Ok((ticket, task)) => {
                        // Everything that waits is taken together: only the last text of a file counts.
                        self.interrupt.store(false, Ordering::Relaxed);
                        let mut changed = Vec::new();
                        self.task(ticket, task, &mut changed);
                        while let Ok((ticket, task)) = tasks.try_recv() {
                            self.task(ticket, task, &mut changed);
                        }
                        self.answer(&changed, tasks);
                    }
                    Err(_) => {
                        self.projects.iter().for_each(Held::stop);
                        return;
                    }
                },
                recv(arrivals) -> finished => {
                    if let Ok(finished) = finished {
                        self.finished(finished);
                    }
                },
                default(wait) => {}
            }
            for held in &mut self.projects {
                held.tell_progress(&self.news);
                if tasks.is_empty() && held.is_due(Instant::now()) {
                    held.begin(&self.buffers, &self.workers, &self.finished, &self.news);
                }
            }
        }
    }

    fn say(&self, news: News) {
        // A session that has ended listens no more.
        let _ = self.news.send(news);
    }

    /// Takes a task into account; files whose text is another now are added to `changed`.
    fn task(&mut self, ticket: u64, task: Task, changed: &mut Vec<(Key, PathBuf)>) {
        self.ticket = ticket;
        match task {
            Task::Folders(folders) => {
                self.folders = folders;
                self.reload();
            }
            Task::Reload => self.reload(),
            Task::Buffer { path, content } => {
                let opened = content.is_some();
                match content {
                    Some(content) => drop(self.buffers.insert(path.clone(), content)),
                    None => drop(self.buffers.remove(&path)),
                }
                if let Some(key) = self.owner(&path, opened) {
                    if !opened {
                        self.reread(key, &path);
                    }
                    if !changed.contains(&(key, path.clone())) {
                        changed.push((key, path));
                    }
                }
            }
            Task::Disk(paths) => {
                let is_configuration = |path: &PathBuf| {
                    path.file_name().is_some_and(|name| CONFIGURATIONS.iter().any(|known| name == *known))
                };
                // A mistake may stand in a file that the configuration extends, and nobody knows which ones these are.
                let may_help = |path: &PathBuf| self.refused && path.extension().is_some_and(|kind| kind == "toml");
                let configures = |path: &PathBuf| self.projects.iter().any(|held| held.is_configured_by(path));
                if paths.iter().any(|path| is_configuration(path) || may_help(path) || configures(path)) {
                    self.reload();
                    return;
                }
                for path in paths {
                    self.on_disk(path, changed);
                }
            }
            Task::Outline { id, path, offset } => {
                let trace = self.holding(&path).and_then(|at| self.projects[at].outline(&self.quick, &path, offset));
                self.say(News::Outline { id, trace });
            }
            Task::Traces { id, path } => {
                let traces = self.holding(&path).and_then(|at| self.projects[at].traces(&self.quick, &path));
                let (text, traces) = traces.unwrap_or_else(|| ("".into(), Vec::new()));
                self.say(News::Traces { id, text, traces });
            }
        }
    }

    /// A file is another one on disk.
    fn on_disk(&mut self, path: PathBuf, changed: &mut Vec<(Key, PathBuf)>) {
        if Kind::of(&path).is_none() {
            return;
        }
        match self.holding(&path) {
            Some(at) if path.is_file() => {
                let key = self.projects[at].key;
                self.reread(key, &path);
                changed.push((key, path));
            }
            Some(at) => self.projects[at].forget(&path, &self.buffers),
            None => {
                let folder = self.folders.iter().find(|folder| path.starts_with(folder)).cloned();
                if path.is_file() && folder.is_some() {
                    self.rewalk();
                }
            }
        }
    }

    /// Answers what has changed: each project quickly, then what calls the changed files.
    fn answer(&mut self, changed: &[(Key, PathBuf)], tasks: &Receiver<(u64, Task)>) {
        let mut edited = Vec::new();
        for at in 0..self.projects.len() {
            let held = &mut self.projects[at];
            let paths: Vec<&Path> =
                changed.iter().filter(|(key, _)| *key == held.key).map(|(_, path)| path.as_path()).collect();
            if paths.is_empty() {
                continue;
            }
            if let Some(files) = held.edit(&paths, &self.buffers, &self.quick, &self.workers, PAUSE) {
                self.say(News::Outcome(self.projects[at].outcome()));
                edited.push((at, files));
            }
        }
        self.settle();
        for (at, files) in edited {
            let started = Instant::now();
            for callers in self.projects[at].callers_in_sight(&files, &self.buffers) {
                if self.interrupt.load(Ordering::Relaxed) || !tasks.is_empty() {
                    break;
                }
                if self.projects[at].ask_callers(&callers, &self.quick, &self.interrupt) {
                    self.say(News::Outcome(self.projects[at].outcome()));
                    self.settle();
                }
            }
            for some in self.projects[at].around(&files, &self.buffers) {
                if self.interrupt.load(Ordering::Relaxed) || !tasks.is_empty() || started.elapsed() > AROUND {
                    break;
                }
                if self.projects[at].ask(&some, &self.quick, &self.interrupt) {
                    self.say(News::Outcome(self.projects[at].outcome()));
                    self.settle();
                }
            }
            self.projects[at].rest(PAUSE);
        }
    }

    fn finished(&mut self, finished: Finished) {
        let Some(at) = self.projects.iter().position(|held| held.key == finished.key) else { return };
        self.projects[at].ended();
        let Some(files) = self.projects[at].take(finished, &self.buffers, &self.quick, PAUSE) else { return };
        // It knows nothing yet of what was edited meanwhile, and what it says of those who call that was told otherwise.
        let started = Instant::now();
        for some in self.projects[at].around(&files, &self.buffers) {
            if self.interrupt.load(Ordering::Relaxed) || started.elapsed() > AROUND {
                break;
            }
            self.projects[at].ask(&some, &self.quick, &self.interrupt);
        }
        for complaint in self.projects[at].complaints() {
            self.say(News::Complaint(complaint));
        }
        self.say(News::Outcome(self.projects[at].outcome()));
        self.say(News::Ended(self.projects[at].key));
        self.settle();
    }

    fn settle(&self) {
        if self.projects.iter().all(|held| held.state != State::Unknown) {
            self.say(News::Settled(self.ticket));
        }
    }

    /// Reads all configurations and folders again.
    fn reload(&mut self) {
        for held in std::mem::take(&mut self.projects) {
            held.stop();
            self.say(News::Ended(held.key));
            self.say(News::Gone(held.key));
        }
        self.refused = false;
        for folder in self.folders.clone() {
            match places(&folder, &self.folders) {
                Ok(places) => places.into_iter().for_each(|place| _ = self.hold(place)),
                Err(refusal) => {
                    let help = refusal.help.map(|help| format!(" ({help})")).unwrap_or_default();
                    self.refused = true;
                    self.say(News::Complaint(format!("{}{help}", refusal.message)));
                }
            }
        }
        for path in self.buffers.keys().cloned().collect::<Vec<_>>() {
            self.owner(&path, true);
        }
        self.tell_dependencies();
        self.settle();
    }

    fn tell_dependencies(&self) {
        // What a configuration named before somebody made a mistake in it will count again.
        if self.refused {
            return;
        }
        self.say(News::Depends(self.projects.iter().flat_map(|held| held.project.depends_on()).collect()));
    }

    /// Looks again which files there are.
    fn rewalk(&mut self) {
        for folder in self.folders.clone() {
            let Ok(places) = places(&folder, &self.folders) else { continue };
            for place in places {
                let same = |held: &&mut Held| held.folder == place.folder && held.project.cwd == place.project.cwd;
                match self.projects.iter_mut().find(same) {
                    Some(held) => held.found(place.found, &self.workers),
                    None => _ = self.hold(place),
                }
            }
        }
    }

    fn hold(&mut self, place: Place) -> Key {
        let key = self.next;
        self.next += 1;
        self.projects.push(Held::new(key, place, &self.workers));
        key
    }

    /// The project that has the file already.
    fn holding(&self, path: &Path) -> Option<usize> {
        self.projects.iter().position(|held| held.has(path))
    }

    /// The project of a file that was opened or closed. A file that no folder knows is its own project; one that a folder
    /// leaves out has none.
    fn owner(&mut self, path: &Path, opened: bool) -> Option<Key> {
        if let Some(at) = self.holding(path) {
            let held = &mut self.projects[at];
            if !opened && held.folder.is_none() {
                let held = self.projects.remove(at);
                held.stop();
                self.say(News::Gone(held.key));
                return None;
            }
            return Some(held.key);
        }
        if !opened {
            return None;
        }
        if self.folders.iter().any(|folder| path.starts_with(folder)) {
            let deepest = |held: &&mut Held| held.folder.as_ref().map_or(0, |folder| folder.components().count());
            let inside = |held: &&mut Held| held.folder.as_ref().is_some_and(|folder| path.starts_with(folder));
            let held = self.projects.iter_mut().filter(inside).max_by_key(deepest)?;
            return held.adopt(path).then_some(held.key);
        }
        match single(path) {
            Ok(place) => {
                let key = self.hold(place);
                self.projects.last_mut()?.adopt(path);
                self.tell_dependencies();
                Some(key)
            }
            Err(refusal) => {
                self.refused = true;
                self.say(News::Complaint(refusal.message));
                None
            }
        }
    }

    fn reread(&mut self, key: Key, path: &Path) {
        if let Some(held) = self.projects.iter_mut().find(|held| held.key == key) {
            held.reread(path);
        }
    }
}
