//! Facts of the logs: who a process is, and which groups, places and calls its numbers stand for.

use super::group::{GroupId, Sequence};
use super::process::{Known, ProcessId};
use super::{Matcher, the_job};
use crate::verify::event::{self, Fact, Family, Signature};
use crate::verify::outcome::{Call, GroupName};

impl Matcher {
    /// A line that is no moment: who the process is, which groups, places and calls its numbers stand for.
    pub(super) fn fact(&mut self, id: ProcessId, fact: &Fact) {
        let process = &mut self.processes[id.index()];
        match fact {
            Fact::Start(start) => {
                process.replaced();
                process.rank = start.rank;
                process.world = start.world;
                process.start = Some(start.clone());
            }
            Fact::Joined(joined) => {
                process.rank = Some(joined.rank);
                process.world = Some(joined.world);
                process.left = None;
                self.by_rank.insert(joined.rank, id);
            }
            Fact::Group(group) => self.group(id, group),
            Fact::Site(site) => _ = process.sites.insert(site.id, site.frames.clone()),
            Fact::Signature(signature) => self.signature(id, signature),
            Fact::Raised(raised) => process.raised = Some(raised.clone()),
            Fact::Lost(lost) => {
                process.lose();
                let who =
                    process.rank.map_or_else(|| format!("process {}", process.pid), |rank| format!("rank {rank}"));
                self.notes.push(format!("the log of {who} is not complete: {}", lost.why));
            }
            Fact::Torch(_)
            | Fact::Environment(_)
            | Fact::Snapshot(_)
            | Fact::Write(_)
            | Fact::Import(_)
            | Fact::End(_) => {}
        }
    }

    fn group(&mut self, id: ProcessId, group: &event::Group) {
        let name = GroupName {
            ranks: group.ranks.clone(),
            ordinal: group.ordinal,
            label: group.label.clone(),
            world: group.world,
        };
        let known = self.sequence(name);
        self.processes[id.index()].groups.insert(group.id, known);
    }

    fn sequence(&mut self, name: GroupName) -> GroupId {
        if let Some(known) = self.by_name.get(&(name.ranks.clone(), name.ordinal)) {
            return *known;
        }
        let key = (name.ranks.clone(), name.ordinal);
        let new = self.new_sequence(name);
        self.by_name.insert(key, new);
        new
    }

    /// What ranks of a world of this size join.
    pub(super) fn job(&mut self, world: u32) -> GroupId {
        if let Some(known) = self.jobs.get(&world) {
            return *known;
        }
        let new = self.new_sequence(the_job(world));
        self.jobs.insert(world, new);
        new
    }

    fn new_sequence(&mut self, name: GroupName) -> GroupId {
        let next = GroupId(u32::try_from(self.groups.len()).expect("groups are counted in 32 bits"));
        let mut sequence = Sequence::new(name);
        let ended: Vec<u32> = sequence.name.ranks.iter().copied().filter(|rank| self.has_rank_ended(*rank)).collect();
        for member in ended.into_iter().filter_map(|rank| sequence.member(rank)).collect::<Vec<_>>() {
            sequence.leave(member);
        }
        self.groups.push(sequence);
        next
    }

    fn has_rank_ended(&self, rank: u32) -> bool {
        match self.process_of_rank(rank) {
            Some(process) => self.processes[process.index()].has_ended(),
            None => self.has_ended_unseen(rank),
        }
    }

    fn signature(&mut self, id: ProcessId, signature: &Signature) {
        let process = &self.processes[id.index()];
        let group = signature.group.and_then(|group| process.groups.get(&group).copied());
        let call = Call {
            op: signature.op.clone(),
            family: signature.family,
            group: match (signature.family, process.world) {
                (Family::Join, Some(world)) => Some(the_job(world)),
                _ => group.map(|group| self.groups[group.index()].name.clone()),
            },
            reduce: signature.reduce.clone(),
            root: signature.root,
            peer: signature.peer,
            tag: signature.tag,
            tensors: signature.tensors.clone(),
            members: signature.members.clone(),
            asynchronous: signature.asynchronous,
            implicit: signature.implicit.clone(),
            place: signature.place.clone(),
            label: signature.label.clone(),
            frames: process.sites.get(&signature.site).cloned().unwrap_or_default(),
        };
        let call = self.calls.add(call);
        let member = |group: GroupId| process.rank.and_then(|rank| self.groups[group.index()].member(rank));
        let seat = group.and_then(|group| member(group).map(|member| (group, member)));
        let known = Known { call, family: signature.family, seat };
        let signatures = &mut self.processes[id.index()].signatures;
        let index = signature.id as usize;
        // Numbers are given in order; one that is far out belongs to a damaged line.
        if index >= signatures.len() && index < signatures.len() + 4096 {
            signatures.resize(index + 1, None);
        }
        if let Some(slot) = signatures.get_mut(index) {
            *slot = Some(known);
        }
    }
}
