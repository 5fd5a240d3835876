//! The warm parent: a Python process that has imported torch and forks ranks. Its other half is `ranklint/warm.py`.
//!
//! Requests and answers are JSON lines. Ranks come from a fork of a fork, so that they are orphans at once and come to this
//! process, which adopts them: they are waited for and ended like any other.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::super::os;
use super::super::output::{Pipe, Source, Stream};
use super::command::{Program, program};
use super::{Job, LaunchError, Started};

/// How long forking may take.
const FORKING: Duration = Duration::from_secs(20);

/// A running warm parent. It ends when the value goes, and when this process does.
#[derive(Debug)]
pub struct WarmParent {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    interpreter: std::path::PathBuf,
    /// Variables that only the parent is to have.
    added: Vec<&'static str>,
}

#[derive(Serialize)]
struct Request<'a> {
    kind: &'static str,
    arguments: &'a [String],
    cwd: String,
    without: &'a [&'static str],
    probe: bool,
    ranks: Vec<RankRequest>,
}

#[derive(Serialize)]
struct RankRequest {
    environment: Vec<(String, String)>,
    out: String,
    err: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Ready {},
    Forked { pids: Vec<u32> },
    Failed { why: String },
}

impl WarmParent {
    /// Starts it and waits until it has imported `modules`.
    ///
    /// # Errors
    /// It cannot be started, or a module cannot be imported, or it takes longer than `deadline`.
    pub fn start(
        interpreter: &Path,
        root: &Path,
        modules: &[&str],
        tag: &str,
        deadline: Duration,
    ) -> Result<WarmParent, LaunchError> {
        let mut command = super::command(interpreter);
        command.arg(root.join("ranklint").join("warm.py")).args(modules).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        command.env(os::tree::TAG, tag).env("PYTHONUNBUFFERED", "1");
        // Threads do not survive a fork, so there should be none.
        let added: Vec<&'static str> = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].into();
        let added: Vec<&'static str> = added.into_iter().filter(|key| !super::is_set(key)).collect();
        added.iter().for_each(|key| _ = command.env(key, "1"));
        super::misleading().iter().for_each(|key| _ = command.env_remove(key));
        let mut child =
            command.spawn().map_err(|why| super::not_started(&OsString::from(interpreter), Path::new("/"), why))?;
        let requests = child.stdin.take();
        let (sender, answers) = mpsc::channel();
        if let Some(pipe) = child.stdout.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(pipe).lines().map_while(Result::ok);
                lines.for_each(|line| _ = sender.send(line));
            });
        }
        let parent = WarmParent { child, requests, answers, interpreter: interpreter.to_owned(), added };
        match parent.reply(deadline)? {
            Reply::Ready {} => Ok(parent),
            other => Err(LaunchError::Warm(format!("it says {other:?} at its start"))),
        }
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The Python it runs.
    pub fn interpreter(&self) -> &Path {
        &self.interpreter
    }

    /// Starts the ranks of a job.
    pub(super) fn launch(
        &mut self,
        job: &Job,
        environments: &[Vec<(String, OsString)>],
        started: &mut Started,
    ) -> Result<(), LaunchError> {
        let (kind, arguments) = match program(&job.command) {
            Program::File(words) => ("file", words),
            Program::Module(words) => ("module", words),
            Program::Code(words) => ("code", words),
            Program::Other => return Err(LaunchError::NotWarm(job.command.join(" "))),
        };
        let text = |value: &OsString| value.to_string_lossy().into_owned();
        let mut ranks = Vec::new();
        let mut pipes = Vec::new();
        for (rank, environment) in (0..).zip(environments) {
            let source = Source::Rank(rank);
            let paths = [Stream::Out, Stream::Err].map(|stream| {
                let path = job.folder.join(format!("{}.{}.pipe", source.stem(), stream.extension()));
                (stream, path)
            });
            for (stream, path) in &paths {
                let end = named_pipe(path).map_err(|why| LaunchError::Lacking { what: "no pipe", why })?;
                pipes.push(Pipe { source, stream: *stream, end });
            }
            ranks.push(RankRequest {
                environment: environment.iter().map(|(key, value)| (key.clone(), text(value))).collect(),
                out: paths[0].1.display().to_string(),
                err: paths[1].1.display().to_string(),
            });
        }
        let names: Vec<String> = ranks.iter().flat_map(|rank| [rank.out.clone(), rank.err.clone()]).collect();
        let cwd = job.cwd.display().to_string();
        let request = Request { kind, arguments, cwd, without: &self.added.clone(), probe: job.probe.is_some(), ranks };
        let forked = self.ask(&request);
        #[expect(clippy::disallowed_methods, reason = "both ends are open by now, or nobody will open them")]
        names.iter().for_each(|name| _ = std::fs::remove_file(name));
        started.pipes.extend(pipes);
        let pids = forked?;
        started.processes.extend(pids.into_iter().zip((0..).map(Some)));
        Ok(())
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<Vec<u32>, LaunchError> {
        let mut line = serde_json::to_vec(request).map_err(|error| LaunchError::Warm(error.to_string()))?;
        line.push(b'\n');
        let requests = self.requests.as_mut().ok_or_else(|| LaunchError::Warm("it was ended".to_owned()))?;
        requests.write_all(&line).map_err(|error| LaunchError::Warm(error.to_string()))?;
        match self.reply(FORKING)? {
            Reply::Forked { pids } if pids.len() == request.ranks.len() => Ok(pids),
            other => Err(LaunchError::Warm(format!("it says {other:?}"))),
        }
    }

    fn reply(&self, deadline: Duration) -> Result<Reply, LaunchError> {
        let line = self.answers.recv_timeout(deadline).map_err(|error| {
            LaunchError::Warm(match error {
                mpsc::RecvTimeoutError::Timeout => format!("no answer within {} s", deadline.as_secs()),
                mpsc::RecvTimeoutError::Disconnected => "it has ended".to_owned(),
            })
        })?;
        match serde_json::from_str(&line) {
            Ok(Reply::Failed { why }) => Err(LaunchError::Warm(why)),
            Ok(reply) => Ok(reply),
            Err(_) => Err(LaunchError::Warm(format!("it says `{line}`"))),
        }
    }
}

impl Drop for WarmParent {
    fn drop(&mut self) {
        self.requests = None;
        let end = Instant::now() + Duration::from_millis(500);
        while Instant::now() < end {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes a named pipe and opens its reading end, which does not wait for a writer.
#[cfg(target_os = "linux")]
fn named_pipe(path: &Path) -> std::io::Result<std::os::fd::OwnedFd> {
    use rustix::fs::{CWD, FileType, Mode, OFlags};
    // What a run that was killed has left there.
    let _ = rustix::fs::unlink(path);
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    let end = rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    Ok(end)
}

#[cfg(not(target_os = "linux"))]
fn named_pipe(_path: &Path) -> std::io::Result<std::os::fd::OwnedFd> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "a warm parent needs Linux"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test looks at a file")]
    fn a_pipe_of_a_run_that_was_killed_is_in_nobodys_way() {
        let path = std::env::temp_dir().join(format!("ranklint-pipe-{}", std::process::id()));
        for _ in 0..2 {
            named_pipe(&path).expect("a pipe");
        }
        std::fs::remove_file(&path).expect("removed");
    }
}
