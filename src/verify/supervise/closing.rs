//! The way from a settled outcome to an empty tree: stacks, SIGTERM, grace, SIGKILL, until nothing is left.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rustix::process::Signal;

use super::super::launch::signal_by_number;
use super::super::os::process::{self, Doing, ProcessId, Stat};
use super::super::os::tree::Tree;
use super::super::outcome::Outcome;
use super::table::Table;
use super::{Limits, micros};

/// What is settled, and how far the end of everything has come.
#[derive(Debug)]
pub(super) struct Closing {
    pub(super) outcome: Outcome,
    /// When it was settled.
    pub(super) decided_us: u64,
    pub(super) survivors: usize,
    step: Step,
    grace_us: u64,
    kill_us: u64,
    /// Those that were told to end, by SIGTERM.
    told: BTreeSet<ProcessId>,
    /// Those that SIGKILL was sent to.
    killed: BTreeMap<ProcessId, String>,
    /// What was there when the ranks had ended.
    left: Vec<String>,
}

#[derive(Debug)]
enum Step {
    /// Waits for stacks.
    Stacks { until_us: u64, files: Vec<PathBuf>, whole_since_us: Option<u64> },
    /// Tells everything to end.
    Telling,
    /// Gives it time.
    Grace { until_us: u64 },
    /// Kills.
    Killing { until_us: u64 },
}

impl Closing {
    pub(super) fn new(outcome: Outcome, now_us: u64, limits: &Limits) -> Closing {
        let grace = if outcome.divergence().is_some() { limits.certain_grace } else { limits.grace };
        let left = match &outcome {
            Outcome::Leaked { processes } => processes.clone(),
            _ => Vec::new(),
        };
        Closing {
            outcome,
            decided_us: now_us,
            survivors: 0,
            step: Step::Stacks { until_us: now_us + micros(limits.stacks), files: Vec::new(), whole_since_us: None },
            grace_us: micros(grace),
            kill_us: micros(limits.kill),
            told: BTreeSet::new(),
            killed: BTreeMap::new(),
            left,
        }
    }

    /// Asks the ranks that live for their stacks. Only a process with the probe in it understands; others would die of it.
    pub(super) fn ask_for_stacks(&mut self, table: &Table, signal: i32) {
        let Step::Stacks { files, .. } = &mut self.step else { return };
        let mut asked = Vec::new();
        for process in table.processes.values().filter(|process| process.lives() && process.probed) {
            if let (Some(id), Some(path)) = (process.id, process.stacks())
                && process::stat(id.pid).is_some_and(|stat| stat.id == id && stat.doing == Doing::Lives)
            {
                asked.push(id);
                files.push(path);
            }
        }
        signal_by_number(&asked, signal);
    }

    /// No more patience.
    pub(super) fn hurry(&mut self) {
        self.grace_us = 0;
        if !matches!(self.step, Step::Killing { .. }) {
            self.step = Step::Telling;
        }
    }

    /// When the next step is due.
    pub(super) fn due_us(&self, now_us: u64) -> u64 {
        match self.step {
            Step::Telling => now_us,
            Step::Stacks { .. } | Step::Killing { .. } => now_us + 2_000,
            Step::Grace { until_us } => until_us.min(now_us + 5_000),
        }
    }

    /// Goes on; whether it is over.
    pub(super) fn step(&mut self, tree: &mut Tree, table: &mut Table, now_us: u64) -> bool {
        match &mut self.step {
            Step::Stacks { until_us, files, whole_since_us } => {
                // Files may be there, and empty, from the beginning; a dump takes a moment to be written.
                let whole = files.iter().all(|path| path.metadata().is_ok_and(|metadata| metadata.len() > 0));
                if whole && whole_since_us.is_none() {
                    *whole_since_us = Some(now_us);
                }
                let settled = whole_since_us.is_some_and(|since_us| now_us - since_us >= 4_000);
                if files.is_empty() || settled || now_us >= *until_us {
                    self.step = Step::Telling;
                    return self.step(tree, table, now_us);
                }
                false
            }
            Step::Telling => {
                tree.sweep();
                if self.tell(tree, table) == 0 {
                    return true;
                }
                self.step = Step::Grace { until_us: now_us + self.grace_us };
                if self.grace_us == 0 { self.step(tree, table, now_us) } else { false }
            }
            Step::Grace { until_us } => {
                let is_over = now_us >= *until_us;
                if is_over {
                    self.step = Step::Killing { until_us: now_us + self.kill_us };
                    return self.step(tree, table, now_us);
                }
                self.tell(tree, table) == 0 && self.nothing_left(tree)
            }
            Step::Killing { until_us } => {
                let until_us = *until_us;
                self.kill(tree, table, now_us >= until_us)
            }
        }
    }

    /// Tells every process that was not told yet to end; how many there are.
    fn tell(&mut self, tree: &mut Tree, table: &mut Table) -> usize {
        let members = tree.walk();
        mark(table, &members);
        for stat in &members {
            if self.told.insert(stat.id) {
                process::send(stat.id, Signal::TERM);
            }
            if stat.doing == Doing::Stopped {
                process::send(stat.id, Signal::CONT);
            }
        }
        members.len()
    }

    /// Nothing is in the tree; whether nothing has left it either.
    fn nothing_left(&self, tree: &mut Tree) -> bool {
        tree.reap();
        tree.sweep();
        tree.walk().is_empty()
    }

    fn kill(&mut self, tree: &mut Tree, table: &mut Table, is_late: bool) -> bool {
        tree.sweep();
        // What forks on and on is outrun by not pausing.
        for _ in 0..50 {
            let members = tree.walk();
            mark(table, &members);
            for stat in &members {
                self.killed.entry(stat.id).or_insert_with(|| tree.name(stat.id));
            }
            if tree.kill().is_empty() {
                break;
            }
            tree.reap();
        }
        if self.nothing_left(tree) {
            return true;
        }
        if is_late {
            self.survivors = tree.walk().len();
        }
        is_late
    }

    pub(super) fn killed(&self) -> usize {
        self.killed.len()
    }

    /// What had to be ended though its rank had ended, or would not end.
    pub(super) fn left_behind(&self) -> Vec<String> {
        let killed = self.killed.iter().map(|(id, name)| format!("{} {name}", id.pid).trim_end().to_owned());
        let mut all: Vec<String> = killed.chain(self.left.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }

    pub(super) fn notes(&self) -> Vec<String> {
        match self.survivors {
            0 => Vec::new(),
            count => vec![format!("{count} processes could not be killed")],
        }
    }
}

/// Ends from now on are ours.
fn mark(table: &mut Table, members: &[Stat]) {
    for stat in members {
        if let Some(process) = table.processes.get_mut(&stat.id.pid) {
            process.told = true;
        }
    }
}
