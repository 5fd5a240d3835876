//! Everything that is learned from the logs of one run, and the report it comes to.

use super::event::Event;
use super::ledger::Ledger;
use super::matcher::Matcher;
use super::outcome::{Ending, Outcome, RunReport};
use super::watch::Watch;

/// When the verdict is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// As soon as it is certain.
    AtOnce,
    /// When every rank has ended: ranks run one after the other, or have long run.
    AtTheEnd,
}

/// Watches a run.
#[derive(Debug)]
pub struct Observer {
    matcher: Matcher,
    ledger: Ledger,
    telling: Telling,
}

/// What is known of a run from elsewhere than its logs.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// The command, as given.
    pub command: Vec<String>,
    /// The command line that does the same again.
    pub again: Vec<String>,
    /// What started the ranks.
    pub launcher: String,
    /// Number of ranks, as far as is known without the logs: those of this machine.
    pub world: u32,
    /// Path of the interpreter; empty for replays.
    pub interpreter: String,
    /// Version of torch that the interpreter has.
    pub torch: Option<String>,
    /// How long it took, in microseconds.
    pub wall_us: u64,
    /// When the outcome was settled, on the monotonic clock in microseconds.
    pub decided_us: u64,
    /// Folder with logs and output.
    pub folder: String,
}

impl Observer {
    /// An observer of a run of `world` ranks.
    pub fn new(world: u32, telling: Telling) -> Observer {
        Observer { matcher: Matcher::new(world), ledger: Ledger::default(), telling }
    }

    /// The report of a run that has ended with `outcome` as far as its processes tell. What the logs tell comes first: that a
    /// rank has failed is the consequence of having been left alone.
    pub fn report(mut self, outcome: Outcome, circumstances: Circumstances) -> RunReport {
        let is_open = matches!(outcome, Outcome::Passed | Outcome::Failed { .. } | Outcome::Signalled { .. });
        let told = if is_open { self.matcher.verdict(u64::MAX) } else { None };
        let outcome = told.unwrap_or(outcome);
        let (calls, lanes) = self.matcher.lanes();
        let latency_us = outcome
            .divergence()
            .filter(|_| self.telling == Telling::AtOnce)
            .map(|divergence| circumstances.decided_us.saturating_sub(divergence.time_us));
        let Circumstances { command, again, launcher, world, interpreter, torch, wall_us, folder, .. } = circumstances;
        let world = world.max(self.matcher.world());
        RunReport {
            command,
            again,
            launcher,
            world,
            interpreter,
            torch: self.ledger.torch().map(str::to_owned).or(torch),
            latency_us,
            wall_us,
            calls,
            lanes,
            environment: self.ledger.environment(),
            writes: self.ledger.writes(),
            unawaited: self.matcher.unawaited(),
            notes: self.matcher.notes(),
            coverage: None,
            predictions: Vec::new(),
            unpredicted: outcome.divergence().is_some(),
            outcome,
            folder,
        }
    }
}

impl Watch for Observer {
    fn event(&mut self, pid: u32, event: &Event) {
        self.matcher.event(pid, event);
        self.ledger.event(pid, event);
    }

    fn ended(&mut self, pid: u32, ending: &Ending) {
        self.matcher.ended(pid, ending);
    }

    fn verdict(&mut self, now_us: u64) -> Option<Outcome> {
        match self.telling {
            Telling::AtOnce => self.matcher.verdict(now_us),
            Telling::AtTheEnd => None,
        }
    }

    fn is_anyone_waiting(&self) -> bool {
        self.matcher.is_anyone_waiting()
    }

    fn last_event_us(&self) -> Option<u64> {
        self.matcher.last_event_us()
    }
}
