//! Short commands with a deadline.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::super::os::process::{self, ProcessId};

/// What a command has printed to its standard output, and to its standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// Its exit code; absent when a signal ended it.
    pub code: Option<i32>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// It was not started.
    #[error(transparent)]
    NotStarted(#[from] std::io::Error),
    /// It was not ready in time.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
}

/// Runs a command with nothing to read and takes what it prints. It is killed when it is not ready in time.
///
/// # Errors
/// It cannot be started, or is not ready in time.
pub fn ask(program: &OsStr, arguments: &[&str], deadline: Duration) -> Result<Answer, NoAnswer> {
    let mut command = super::command(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let end = Instant::now() + deadline;
    // Read beside, since a pipe may be held open by others after the end.
    let (sender, texts) = mpsc::channel();
    let pipes: [Option<Box<dyn std::io::Read + Send>>; 2] =
        [child.stdout.take().map(|pipe| Box::new(pipe) as _), child.stderr.take().map(|pipe| Box::new(pipe) as _)];
    for (index, pipe) in pipes.into_iter().enumerate() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(pipe) = pipe {
                let _ = pipe.take(1024 * 1024).read_to_end(&mut bytes);
            }
            let _ = sender.send((index, String::from_utf8_lossy(&bytes).into_owned()));
        });
    }
    let mut answer = [String::new(), String::new()];
    for _ in 0..2 {
        match texts.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok((index, text)) => answer[index] = text,
            Err(_) => {
                process::send_group(child.id(), rustix::process::Signal::KILL);
                let _ = child.kill();
                let _ = child.wait();
                return Err(NoAnswer::Late(deadline));
            }
        }
    }
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(1)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(NoAnswer::Late(deadline));
            }
        }
    };
    let [out, err] = answer;
    Ok(Answer { out, err, code: status.code() })
}

/// Sends a signal that has no name, such as those between SIGRTMIN and SIGRTMAX. The system call for it is out of reach of
/// safe code, so a shell makes it; this takes some milliseconds.
pub fn signal_by_number(processes: &[ProcessId], signal: i32) {
    let alive = processes.iter().filter(|id| process::stat(id.pid).is_some_and(|stat| stat.id == **id));
    let numbers: Vec<String> = alive.map(|id| id.pid.to_string()).collect();
    if !numbers.is_empty() {
        let line = format!("kill -{signal} {}", numbers.join(" "));
        let _ = ask(OsStr::new("/bin/sh"), &["-c", &line], Duration::from_millis(500));
    }
}
