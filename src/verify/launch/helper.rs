//! Another process of ours that works on orders: lines go in, lines come back.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// How long it may take to end once it has nothing more to do.
const LEAVING: Duration = Duration::from_secs(20);

/// A running helper. It is told to end by the end of its input, which comes when the value goes, and when this process does.
#[derive(Debug)]
pub struct Helper {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Helper {
    /// Starts it. It stays in our process group, so that what is typed at the terminal reaches it too.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &Path, arguments: &[&OsStr], cwd: &Path) -> io::Result<Helper> {
        let mut command = super::command(program);
        command.args(arguments).current_dir(cwd).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn()?;
        let orders = child.stdin.take();
        let answers = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
        Ok(Helper { child, orders, answers: BufReader::new(answers) })
    }

    /// Gives it a line and waits for the line that it answers with.
    ///
    /// # Errors
    /// It has ended, or does not read.
    pub fn ask(&mut self, line: &str) -> io::Result<String> {
        let orders = self.orders.as_mut().ok_or_else(|| io::Error::other("it was sent home"))?;
        orders.write_all(format!("{line}\n").as_bytes())?;
        let mut answer = String::new();
        match self.answers.read_line(&mut answer)? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it has ended")),
            _ => Ok(answer),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.orders = None;
        let end = Instant::now() + LEAVING;
        while Instant::now() < end {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
