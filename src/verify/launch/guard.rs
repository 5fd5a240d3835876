//! The guard: a small process that ends what is left when ranklint itself is killed. Its other half is `ranklint/guard.py`.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use super::LaunchError;

/// A running guard. It is sent home when the value goes.
#[derive(Debug)]
pub struct Guard {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts it; it need not be waited for.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(interpreter: &Path, root: &Path, tag: &str) -> Result<Guard, LaunchError> {
        let mut command = super::command(interpreter);
        // Nothing of the user's is needed, so nothing of it can go wrong.
        command.args(["-S", "-E", "-s"]).arg(root.join("ranklint").join("guard.py")).arg(tag);
        command.current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child =
            command.spawn().map_err(|why| super::not_started(&OsString::from(interpreter), Path::new("/"), why))?;
        let pipe = child.stdin.take();
        Ok(Guard { child, pipe })
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            let _ = pipe.write_all(b"x");
        }
        // It may not even have begun, and then it need not.
        let end = Instant::now() + Duration::from_millis(20);
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
