//! What is told beside the verdict, once a run is over.

use super::Matcher;
use super::process::ProcessId;
use crate::verify::outcome::{Call, Lane};

impl Matcher {
    /// Everything that is known of the ranks, once the run is over: the different calls, and a lane for each rank.
    pub fn lanes(&self) -> (Vec<Call>, Vec<Lane>) {
        let mut ranks: Vec<(u32, ProcessId)> = self.by_rank.iter().map(|(rank, process)| (*rank, *process)).collect();
        for (index, process) in self.processes.iter().enumerate() {
            if let Some(rank) = process.rank
                && !ranks.iter().any(|(known, _)| *known == rank)
            {
                ranks.push((rank, ProcessId(u32::try_from(index).expect("processes are counted in 32 bits"))));
            }
        }
        ranks.sort_unstable();
        let lanes = ranks.into_iter().map(|(rank, id)| {
            let process = &self.processes[id.index()];
            let (calls, left_out) = process.track.finish();
            Lane {
                rank,
                pid: process.pid,
                host: process.start.as_ref().map(|start| start.host.clone()).unwrap_or_default(),
                calls,
                left_out,
                end: process.ending.clone(),
                raised_at: process.raised.as_ref().map(|raised| raised.frames.clone()).unwrap_or_default(),
                stacks: String::new(),
                output_tail: String::new(),
            }
        });
        (self.calls.table(), lanes.collect())
    }

    /// The largest number of ranks that a process has spoken of; 0 when none has.
    pub fn world(&self) -> u32 {
        self.processes.iter().filter_map(|process| process.world).max().unwrap_or(0)
    }

    /// Handles that were thrown away: the calls, with how often, by op and place.
    pub fn unawaited(&self) -> Vec<(Call, u64)> {
        let mut calls: Vec<(Call, u64)> =
            self.unawaited.iter().map(|(call, count)| (self.calls.get(*call).clone(), *count)).collect();
        calls.sort_by(|(one, _), (other, _)| (&one.op, &one.frames).cmp(&(&other.op, &other.frames)));
        calls
    }

    /// What is worth knowing beside the verdict.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        for (key, count) in self.channels.unreceived() {
            let messages = if count == 1 { "1 message".to_owned() } else { format!("{count} messages") };
            notes.push(format!("{messages} from rank {} to rank {} was never received", key.from, key.to));
        }
        let given_up: u64 = self.groups.iter().map(|group| group.given_up).sum();
        if given_up > 0 {
            notes.push(format!("{given_up} places were not compared: a rank is too far behind the others"));
        }
        notes
    }
}
