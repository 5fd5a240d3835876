//! One process: whether it still is the one that was meant, what it does, signals for it, and its end.

use rustix::process::{Pid, Signal, WaitOptions};

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it was started, in ticks of the system; 0 where the system does not tell.
    pub start: u64,
}

/// What a process is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It runs or sleeps.
    Lives,
    /// It is stopped by a signal or a debugger.
    Stopped,
    /// It has ended and waits for its parent to notice.
    Ended,
}

/// What the system tells about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Which one.
    pub id: ProcessId,
    /// What it does.
    pub doing: Doing,
    /// Its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// How it ended, when it has and the system says so.
    pub exit: Option<Exit>,
}

/// How a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Its parent has taken the answer.
    Unknown,
}

impl Exit {
    /// Whether it is known to be an end in failure.
    pub fn is_bad(self) -> bool {
        !matches!(self, Exit::Code(0) | Exit::Unknown)
    }
}

/// What the system tells about process `pid`; absent when there is none.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the one place that reads /proc/<pid>/stat")]
pub fn stat(pid: u32) -> Option<Stat> {
    let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, closing parentheses included.
    let after = &text[text.iter().rposition(|&byte| byte == b')')? + 1..];
    let fields: Vec<&str> = std::str::from_utf8(after).ok()?.split_ascii_whitespace().collect();
    // A process whose first thread has ended looks dead while others go on.
    let threads: u32 = fields.get(17)?.parse().ok()?;
    let doing = match *fields.first()? {
        "Z" | "X" | "x" if threads <= 1 => Doing::Ended,
        "T" | "t" => Doing::Stopped,
        _ => Doing::Lives,
    };
    let exit = (doing == Doing::Ended).then(|| fields.get(49)?.parse().ok().map(exit_of_status)).flatten();
    Some(Stat {
        id: ProcessId { pid, start: fields.get(19)?.parse().ok()? },
        doing,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        exit,
    })
}

/// What the system tells about process `pid`; absent when there is none.
#[cfg(not(target_os = "linux"))]
pub fn stat(pid: u32) -> Option<Stat> {
    let process = to_pid(pid)?;
    rustix::process::test_kill_process(process).ok()?;
    let group = rustix::process::getpgid(Some(process)).map_or(0, |group| group.as_raw_nonzero().get() as u32);
    Some(Stat { id: ProcessId { pid, start: 0 }, doing: Doing::Lives, parent: 0, group, exit: None })
}

#[cfg(target_os = "linux")]
fn exit_of_status(status: i32) -> Exit {
    match status & 0x7f {
        0 => Exit::Code((status >> 8) & 0xff),
        signal => Exit::Signal(signal),
    }
}

/// The command line of a process, in one line; empty when it cannot be read.
#[expect(clippy::disallowed_methods, reason = "the one place that reads /proc/<pid>/cmdline")]
pub fn command_line(pid: u32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<String> =
        bytes.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let line = words.join(" ").replace('\n', " ");
    let line = line.trim();
    if line.chars().count() > 200 { line.chars().take(199).chain(['…']).collect() } else { line.to_owned() }
}

/// Sends a signal to exactly this process. Nothing happens when it is gone.
pub fn send(id: ProcessId, signal: Signal) {
    let Some(pid) = to_pid(id.pid) else { return };
    #[cfg(target_os = "linux")]
    if let Ok(handle) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
        // The handle was opened before the look, so what the look says is true of the handle.
        if stat(id.pid).is_some_and(|now| now.id == id) {
            let _ = rustix::process::pidfd_send_signal(handle, signal);
        }
        return;
    }
    if stat(id.pid).is_some_and(|now| now.id == id) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Sends a signal to a process group.
pub fn send_group(group: u32, signal: Signal) {
    // Group 1 would be everybody, and 0 ourselves.
    if let Some(group) = to_pid(group).filter(|_| group > 1) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// Takes the end of a child, when it has ended.
pub fn reap(pid: u32) -> Option<Exit> {
    let (_, status) = rustix::process::waitpid(Some(to_pid(pid)?), WaitOptions::NOHANG).ok()??;
    Some(match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    })
}

/// A descriptor that becomes readable when the process ends, where there is such a thing.
pub fn end_descriptor(pid: u32) -> Option<std::os::fd::OwnedFd> {
    #[cfg(target_os = "linux")]
    return rustix::process::pidfd_open(to_pid(pid)?, rustix::process::PidfdFlags::empty()).ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        None
    }
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_no_number_is_taken_for_it() {
        let me = std::process::id();
        let stat = stat(me).expect("this process is there");
        assert_eq!(stat.doing, Doing::Lives);
        assert!(super::stat(u32::MAX - 1).is_none());
        // A signal for an earlier process with our number does not reach us.
        #[cfg(target_os = "linux")]
        send(ProcessId { pid: me, start: stat.id.start - 1 }, Signal::KILL);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_status_is_a_code_or_a_signal() {
        assert_eq!(exit_of_status(0), Exit::Code(0));
        assert_eq!(exit_of_status(3 << 8), Exit::Code(3));
        assert_eq!(exit_of_status(9), Exit::Signal(9));
        assert_eq!(exit_of_status(0x80 | 11), Exit::Signal(11), "with a core file");
    }
}
