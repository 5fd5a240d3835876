//! Messages from one rank to another: the n-th send of a channel belongs to the n-th receive.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::calls::{CallId, Calls, elements};
use super::group::GroupId;

/// A channel of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ChannelId(pub u32);

/// What tells channels apart. Ranks are ranks in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub group: Option<GroupId>,
    pub from: u32,
    pub to: u32,
    pub tag: i64,
}

/// One channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub key: Key,
    /// Sends and receives that have no partner yet; one of the two is empty.
    sends: VecDeque<CallId>,
    receives: VecDeque<CallId>,
    sent: u64,
    received: u64,
}

/// All channels.
#[derive(Debug, Default)]
pub(super) struct Channels {
    channels: Vec<Channel>,
    by_key: FxHashMap<Key, ChannelId>,
    /// Ranks that receive from anyone: which send a receive belongs to cannot be told.
    open_ended: Vec<u32>,
}

/// Two ends of a message that do not fit.
pub(super) struct Misfit {
    pub channel: ChannelId,
    /// Place in the channel, from 0.
    pub place: u64,
    pub send: CallId,
    pub receive: CallId,
    pub what: &'static str,
}

impl Channels {
    /// The channel of a key.
    pub fn id(&mut self, key: Key) -> ChannelId {
        let next = ChannelId(u32::try_from(self.channels.len()).expect("there are fewer channels than messages"));
        let channels = &mut self.channels;
        *self.by_key.entry(key).or_insert_with(|| {
            let (sends, receives) = (VecDeque::new(), VecDeque::new());
            channels.push(Channel { key, sends, receives, sent: 0, received: 0 });
            next
        })
    }

    /// The ends of a channel.
    pub fn key(&self, id: ChannelId) -> Key {
        self.channels[id.0 as usize].key
    }

    /// A message is sent. Returns its place and what does not fit.
    pub fn send(&mut self, id: ChannelId, call: CallId, calls: &Calls) -> (u64, Option<Misfit>) {
        let channel = &mut self.channels[id.0 as usize];
        let place = channel.sent;
        channel.sent += 1;
        let misfit = match channel.receives.pop_front() {
            Some(receive) => misfit(id, place, call, receive, calls),
            None => {
                channel.sends.push_back(call);
                None
            }
        };
        (place, misfit)
    }

    /// A message is to be received. Returns its place and what does not fit.
    pub fn receive(&mut self, id: ChannelId, call: CallId, calls: &Calls) -> (u64, Option<Misfit>) {
        let channel = &mut self.channels[id.0 as usize];
        let place = channel.received;
        channel.received += 1;
        let misfit = match channel.sends.pop_front() {
            Some(send) => misfit(id, place, send, call, calls),
            None => {
                channel.receives.push_back(call);
                None
            }
        };
        (place, misfit)
    }

    /// A rank receives from anyone.
    pub fn receives_from_anyone(&mut self, rank: u32) {
        if !self.open_ended.contains(&rank) {
            self.open_ended.push(rank);
        }
    }

    /// The rank that has to send before a receive can come back; none when the message is on its way, or cannot be told.
    pub fn sender_needed(&self, id: ChannelId, place: u64) -> Option<u32> {
        let channel = &self.channels[id.0 as usize];
        (channel.sent <= place && !self.open_ended.contains(&channel.key.to)).then_some(channel.key.from)
    }

    /// The rank that has to receive before a send can come back.
    pub fn receiver_needed(&self, id: ChannelId, place: u64) -> Option<u32> {
        let channel = &self.channels[id.0 as usize];
        (channel.received <= place && !self.open_ended.contains(&channel.key.to)).then_some(channel.key.to)
    }

    /// Messages that were sent and never received.
    pub fn unreceived(&self) -> impl Iterator<Item = (Key, usize)> {
        let channels = self.channels.iter().filter(|channel| !self.open_ended.contains(&channel.key.to));
        channels.filter(|channel| !channel.sends.is_empty()).map(|channel| (channel.key, channel.sends.len()))
    }
}

fn misfit(channel: ChannelId, place: u64, send: CallId, receive: CallId, calls: &Calls) -> Option<Misfit> {
    let (sent, expected) = (&calls.get(send).tensors, &calls.get(receive).tensors);
    let (one, other) = (sent.first()?, expected.first()?);
    let what = if one.dtype != other.dtype {
        "dtype"
    } else if elements(one) != elements(other) {
        "shape"
    } else {
        return None;
    };
    Some(Misfit { channel, place, send, receive, what })
}
