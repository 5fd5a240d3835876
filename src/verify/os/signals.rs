//! The signals that this process gets: they wake a descriptor, and are asked for.

use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::process::Signal;

/// Those that end a run.
const ENDING: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::HUP];

/// The handlers of this process. There is one such value at a time.
#[derive(Debug)]
pub struct Signals {
    wake: UnixStream,
    /// While it is set, signals do what they do by default.
    idle: Arc<AtomicBool>,
    counts: Vec<(Signal, Arc<AtomicUsize>)>,
    ids: Vec<signal_hook::SigId>,
}

/// As long as it lives, signals are kept for [`Signals::take`] instead of ending this process.
#[derive(Debug)]
pub struct Held(Arc<AtomicBool>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Signals {
    /// Installs the handlers. Signals that this process was told to ignore (`nohup`) stay ignored.
    ///
    /// # Errors
    /// The system refuses.
    pub fn install() -> std::io::Result<Signals> {
        let (wake, other) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let idle = Arc::new(AtomicBool::new(true));
        let mut signals = Signals { wake, idle, counts: Vec::new(), ids: Vec::new() };
        let ignored = ignored();
        for signal in ENDING {
            let number = signal.as_raw();
            if ignored & (1 << (number - 1)) != 0 {
                continue;
            }
            let count = Arc::new(AtomicUsize::new(0));
            // Never taken back: a handler without an action would make us deaf.
            signal_hook::flag::register_conditional_default(number, Arc::clone(&signals.idle))?;
            // `register_usize` only sets; a flag a signal is enough, since it is taken at once.
            signals.ids.push(signal_hook::flag::register_usize(number, Arc::clone(&count), 1)?);
            signals.ids.push(signal_hook::low_level::pipe::register(number, other.try_clone()?)?);
            signals.counts.push((signal, count));
        }
        signals.ids.push(signal_hook::low_level::pipe::register(Signal::CHILD.as_raw(), other)?);
        Ok(signals)
    }

    /// Keeps signals from ending this process.
    pub fn hold(&self) -> Held {
        self.idle.store(false, Ordering::SeqCst);
        Held(Arc::clone(&self.idle))
    }

    /// Readable when a signal has come, the end of a child included.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// The signal that wants to end us, when one has come since the last time.
    pub fn take(&self) -> Option<i32> {
        let mut buffer = [0; 256];
        while (&self.wake).read(&mut buffer).is_ok_and(|count| count == buffer.len()) {}
        self.counts
            .iter()
            .filter(|(_, count)| count.swap(0, Ordering::SeqCst) > 0)
            .map(|(signal, _)| signal.as_raw())
            .next()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.ids.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// The signals this process ignores, as a mask.
#[expect(clippy::disallowed_methods, reason = "the one place that reads /proc/self/status")]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok()).unwrap_or(0)
}
