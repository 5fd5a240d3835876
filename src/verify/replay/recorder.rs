//! Flight Recorder dumps of all ranks, as if the probe had been there.
//!
//! The recorder knows neither reduce operations nor roots. It keeps the last calls of a rank only, so ranks are compared from
//! the first call on that all of them still have. Gloo never reports that a call has completed, only that it is over, which it
//! is after an error too, and not always when it is: a call that needs every member cannot have come back while one of them
//! has not made it, and one that others follow has.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::dump::{Dump, Entry};
use super::{Recorded, Replay, ranks};
use crate::verify::event::{
    self, Event, Fact, Family, Frame, Group, Joined, Moment, Signature, SiteFact, Start, VERSION, What,
};

/// A group: its name, and its members, because different groups may have one name.
type Key = (String, Vec<u32>);

/// What dumps have in common.
struct Job {
    world: u32,
    /// Number, ordinal and description of every group.
    groups: BTreeMap<Key, Known>,
    /// For every group, the place in its sequence from which on all ranks have everything.
    from: FxHashMap<Key, i64>,
    /// For every group, the last place that each member has got to.
    reached: FxHashMap<Key, BTreeMap<u32, i64>>,
}

struct Known {
    id: u32,
    ordinal: u32,
    label: String,
    world: bool,
}

/// The dumps of all ranks as a replay.
pub(super) fn replay(dumps: BTreeMap<u32, Dump>, mut notes: Vec<String>) -> Replay {
    let job = job(&dumps);
    let missing: Vec<u32> = (0..job.world).filter(|rank| !dumps.contains_key(rank)).collect();
    if !missing.is_empty() {
        notes.push(format!("there is no dump of {}", ranks(&missing)));
    }
    for ((name, members), from) in sorted(&job.from) {
        let label = job.groups.get(&(name.clone(), members.clone())).map_or("", |known| &known.label);
        let group = if label.is_empty() { format!("the group of {}", ranks(members)) } else { label.to_owned() };
        notes.push(format!(
            "the recorder has overwritten early calls: {group} is compared from call {from} on; \
             a larger TORCH_FR_BUFFER_SIZE keeps more"
        ));
    }
    if dumps.values().flat_map(|dump| &dump.entries).all(|entry| entry.frames.is_empty()) {
        notes.push("the dumps have no Python stacks, so places are not known (JSON dumps never have them)".to_owned());
    }
    notes.push("the Flight Recorder knows neither reduce operations nor roots: these were not compared".to_owned());
    let processes = dumps.into_iter().map(|(rank, dump)| recorded(rank, &dump, &job)).collect();
    Replay { processes, world: job.world, notes }
}

fn sorted(from: &FxHashMap<Key, i64>) -> Vec<(&Key, &i64)> {
    let mut sorted: Vec<_> = from.iter().collect();
    sorted.sort();
    sorted
}

fn job(dumps: &BTreeMap<u32, Dump>) -> Job {
    let highest = dumps.keys().copied().max().unwrap_or(0);
    let members = dumps.values().flat_map(|dump| dump.groups.values()).flat_map(|group| group.ranks.iter().copied());
    // A rank beyond any job is a damaged file.
    let world = members.filter(|rank| *rank < 1 << 20).max().unwrap_or(0).max(highest) + 1;
    let mut job = Job { world, groups: BTreeMap::new(), from: FxHashMap::default(), reached: FxHashMap::default() };
    let mut knowing: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (rank, dump) in dumps {
        let names = dump.issued.keys().map(String::as_str).chain(dump.entries.iter().map(|entry| entry.group.as_str()));
        for name in names.collect::<BTreeSet<&str>>() {
            knowing.entry(name).or_default().push(*rank);
        }
    }
    for dump in dumps.values() {
        let mut names: BTreeMap<&str, &str> =
            dump.groups.iter().map(|(name, group)| (name.as_str(), group.description.as_str())).collect();
        names.extend(
            dump.issued.keys().map(|name| (name.as_str(), "")).filter(|(name, _)| !dump.groups.contains_key(*name)),
        );
        names.extend(dump.entries.iter().map(|entry| (entry.group.as_str(), entry.description.as_str())));
        // Gloo tells the members of a group without a name only.
        names.retain(|name, _| !name.is_empty() || dump.entries.iter().any(|entry| entry.group.is_empty()));
        for (name, description) in names {
            let key = key(dump, &knowing, name, description, world);
            let is_world =
                description == "default_pg" || (description.is_empty() && key.1.len() == world as usize && name == "0");
            let plain = is_world || matches!(description, "undefined" | "");
            let label = if plain { String::new() } else { description.to_owned() };
            let known = job.groups.entry(key).or_insert(Known { id: 0, ordinal: 0, label, world: false });
            known.world |= is_world;
        }
    }
    number(&mut job.groups);
    for (rank, dump) in dumps {
        places(*rank, dump, &knowing, &mut job);
    }
    job
}

/// Groups get numbers and ordinals in the order of their names, which counts them.
fn number(groups: &mut BTreeMap<Key, Known>) {
    let mut order: Vec<Key> = groups.keys().cloned().collect();
    order
        .sort_by_cached_key(|(name, members)| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone(), members.clone()));
    let mut counts: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for (id, key) in order.iter().enumerate() {
        let count = counts.entry(key.1.clone()).or_insert(0);
        let known = groups.get_mut(key).expect("it is one of them");
        (known.id, known.ordinal) = (id as u32, *count);
        *count += 1;
    }
}

/// The group that a rank calls `name`.
fn key(dump: &Dump, knowing: &BTreeMap<&str, Vec<u32>>, name: &str, description: &str, world: u32) -> Key {
    let told = |name: &str| dump.groups.get(name).map(|group| group.ranks.clone()).filter(|ranks| !ranks.is_empty());
    let is_world = description == "default_pg" || name == "0";
    let members = match told(name) {
        Some(ranks) => ranks,
        None if is_world => told("").unwrap_or_else(|| (0..world).collect()),
        // Whoever knows of it is a member.
        None => knowing.get(name).cloned().unwrap_or_default(),
    };
    (name.to_owned(), members)
}

/// Where a rank begins and ends in the sequences of its groups.
fn places(rank: u32, dump: &Dump, knowing: &BTreeMap<&str, Vec<u32>>, job: &mut Job) {
    let mut seen: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for entry in dump.entries.iter().filter(|entry| is_collective(entry)) {
        let (first, last) = seen.entry(&entry.group).or_insert((entry.sequence, entry.sequence));
        (*first, *last) = ((*first).min(entry.sequence), (*last).max(entry.sequence));
    }
    let descriptions: FxHashMap<&str, &str> =
        dump.entries.iter().map(|entry| (entry.group.as_str(), entry.description.as_str())).collect();
    let mut names: Vec<&str> = seen.keys().copied().chain(dump.issued.keys().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let description = descriptions.get(name).copied().unwrap_or_default();
        let key = key(dump, knowing, name, description, job.world);
        let issued = dump.issued.get(name).copied().unwrap_or(-1);
        let (first, last) = match seen.get(name) {
            Some((first, last)) => (*first, (*last).max(issued)),
            None => (issued + 1, issued),
        };
        if dump.is_wrapped && first > 1 {
            let from = job.from.entry(key.clone()).or_insert(first);
            *from = first.max(*from);
        }
        job.reached.entry(key).or_default().insert(rank, last);
    }
}

/// What the probe would have written.
fn recorded(rank: u32, dump: &Dump, job: &Job) -> Recorded {
    let mut log = Log::default();
    let first = dump.entries.iter().map(|entry| entry.entered_us).min().unwrap_or(0);
    // Machines are not told apart in a dump, so ranks stand for processes.
    let pid = rank + 1;
    log.fact(Fact::Start(Start {
        version: VERSION,
        pid,
        ppid: 0,
        rank: Some(rank),
        world: Some(job.world),
        host: String::new(),
        argv: Vec::new(),
        executable: String::new(),
        python: String::new(),
        cwd: String::new(),
        time_us: first,
        monotonic_us: first,
    }));
    log.fact(Fact::Joined(Joined { rank, world: job.world }));
    let mut keys: BTreeMap<&str, &Key> = BTreeMap::new();
    for (key, known) in job.groups.iter().filter(|(key, _)| key.1.binary_search(&rank).is_ok()) {
        let entry = dump.entries.iter().find(|entry| entry.group == key.0);
        let knows = entry.is_some() || dump.groups.contains_key(&key.0) || dump.issued.contains_key(&key.0);
        if knows {
            keys.insert(&key.0, key);
            log.fact(Fact::Group(Group {
                id: known.id,
                ranks: key.1.clone(),
                ordinal: known.ordinal,
                backend: entry.map(|entry| entry.backend.clone()).unwrap_or_default(),
                label: known.label.clone(),
                world: known.world,
            }));
        }
    }
    for (index, entry) in dump.entries.iter().enumerate() {
        let Some(key) = keys.get(entry.group.as_str()) else { continue };
        let is_early = job.from.get(*key).is_some_and(|from| is_collective(entry) && entry.sequence < *from);
        if is_early || entry.op == "coalesced" {
            continue;
        }
        let goes_on = !dump.tells_states && index + 1 < dump.entries.len();
        log.call(entry, job.groups[*key].id, &key.1, came_back(entry, goes_on, key, job));
    }
    Recorded { pid, rank: Some(rank), events: log.events, ending: None }
}

/// Whether a call has come back, in a good or a bad way.
fn came_back(entry: &Entry, goes_on: bool, key: &Key, job: &Job) -> bool {
    let needs_all = !matches!(op(&entry.op).0, "broadcast" | "scatter" | "reduce" | "gather") && is_collective(entry);
    let somebody_lacks =
        || job.reached.get(key).is_some_and(|reached| reached.values().any(|last| *last < entry.sequence));
    entry.is_completed || ((entry.is_over || goes_on) && !(needs_all && somebody_lacks()))
}

fn is_collective(entry: &Entry) -> bool {
    op(&entry.op).1 == Family::Collective
}

/// The name that `torch.distributed` has for an operation of the recorder, and its kind.
fn op(name: &str) -> (&str, Family) {
    let plain = match name.split(' ').next().unwrap_or(name) {
        "send" => return ("send", Family::Send),
        "recv" | "recv_any_source" => return ("recv", Family::Receive),
        "_all_gather_base" | "all_gather_single" | "all_gather_into_tensor_coalesced" | "ALLGATHER_coalesced" => {
            "all_gather_into_tensor"
        }
        "_reduce_scatter_base"
        | "reduce_scatter_single"
        | "reduce_scatter_tensor_coalesced"
        | "REDUCE_SCATTER_coalesced" => "reduce_scatter_tensor",
        "allgather_coalesced" | "all_gather_v" => "all_gather",
        "reduce_scatter_v" => "reduce_scatter",
        "allreduce_coalesced" => "all_reduce_coalesced",
        "all_to_all_v_single" => "all_to_all_single",
        "all_reduce_barrier" => "barrier",
        "_broadcast_oop" => "broadcast",
        "_reduce_oop" => "reduce",
        plain => plain,
    };
    (plain, Family::Collective)
}

/// The other end of `send 0->1` or `recv 1<-0`, as a rank in the group.
fn peer(name: &str) -> Option<usize> {
    let (_, ends) = name.split_once(' ')?;
    let (_, peer) = ends.split_once("->").or_else(|| ends.split_once("<-"))?;
    peer.parse().ok()
}

/// The log while it is written: facts once, calls by number.
#[derive(Default)]
struct Log {
    events: Vec<Event>,
    sites: FxHashMap<Vec<Frame>, u32>,
    signatures: FxHashMap<Signature, u32>,
    calls: u64,
}

impl Log {
    fn fact(&mut self, fact: Fact) {
        self.events.push(Event::Fact(Box::new(fact)));
    }

    fn call(&mut self, entry: &Entry, group: u32, members: &[u32], came_back: bool) {
        let next = self.sites.len() as u32;
        let site = match self.sites.get(&entry.frames) {
            Some(site) => *site,
            None => {
                self.sites.insert(entry.frames.clone(), next);
                self.fact(Fact::Site(SiteFact { id: next, frames: entry.frames.clone() }));
                next
            }
        };
        let (name, family) = op(&entry.op);
        let signature = Signature {
            id: 0,
            op: name.to_owned(),
            family,
            group: Some(group),
            site,
            reduce: None,
            root: None,
            peer: peer(&entry.op).and_then(|peer| members.get(peer).copied()).filter(|_| family != Family::Collective),
            tag: 0,
            tensors: entry.tensors.clone(),
            asynchronous: false,
            members: Vec::new(),
            implicit: String::new(),
            place: String::new(),
            label: String::new(),
        };
        let next = self.signatures.len() as u32;
        let id = match self.signatures.get(&signature) {
            Some(id) => *id,
            None => {
                self.signatures.insert(signature.clone(), next);
                self.fact(Fact::Signature(Signature { id: next, ..signature }));
                next
            }
        };
        let call = self.calls;
        self.calls += 1;
        let moment = |what, time_us| event::Event::Moment(Moment { what, call, time_us });
        self.events.push(moment(What::Enter { signature: id, thread: 0 }, entry.entered_us));
        if came_back {
            self.events.push(moment(What::Return, entry.left_us.unwrap_or(entry.entered_us)));
        }
    }
}
