//! The calls of several ranks, aligned on what they have in common, around the place where they part.
//!
//! A column is one operation: a place in the sequence of a group, or one message. Clocks play no part, so that ranks that are
//! late stand where they belong. Where two ranks issue the same operations in a different order, one of these has two columns.

use std::collections::BTreeMap;

use super::words;
use crate::verify::event::Family;
use crate::verify::outcome::{Divergence, GroupName, Lane, LaneCall, RunReport};

/// From this many ranks on, ranks that do the same share a row.
pub(super) const FOLDED_FROM: usize = 33;
/// Rows drawn at most.
pub(super) const MOST_ROWS: usize = 64;

/// An operation that several ranks take part in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    /// A place in the sequence of a group.
    Place(&'a GroupName, u64),
    /// The nth message of a channel.
    Message(Channel<'a>, u64),
    /// What only one rank has: a call without a group, a message from anyone.
    Own { rank: u32, number: u64 },
}

/// What messages are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Channel<'a> {
    from: u32,
    to: u32,
    tag: i64,
    group: Option<&'a GroupName>,
}

/// One operation.
pub(super) struct Column<'a> {
    /// The group; absent for messages and calls without one.
    pub group: Option<&'a GroupName>,
    /// Place in the group's sequence; 0 where it has none.
    pub position: u64,
}

/// Ranks that do the same in all columns.
pub(super) struct Row<'a> {
    /// One of them.
    pub lane: &'a Lane,
    /// All of them.
    pub ranks: Vec<u32>,
    /// What they issue, by column.
    pub cells: Vec<Option<&'a LaneCall>>,
    /// How many calls stand before the first column.
    pub before: u64,
    /// How many stand after the last one.
    pub after: u64,
}

/// Rows and columns.
pub(super) struct Aligned<'a> {
    /// The operations.
    pub columns: Vec<Column<'a>>,
    /// The ranks, by rank.
    pub rows: Vec<Row<'a>>,
    /// The column at which ranks part.
    pub here: Option<usize>,
    /// Ranks for which there was no room.
    pub undrawn: Vec<u32>,
}

/// A part of a lane.
struct Window<'a> {
    lane: &'a Lane,
    ranks: Vec<u32>,
    /// Index of the first call.
    start: usize,
    keys: Vec<Key<'a>>,
}

/// What ranks have in common that share a row: their side, their end, and their calls with the places of these.
type Class = (Option<usize>, String, Vec<(usize, u64)>);

/// Aligns the calls of `lanes`, `before` and `after` columns around the place where ranks part; around their ends where they
/// do not.
pub(super) fn aligned<'a>(report: &'a RunReport, lanes: &[&'a Lane], (before, after): (usize, usize)) -> Aligned<'a> {
    let divergence = report.outcome.divergence();
    // Groups may have thousands of members: they are compared once a call that differs, not once a call.
    let there = |group: &Option<GroupName>| divergence.is_some_and(|found| group.as_ref() == Some(&found.group));
    let there: Vec<bool> = report.calls.iter().map(|call| there(&call.group)).collect();
    let place = divergence.map_or(0, |found| found.position);
    let anchor = |lane: &Lane| {
        let there = |call: &LaneCall| call.position >= place && there.get(call.call) == Some(&true);
        lane.calls.iter().position(|call| place > 0 && there(call)).unwrap_or(lane.calls.len())
    };
    let windows: Vec<Window<'a>> =
        lanes.iter().map(|lane| window(report, lane, anchor(lane), before * 2, after * 2)).collect();
    let (windows, undrawn) = folded(report, windows, divergence);
    let (keys, cells) = merged(&windows);
    let here = divergence.and_then(|divergence| {
        let place = Key::Place(&divergence.group, divergence.position);
        let ends = words::message_ends(divergence);
        let is_here = |key: &Key<'_>| match key {
            Key::Message(channel, nth) => ends == Some((channel.from, channel.to)) && *nth == divergence.position,
            key => *key == place,
        };
        keys.iter().position(is_here)
    });
    // Where it has no column of its own, because messages have no place, the ends say most.
    let (from, to) = match here {
        Some(here) => (here.saturating_sub(before), (here + after + 1).min(keys.len())),
        None => (keys.len().saturating_sub(before + after), keys.len()),
    };
    let columns = (keys[from..to].iter())
        .map(|key| match key {
            Key::Place(group, position) => Column { group: Some(group), position: *position },
            _ => Column { group: None, position: 0 },
        })
        .collect();
    let rows = windows.into_iter().zip(cells).map(|(window, cells)| {
        let shown = |range: &[Option<usize>]| range.iter().flatten().count() as u64;
        let tail = window.lane.calls.len() - window.start - window.keys.len();
        let lost = window.lane.left_out;
        Row {
            lane: window.lane,
            ranks: window.ranks,
            cells: cells[from..to].iter().map(|cell| cell.map(|index| &window.lane.calls[index])).collect(),
            before: window.start as u64 + shown(&cells[..from]) + if window.start > 0 { lost } else { 0 },
            after: tail as u64 + shown(&cells[to..]),
        }
    });
    Aligned { columns, rows: rows.collect(), here: here.map(|here| here - from), undrawn }
}

/// The calls of a lane around the place where ranks part, or its last ones.
fn window<'a>(report: &'a RunReport, lane: &'a Lane, anchor: usize, before: usize, after: usize) -> Window<'a> {
    let (start, end) = (anchor.saturating_sub(before), (anchor + after + 1).min(lane.calls.len()));
    let mut messages: BTreeMap<Channel<'a>, u64> = BTreeMap::new();
    let mut keys = Vec::with_capacity(end - start);
    for (index, call) in lane.calls[..end].iter().enumerate() {
        let key = key(report, lane.rank, call, &mut messages);
        if index >= start {
            keys.push(key);
        }
    }
    Window { lane, ranks: vec![lane.rank], start, keys }
}

fn key<'a>(report: &'a RunReport, rank: u32, call: &LaneCall, messages: &mut BTreeMap<Channel<'a>, u64>) -> Key<'a> {
    let own = Key::Own { rank, number: call.number };
    let Some(known) = report.calls.get(call.call) else { return own };
    let ends = match (known.family, known.peer) {
        (Family::Send, Some(peer)) => Some((rank, peer)),
        (Family::Receive, Some(peer)) => Some((peer, rank)),
        _ => None,
    };
    match (&known.group, ends) {
        (group, Some((from, to))) => {
            let channel = Channel { from, to, tag: known.tag, group: group.as_ref() };
            let count = messages.entry(channel).or_insert(0);
            *count += 1;
            Key::Message(channel, *count)
        }
        (Some(group), None) if call.position > 0 => Key::Place(group, call.position),
        _ => own,
    }
}

/// Puts ranks that do the same together where there are many, and drops rows for which there is no room: the ranks that are
/// named by the verdict stay first.
fn folded<'a>(
    report: &RunReport,
    windows: Vec<Window<'a>>,
    divergence: Option<&Divergence>,
) -> (Vec<Window<'a>>, Vec<u32>) {
    if windows.len() < FOLDED_FROM {
        return (windows, Vec::new());
    }
    let side = |rank: u32| {
        divergence.and_then(|found| found.sides.iter().position(|side| side.ranks.binary_search(&rank).is_ok()))
    };
    let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
    let mut kept: Vec<Window<'a>> = Vec::new();
    for window in windows {
        let lane = window.lane;
        let calls = lane.calls[window.start..][..window.keys.len()].iter().map(|call| (call.call, call.position));
        let class = (side(lane.rank), words::end(lane, report), calls.collect());
        let index = *classes.entry(class).or_insert(kept.len());
        match kept.get_mut(index) {
            Some(known) => known.ranks.push(lane.rank),
            None => kept.push(window),
        }
    }
    if kept.len() <= MOST_ROWS {
        return (kept, Vec::new());
    }
    // Each side has its share of rows; then whoever comes first.
    let mut taken: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    let sides = divergence.map_or(1, |found| found.sides.len().max(1));
    let mut chosen: Vec<bool> = (kept.iter())
        .map(|window| {
            let count = taken.entry(side(window.lane.rank)).or_insert(0);
            *count += 1;
            *count <= MOST_ROWS / (sides + 1)
        })
        .collect();
    let mut free = MOST_ROWS.saturating_sub(chosen.iter().filter(|chosen| **chosen).count());
    for chosen in &mut chosen {
        if !*chosen && free > 0 {
            *chosen = true;
            free -= 1;
        }
    }
    let mut undrawn: Vec<u32> = Vec::new();
    let mut rows = Vec::new();
    for (window, chosen) in kept.into_iter().zip(chosen) {
        if chosen && rows.len() < MOST_ROWS {
            rows.push(window);
        } else {
            undrawn.extend(window.ranks);
        }
    }
    undrawn.sort_unstable();
    (rows, undrawn)
}

/// One order of all keys that keeps the order of every lane, and for each lane the index of its call by column.
fn merged<'a>(windows: &[Window<'a>]) -> (Vec<Key<'a>>, Vec<Vec<Option<usize>>>) {
    let mut ahead: BTreeMap<&Key<'a>, usize> = BTreeMap::new();
    for key in windows.iter().flat_map(|window| &window.keys) {
        *ahead.entry(key).or_insert(0) += 1;
    }
    let mut next = vec![0; windows.len()];
    let mut keys: Vec<Key<'a>> = Vec::new();
    let mut cells: Vec<Vec<Option<usize>>> = vec![Vec::new(); windows.len()];
    loop {
        let mut heads: BTreeMap<&Key<'a>, usize> = BTreeMap::new();
        let mut best: Option<(bool, usize, &Key<'a>)> = None;
        for (window, &at) in windows.iter().zip(&next) {
            if let Some(key) = window.keys.get(at) {
                *heads.entry(key).or_insert(0) += 1;
            }
        }
        // In the order of the lanes, so that the first lane decides among equals.
        for (window, &at) in windows.iter().zip(&next) {
            let Some(key) = window.keys.get(at) else { continue };
            let whole = heads[key] == ahead[key];
            let better =
                best.is_none_or(|(known, count, _)| (whole, if whole { 0 } else { heads[key] }) > (known, count));
            if better {
                best = Some((whole, if whole { 0 } else { heads[key] }, key));
            }
        }
        let Some((_, _, chosen)) = best else { return (keys, cells) };
        for ((window, at), cells) in windows.iter().zip(&mut next).zip(&mut cells) {
            let takes = window.keys.get(*at) == Some(chosen);
            cells.push(takes.then_some(window.start + *at));
            *at += usize::from(takes);
        }
        *ahead.get_mut(chosen).expect("every key was counted") -= heads[chosen];
        keys.push(chosen.clone());
    }
}
