//! A trace for `chrome://tracing` and Perfetto: a process a rank, a thread a group, arrows between the ranks of one collective.
//!
//! Times are relative to the first event of each machine, because monotonic clocks of different machines have nothing to do
//! with each other.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{View, words};
use crate::verify::event::Frame;
use crate::verify::outcome::{Call, GroupName, Lane, LaneCall};

/// The thread of calls that run on no group.
const NO_GROUP: usize = 0;

pub(super) fn render(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = view.report;
    let groups = groups(&report.calls);
    let starts = starts(&report.lanes);
    let threads: Vec<usize> = (report.calls.iter())
        .map(|call| call.group.as_ref().and_then(|group| groups.get(group)).copied().unwrap_or(NO_GROUP))
        .collect();
    let flows = flows(view, &threads);
    let mut events = Events { out, first: true };
    let title = json!({ "outcome": report.outcome.name(), "message": words::verdict(report).1,
        "command": words::again(report), "world": report.world });
    writeln!(events.out, "{{\"displayTimeUnit\": \"ms\", \"otherData\": {title}, \"traceEvents\": [")?;
    for lane in &report.lanes {
        let name = format!("rank {} ({} on {})", lane.rank, lane.pid, lane.host);
        events
            .put(&json!({ "ph": "M", "name": "process_name", "pid": lane.rank, "tid": 0, "args": { "name": name } }))?;
        events.put(&json!({ "ph": "M", "name": "process_sort_index", "pid": lane.rank, "tid": 0,
            "args": { "sort_index": lane.rank } }))?;
        let mut used: Vec<usize> = lane.calls.iter().map(|call| thread(call, &threads)).collect();
        used.sort_unstable();
        used.dedup();
        for thread in used {
            let name = (groups.iter().find(|(_, index)| **index == thread))
                .map_or_else(|| "no group".to_owned(), |(group, _)| words::group(group));
            events.put(&json!({ "ph": "M", "name": "thread_name", "pid": lane.rank, "tid": thread,
                "args": { "name": name } }))?;
        }
        let start = starts.get(lane.host.as_str()).copied().unwrap_or(0);
        let last = last_moment(lane);
        for call in &lane.calls {
            let Some(known) = report.calls.get(call.call) else { continue };
            let tid = thread(call, &threads);
            let begin = call.entered_us.saturating_sub(start);
            // A call that never came back lasts as long as its rank.
            let length = call.left_us.unwrap_or(last).saturating_sub(call.entered_us);
            events.put(&json!({ "ph": "X", "name": known.op, "cat": "collective", "pid": lane.rank, "tid": tid,
                "ts": begin, "dur": length.max(1), "args": arguments(view, call, known) }))?;
            if let Some(flow) = flow(&flows, call, tid) {
                let phase = match () {
                    () if flow.first == lane.rank => "s",
                    () if flow.last == lane.rank => "f",
                    () => "t",
                };
                // Viewers tie by name as well, and operations of different names may meet.
                let mut arrow = json!({ "ph": phase, "name": "collective", "cat": "collective", "pid": lane.rank, "tid": tid,
                    "ts": begin, "id": flow.id });
                if phase == "f" {
                    arrow["bp"] = json!("e");
                }
                events.put(&arrow)?;
            }
        }
        if let Some(end) = &lane.end {
            let text = words::process_end(lane).unwrap_or_default();
            events.put(&json!({ "ph": "i", "s": "p", "name": text, "cat": "process", "pid": lane.rank, "tid": 0,
                "ts": end.time_us.saturating_sub(start) }))?;
        }
    }
    writeln!(events.out, "\n]}}")
}

/// Events as they are written: a large run has millions of them.
struct Events<'a> {
    out: &'a mut dyn Write,
    first: bool,
}

impl Events<'_> {
    fn put(&mut self, event: &Value) -> io::Result<()> {
        let head = if self.first { "" } else { ",\n" };
        self.first = false;
        write!(self.out, "{head}{event}")
    }
}

/// One collective on several ranks.
struct Flow {
    id: usize,
    first: u32,
    last: u32,
}

/// The thread of each group.
fn groups(calls: &[Call]) -> BTreeMap<&GroupName, usize> {
    let mut groups: BTreeMap<&GroupName, usize> =
        calls.iter().filter_map(|call| call.group.as_ref()).map(|group| (group, NO_GROUP)).collect();
    for (index, value) in groups.values_mut().enumerate() {
        *value = index + 1;
    }
    groups
}

fn thread(call: &LaneCall, threads: &[usize]) -> usize {
    threads.get(call.call).copied().unwrap_or(NO_GROUP)
}

/// The first event of each machine.
fn starts(lanes: &[Lane]) -> BTreeMap<&str, u64> {
    let mut starts = BTreeMap::new();
    for lane in lanes {
        let first = lane.calls.iter().map(|call| call.entered_us).chain(lane.end.iter().map(|end| end.time_us)).min();
        if let Some(first) = first {
            let known = starts.entry(lane.host.as_str()).or_insert(first);
            *known = first.min(*known);
        }
    }
    starts
}

fn last_moment(lane: &Lane) -> u64 {
    let calls = lane.calls.iter().map(|call| call.left_us.unwrap_or(call.entered_us));
    calls.chain(lane.end.iter().map(|end| end.time_us)).max().unwrap_or(0)
}

/// Collectives that at least two ranks take part in, by thread and place.
fn flows(view: &View<'_>, threads: &[usize]) -> BTreeMap<(usize, u64), Flow> {
    let mut flows: BTreeMap<(usize, u64), Flow> = BTreeMap::new();
    for lane in &view.report.lanes {
        for call in lane.calls.iter().filter(|call| call.position > 0) {
            let tid = thread(call, threads);
            let flow = flows.entry((tid, call.position)).or_insert(Flow { id: 0, first: lane.rank, last: lane.rank });
            (flow.first, flow.last) = (flow.first.min(lane.rank), flow.last.max(lane.rank));
        }
    }
    flows.retain(|&(tid, _), flow| tid != NO_GROUP && flow.first != flow.last);
    for (index, flow) in flows.values_mut().enumerate() {
        flow.id = index + 1;
    }
    flows
}

fn flow<'a>(flows: &'a BTreeMap<(usize, u64), Flow>, call: &LaneCall, tid: usize) -> Option<&'a Flow> {
    flows.get(&(tid, call.position)).filter(|_| call.position > 0)
}

fn arguments(view: &View<'_>, call: &LaneCall, known: &Call) -> Value {
    let place = |frame: &Frame| format!("{}:{} in {}", view.path(&frame.path), frame.line, frame.function);
    let mut arguments = json!({ "call": words::call(known), "number": call.number });
    if call.position > 0 {
        arguments["position"] = json!(call.position);
    }
    if let Some(frame) = known.frames.first() {
        arguments["at"] = json!(place(frame));
    }
    if call.left_us.is_none() {
        arguments["returned"] = json!(false);
    }
    if call.raised {
        arguments["raised"] = json!(true);
    }
    let here = view.report.outcome.divergence();
    if here.is_some_and(|here| here.position == call.position && known.group.as_ref() == Some(&here.group)) {
        arguments["ranks_part_here"] = json!(true);
    }
    arguments
}
