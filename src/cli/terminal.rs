//! What kind of terminal there is: colour, and a progress bar on long runs.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::analyze::Progress;

use super::args::Color;

/// Runs shorter than this show no progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether the report may carry colours.
pub(super) fn color(choice: Color) -> bool {
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if is_set("NO_COLOR") => false,
        Color::Auto if is_set("FORCE_COLOR") => true,
        Color::Auto => std::io::stdout().is_terminal(),
    }
}

/// Whether a person reads standard output as it is printed.
pub(super) fn is_watched() -> bool {
    std::io::stdout().is_terminal()
}

#[expect(clippy::disallowed_methods, reason = "the conventions for colour are environment variables")]
fn is_set(key: &str) -> bool {
    std::env::var_os(key).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Watches a run, and shows how far it is when it takes long. It ends with the value.
pub(super) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts watching; does nothing when standard error is no terminal.
    pub fn start(progress: &Arc<Progress>) -> Watch {
        if !std::io::stderr().is_terminal() {
            return Watch { stop: None, thread: None };
        }
        let progress = Arc::clone(progress);
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{bar:30} {percent}% {msg}");
            let bar = ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message("analysing");
            while stopped.recv_timeout(Duration::from_millis(50)) == Err(RecvTimeoutError::Timeout) {
                bar.set_length(progress.total.load(Ordering::Relaxed) as u64);
                bar.set_position(progress.done.load(Ordering::Relaxed) as u64);
            }
            bar.finish_and_clear();
        });
        Watch { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A progress bar that fails is no reason to lose the report.
            let _ = thread.join();
        }
    }
}
