//! What the operating system is asked: the clock, signals, processes and who descends from whom.
//!
//! It knows nothing of ranks and verdicts. What only Linux can tell (`/proc`, inotify, a subreaper) has a plain substitute
//! elsewhere, so that the rest need not ask where it runs.

pub mod notify;
pub mod process;
pub mod signals;
pub mod tree;

use std::net::{Ipv4Addr, TcpListener};

/// The monotonic clock in microseconds: the same one, with the same zero, as `time.monotonic()` in Python.
pub fn monotonic_us() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000
}

/// The name of this machine, as Python's `socket.gethostname()` tells it.
pub fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A port nobody listens on at the moment.
///
/// # Errors
/// There is no loopback interface, or no port is left.
pub fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Makes this process the one that orphans among its descendants are handed to.
///
/// # Errors
/// The system refuses. Where there is no such thing, nothing happens.
pub fn adopt_orphans() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}
