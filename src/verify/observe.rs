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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::event::parse;

    /// Two ranks that issue different operations, and end.
    fn parted(telling: Telling) -> Observer {
        let mut observer = Observer::new(2, telling);
        for (rank, op) in [(0, "all_reduce"), (1, "barrier")] {
            let signature = format!(
                r#"{{"signature":{{"id":0,"op":"{op}","family":"collective","group":0,"site":0,"reduce":null,"root":null,"peer":null,"tag":0,"tensors":[],"asynchronous":false,"members":[],"implicit":"","label":""}}}}"#
            );
            for line in [
                &format!(r#"{{"joined":{{"rank":{rank},"world":2}}}}"#),
                r#"{"group":{"id":0,"ranks":[0,1],"ordinal":0,"backend":"gloo","label":"","world":true}}"#,
                &signature,
                "[0,0,0,0,100]",
            ] {
                observer.event(rank, &parse(line.as_bytes()).expect("an event"));
            }
        }
        observer
    }

    fn report(telling: Telling, outcome: Outcome) -> RunReport {
        parted(telling).report(outcome, Circumstances { world: 1, decided_us: 130, ..Circumstances::default() })
    }

    #[test]
    fn ranks_that_ran_one_by_one_are_compared_at_the_end() {
        assert!(parted(Telling::AtOnce).verdict(u64::MAX).is_some());
        assert_eq!(parted(Telling::AtTheEnd).verdict(u64::MAX), None, "there are more ranks to come");
        let late = report(Telling::AtTheEnd, Outcome::Passed);
        assert_eq!((late.outcome.name(), late.latency_us), ("diverged", None));
        assert_eq!(report(Telling::AtOnce, Outcome::Passed).latency_us, Some(30));
        assert_eq!(late.world, 2, "the logs know of more ranks than were started here");
    }

    #[test]
    fn what_the_logs_tell_explains_how_ranks_end_and_not_how_we_end_them() {
        let told = |outcome| report(Telling::AtOnce, outcome).outcome.name();
        assert_eq!(told(Outcome::Failed { rank: 1, code: 1 }), "diverged");
        assert_eq!(told(Outcome::Signalled { rank: 1, signal: 6 }), "diverged");
        assert_eq!(told(Outcome::TimedOut { seconds: 9 }), "timed_out");
    }
}
