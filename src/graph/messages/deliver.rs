//! Delivers the messages of all ranks, first with sends that never wait, then with sends that wait for their receiver.

use std::collections::BTreeMap;

use crate::base::Site;

use super::step::{Step, StepKind};

/// What sort of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A receive whose message is never sent.
    NeverSent,
    /// A message that nobody receives.
    NeverReceived,
    /// Receives that wait for each other.
    BothReceive,
    /// Sends that wait for each other's receive.
    BothSend,
}

/// A message that does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What sort.
    pub kind: FaultKind,
    /// The rank that is left alone.
    pub rank: i64,
    /// The rank it waits for, or whose message stays.
    pub peer: i64,
    /// What it waits in.
    pub operation: StepKind,
    /// Where.
    pub site: Site,
}

/// What goes wrong when the ranks do this; nothing when all ends well.
pub(super) fn deliver(words: &[Vec<Step>]) -> Option<Fault> {
    let eager = Delivery::of(words, Sends::Buffered);
    eager.fault().or_else(|| Delivery::of(words, Sends::Awaited).fault())
}

/// What a blocking send waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sends {
    Buffered,
    Awaited,
}

/// Steps on the way from one rank to another, in the order in which they were begun.
#[derive(Default)]
struct Channel {
    sent: Vec<usize>,
    received: Vec<usize>,
}

struct Delivery<'a> {
    words: &'a [Vec<Step>],
    sends: Sends,
    channels: BTreeMap<(i64, i64), Channel>,
    at: Vec<usize>,
}

impl<'a> Delivery<'a> {
    fn of(words: &'a [Vec<Step>], sends: Sends) -> Self {
        let mut delivery = Delivery { words, sends, channels: BTreeMap::new(), at: vec![0; words.len()] };
        let mut begun = vec![false; words.len()];
        loop {
            let mut moved = false;
            for rank in 0..words.len() {
                while let Some(&step) = words[rank].get(delivery.at[rank]) {
                    if !begun[rank] {
                        delivery.begin(rank as i64, delivery.at[rank], step);
                        begun[rank] = true;
                        moved = true;
                    }
                    let waits = matches!(step.kind, StepKind::Send | StepKind::Recv | StepKind::Wait(_));
                    if waits && !delivery.complete(rank as i64, delivery.at[rank]) {
                        break;
                    }
                    delivery.at[rank] += 1;
                    begun[rank] = false;
                    moved = true;
                }
            }
            if !moved {
                return delivery;
            }
        }
    }

    fn begin(&mut self, rank: i64, index: usize, step: Step) {
        let Some(peer) = step.peer else { return };
        if step.kind.sends() {
            self.channels.entry((rank, peer)).or_default().sent.push(index);
        } else if step.kind.receives() {
            self.channels.entry((peer, rank)).or_default().received.push(index);
        }
    }

    fn complete(&self, rank: i64, index: usize) -> bool {
        let step = self.words[rank as usize][index];
        if let StepKind::Wait(other) = step.kind {
            return self.complete(rank, other);
        }
        let Some(peer) = step.peer else { return true };
        let place = |begun: &[usize]| begun.iter().position(|&known| known == index);
        match step.kind.sends() {
            true if self.sends == Sends::Buffered => true,
            true => self
                .channels
                .get(&(rank, peer))
                .is_none_or(|channel| place(&channel.sent).is_none_or(|place| place < channel.received.len())),
            false => self
                .channels
                .get(&(peer, rank))
                .is_none_or(|channel| place(&channel.received).is_none_or(|place| place < channel.sent.len())),
        }
    }

    /// The step a rank is held up by: a wait stands for what it waits for.
    fn held(&self, rank: usize) -> Option<Step> {
        let step = *self.words[rank].get(self.at[rank])?;
        Some(match step.kind {
            StepKind::Wait(other) => self.words[rank][other],
            _ => step,
        })
    }

    fn fault(&self) -> Option<Fault> {
        for rank in 0..self.words.len() {
            let Some(step) = self.held(rank) else { continue };
            let peer = step.peer?;
            // Whoever waits for a rank that waits itself is not the one to speak of, unless they wait for each other.
            let other = self.held(peer as usize);
            let kind = match other {
                None if step.kind.receives() => FaultKind::NeverSent,
                None => FaultKind::NeverReceived,
                Some(_) if !self.in_circle(rank) => continue,
                Some(_) if self.sends == Sends::Buffered => FaultKind::BothReceive,
                Some(_) if step.kind.sends() => FaultKind::BothSend,
                Some(_) => continue,
            };
            return Some(Fault { kind, rank: rank as i64, peer, operation: step.kind, site: step.site });
        }
        for (&(from, to), channel) in &self.channels {
            if let Some(&index) = channel.sent.get(channel.received.len()) {
                let step = self.words[from as usize][index];
                let kind = FaultKind::NeverReceived;
                return Some(Fault { kind, rank: from, peer: to, operation: step.kind, site: step.site });
            }
            if let Some(&index) = channel.received.get(channel.sent.len()) {
                let step = self.words[to as usize][index];
                let kind = FaultKind::NeverSent;
                return Some(Fault { kind, rank: to, peer: from, operation: step.kind, site: step.site });
            }
        }
        None
    }

    /// Whether following who waits for whom leads back.
    fn in_circle(&self, rank: usize) -> bool {
        let mut at = rank;
        for _ in 0..self.words.len() {
            let Some(peer) = self.held(at).and_then(|step| step.peer) else { return false };
            at = peer as usize;
            if at == rank {
                return true;
            }
        }
        false
    }
}
