//! Everything that descends from what we started, and how it is ended.
//!
//! Three nets, since each has holes: the children of this process and theirs (orphans come to us, because we adopt them), a
//! tag in the environment that processes inherit, and the process groups that our processes lead. What we did not start is
//! never touched: children this process had before, and helpers it declares.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::Signal;

use super::process::{self, Doing, Exit, ProcessId, Stat};

/// The name of the tag in the environment.
pub const TAG: &str = "RANKLINT_RUN";

/// After so many looks that found nothing but new ends, something is taken for restless.
const RESTLESS: usize = 100;

/// The processes that this supervisor has to answer for.
#[derive(Debug)]
pub struct Tree {
    tag: String,
    /// Not ours, though they may be our children.
    foreign: BTreeSet<ProcessId>,
    /// Seen among our own, with what they were called then.
    known: BTreeMap<ProcessId, String>,
    /// Those found by their tag only.
    strays: BTreeSet<ProcessId>,
    /// Ends that were taken and not told yet.
    ended: Vec<(u32, Exit)>,
    /// Whether every unknown child can only be a descendant of ours.
    trusting: bool,
}

impl Tree {
    /// The tree of what is started from now on with this tag in its environment.
    pub fn new(tag: String) -> Tree {
        let foreign: BTreeSet<ProcessId> =
            own_children().into_iter().filter_map(|pid| Some(process::stat(pid)?.id)).collect();
        let trusting = foreign.is_empty();
        Tree { tag, foreign, known: BTreeMap::new(), strays: BTreeSet::new(), ended: Vec::new(), trusting }
    }

    /// The value of the tag.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// A helper of ours that outlives runs.
    pub fn spare(&mut self, pid: u32) {
        self.foreign.extend(process::stat(pid).map(|stat| stat.id));
    }

    /// A process that was just started.
    pub fn add(&mut self, pid: u32) -> Option<ProcessId> {
        let id = process::stat(pid)?.id;
        self.known.insert(id, process::command_line(pid));
        Some(id)
    }

    /// What a process of ours is called, or was when it was seen last: it may have become another program since.
    pub fn name(&self, id: ProcessId) -> String {
        let now = process::command_line(id.pid);
        let is_same = process::stat(id.pid).is_some_and(|stat| stat.id == id);
        if is_same && !now.is_empty() { now } else { self.known.get(&id).cloned().unwrap_or_default() }
    }

    /// Takes the ends of all our children that have ended, orphans that came to us included.
    pub fn reap(&mut self) {
        for pid in own_children() {
            if let Some(stat) = process::stat(pid)
                && stat.doing == Doing::Ended
                && self.is_ours(&stat)
                && let Some(exit) = process::reap(pid)
            {
                self.ended.push((pid, exit));
            }
        }
    }

    /// The ends that were taken since the last time.
    pub fn take_ended(&mut self) -> Vec<(u32, Exit)> {
        self.reap();
        std::mem::take(&mut self.ended)
    }

    /// The processes of the tree that have not ended.
    ///
    /// A process that forks and ends, and whose child does the same, can be gone whenever one looks. It leaves ended
    /// children of ours behind, though, and where there always are new ones, the last of them stands for it.
    pub fn walk(&mut self) -> Vec<Stat> {
        for _ in 0..RESTLESS {
            let (alive, ended) = self.gather();
            if !alive.is_empty() || ended.is_empty() {
                return alive;
            }
            self.reap();
        }
        let (alive, mut ended) = self.gather();
        if alive.is_empty() {
            ended.truncate(1);
            for stat in &ended {
                self.known.insert(stat.id, "a process that forks and ends, again and again".to_owned());
            }
            return ended;
        }
        alive
    }

    /// The processes of the tree that live, and children of ours that have ended.
    fn gather(&mut self) -> (Vec<Stat>, Vec<Stat>) {
        let mut found = BTreeMap::new();
        let own = own_children().into_iter().filter_map(process::stat).filter(|stat| self.is_ours(stat));
        let (ended, mut open): (Vec<Stat>, Vec<Stat>) = own.partition(|stat| stat.doing == Doing::Ended);
        let same = |id: &ProcessId| process::stat(id.pid).filter(|stat| stat.id == *id);
        open.extend(self.strays.iter().filter_map(same));
        // Where the system does not tell descendants, what was started is all there is.
        #[cfg(not(target_os = "linux"))]
        open.extend(self.known.keys().filter_map(same));
        while let Some(stat) = open.pop() {
            if self.foreign.contains(&stat.id) || found.insert(stat.id, stat).is_some() {
                continue;
            }
            open.extend(children(stat.id.pid).into_iter().filter_map(process::stat));
        }
        found.retain(|_, stat| stat.doing != Doing::Ended);
        for id in found.keys() {
            if self.known.get(id).is_none_or(String::is_empty) {
                self.known.insert(*id, process::command_line(id.pid));
            }
        }
        (found.into_values().collect(), ended)
    }

    /// Looks for processes with our tag that have left the tree; [`Tree::walk`] tells them from now on.
    pub fn sweep(&mut self) {
        let me = std::process::id();
        for pid in all_processes() {
            if pid != me
                && has_tag(pid, &self.tag)
                && let Some(stat) = process::stat(pid)
                && stat.doing != Doing::Ended
                && !self.foreign.contains(&stat.id)
            {
                self.strays.insert(stat.id);
            }
        }
    }

    /// Sends SIGKILL to everything in the tree, and tells what that was.
    pub fn kill(&mut self) -> Vec<ProcessId> {
        let (mut members, ended) = self.gather();
        if members.is_empty() && !ended.is_empty() {
            members = self.walk();
        }
        // What forks on and on is reached as a group, in which nobody is between two lives.
        let groups: BTreeSet<u32> = members.iter().chain(&ended).map(|stat| stat.group).collect();
        for group in groups.into_iter().filter(|group| self.may_kill_group(*group)) {
            process::send_group(group, Signal::KILL);
        }
        for stat in &members {
            process::send(stat.id, Signal::KILL);
        }
        members.into_iter().map(|stat| stat.id).collect()
    }

    /// Whether a group with members of the tree has no others: it is led by one of them, or its leader is gone.
    fn may_kill_group(&self, group: u32) -> bool {
        let leader = process::stat(group);
        let own = process::stat(std::process::id()).map(|stat| stat.group);
        own != Some(group) && leader.is_none_or(|leader| self.known.contains_key(&leader.id))
    }

    /// Kills until nothing is left or the deadline has passed; tells how many survive.
    pub fn clear(&mut self, until_us: u64) -> usize {
        loop {
            self.sweep();
            let mut rounds = 0;
            while !self.kill().is_empty() && super::monotonic_us() < until_us {
                self.reap();
                rounds += 1;
                if rounds > 20 {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            }
            self.reap();
            self.sweep();
            let left = self.walk().len();
            if left == 0 || super::monotonic_us() >= until_us {
                return left;
            }
        }
    }

    /// Forgets the processes of a run that is over.
    pub fn forget(&mut self) {
        self.known.clear();
        self.strays.clear();
        self.ended.clear();
    }

    fn is_ours(&self, stat: &Stat) -> bool {
        !self.foreign.contains(&stat.id)
            && (self.trusting || self.known.contains_key(&stat.id) || has_tag(stat.id.pid, &self.tag))
    }
}

/// The children of this process.
#[cfg(target_os = "linux")]
fn own_children() -> Vec<u32> {
    children(std::process::id())
}

#[cfg(not(target_os = "linux"))]
fn own_children() -> Vec<u32> {
    Vec::new()
}

/// The children of a process, those of all its threads.
#[expect(clippy::disallowed_methods, reason = "the one place that reads /proc/<pid>/task")]
fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for task in tasks.flatten() {
        match std::fs::read_to_string(task.path().join("children")) {
            Ok(text) => found.extend(text.split_ascii_whitespace().filter_map(|word| word.parse::<u32>().ok())),
            // The thread has ended, or the kernel is built without these files.
            Err(_) if process::stat(pid).is_none() => return found,
            Err(_) => {
                found.extend(
                    all_processes().into_iter().filter(|&other| process::stat(other).is_some_and(|s| s.parent == pid)),
                );
                found.sort_unstable();
                found.dedup();
                return found;
            }
        }
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "the one place that lists /proc")]
fn all_processes() -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Whether a process was started with our tag. Those of other users cannot be read, so they never have it.
#[expect(clippy::disallowed_methods, reason = "the one place that reads /proc/<pid>/environ")]
fn has_tag(pid: u32, tag: &str) -> bool {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|&byte| byte == 0).any(|entry| {
        entry.strip_prefix(TAG.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) == Some(tag.as_bytes())
    })
}
