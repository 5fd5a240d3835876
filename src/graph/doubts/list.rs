//! All doubts, by what they are about. Each takes away what evidence there is: one is enough.

use super::super::confidence::Evidence;
use super::super::left_over::is_left_over;
use super::super::membership::{are_named_alike, is_kept, may_be_members};
use super::super::questions::asks_for_none;
use crate::base::Site;
use crate::flow::GroupKey;

/// What may speak against a split, under the name of the method that says whether it does.
struct Doubt {
    name: &'static str,
    holds: fn(&Evidence<'_, '_>) -> bool,
}

macro_rules! doubts {
    ($($name:ident)*) => { [$(Doubt { name: stringify!($name), holds: |evidence| evidence.$name() }),*] };
}

/// What differs: whether it does, and how that got to the question.
const OF_WHAT_DIFFERS: &[Doubt] = &doubts![
    is_inferred_of_a_part comes_from_far is_unexplained is_one_of_many lacks_checks is_guess is_worked_out is_drawn_alike
    runs_out_on_another_device counts_what_was_made loses_the_rank is_named_and_lost is_drawn is_settled_elsewhere
    is_set_in_a_mapping is_agreed_where_set is_only_a_stamp is_told_by_an_actor depends_on_what_is_handed
    is_one_thing_or_another came_on_another_group
];

/// Data: whose they are, how many, what kind.
const OF_DATA: &[Doubt] = &doubts![
    is_far_from_the_batch is_counted_by_batches is_a_key pools_parts_of_the_same counts_what_is_guessed counts_turns_so_far
    asks_whether_any_came asks_whether_batches_left_any asks_for_any_gradient reduces_one_for_each asks_for_a_column
    comes_out_even counts_in_two_ways ends_with_a_number compares_the_size goes_over_a_listing asks_for_an_entry
    is_done_in_one_turn goes_over_either_list
    goes_back_by_supposition is_reduced_at_the_end is_put_together_by_its_object
];

/// What was there before, or is kept.
const OF_WHAT_IS_KEPT: &[Doubt] = &doubts![
    asks_a_cache goes_through_a_cache asks_for_a_kept_group asks_for_what_is_dealt_out asks_for_kind_of_file asks_whether_it_is_there
    finds_what_was_there waits_before_it_makes asks_again is_filled_at_first_use is_kept_for_later loads_what_it_finds
];

/// Who is a member of the group, and of the job.
const OF_MEMBERS: &[Doubt] = &doubts![
    is_asked_by_holders may_be_its_members is_named_as_its_group_is asks_members_further may_be_alike_on_nodes
    has_a_group_of_its_own begins_a_job_of_its_own is_said_to_be_alone says_its_rank_in_a_number asks_for_the_block
    asks_the_machine asks_in_another_world starts_ranks_otherwise is_asked_of_the_group has_counted_the_members is_one_root_in_two_words
];

/// Of those about the operation: what else stands under the same condition may be issued all the same.
const OF_ONE_OPERATION: [&str; 4] =
    ["is_without_gradients", "is_out_of_reach", "is_sharded_nowhere", "stands_against_sharded"];

/// Whether the operation is issued there at all.
const OF_THE_OPERATION: &[Doubt] = &doubts![
    is_chosen_by_flag asks_what_it_is is_without_gradients is_sharded_nowhere stands_against_sharded is_set_for_sharding_elsewhere
    asks_for_shards is_made_by_nobody hangs_on_a_switch_nobody_turns is_of_one_class_of_many
    is_one_event_without_a_cause is_of_a_whole_copy is_taken_apart_before is_replaced_before is_out_of_reach
    is_prepared_nowhere
];

/// What the peers do meanwhile.
const OF_PEERS: &[Doubt] = &doubts![
    follows_commands hands_on_requests hands_on_what_it_finds ends_the_job nobody_leaves_there tries_again
    waits_for_the_time sends_what_it_has is_matched_in_the_other_arm is_taken_piece_by_piece is_done_in_other_words
    is_matched_under_a_condition is_matched_by_what_follows is_met_around is_called_back_in_the_other_arm
];

/// Who runs it.
const OF_CALLERS: &[Doubt] = &doubts![is_tested is_run_by_scripts_alone is_left_over];

const ALL: [&[Doubt]; 7] =
    [OF_WHAT_DIFFERS, OF_DATA, OF_WHAT_IS_KEPT, OF_MEMBERS, OF_THE_OPERATION, OF_PEERS, OF_CALLERS];

impl Evidence<'_, '_> {
    /// Whether anything speaks against it.
    pub(in crate::graph) fn is_doubtful(&self) -> bool {
        #[cfg(test)]
        raised::note(self);
        ALL.into_iter().flatten().any(|doubt| (doubt.holds)(self))
    }

    /// Whether all that speaks against it is that this very operation may not be issued there.
    pub(in crate::graph) fn doubts_the_operation(&self) -> bool {
        let mut raised = ALL.into_iter().flatten().filter(|doubt| (doubt.holds)(self)).peekable();
        raised.peek().is_some() && raised.all(|doubt| OF_ONE_OPERATION.contains(&doubt.name))
    }

    /// Whether what is asked was inferred, and of the ranks of a part of the job.
    fn is_inferred_of_a_part(&self) -> bool {
        self.is_inferred() && self.found.group != GroupKey::World
    }

    fn lacks_checks(&self) -> bool {
        // What the question itself finds out no check has settled before.
        let is_found_here = |asked: Site| {
            let born = self.birth.map(|birth| birth.site);
            born.is_some_and(|born| born.file == asked.file && asked.span.holds(born.span))
        };
        let is_sure = self.decision.is_some_and(|decision| !decision.is_loop && is_found_here(decision.site));
        self.is_opaque() && self.engine.lacks_checks(self.root) && !is_sure
    }

    fn asks_whether_it_is_there(&self) -> bool {
        asks_for_none(self.engine, self.test)
    }

    fn may_be_its_members(&self) -> bool {
        may_be_members(self.engine, self.test, &self.found.group)
    }

    fn is_named_as_its_group_is(&self) -> bool {
        matches!(self.found.group, GroupKey::Other(_)) && are_named_alike(self.engine, self.question(), self.main)
    }

    fn is_kept_for_later(&self) -> bool {
        is_kept(self.engine, self.root, self.cause, self.main)
    }

    /// Whether it is the same event for both ranks, and nothing is known that parts them.
    fn is_one_event_without_a_cause(&self) -> bool {
        self.cause.is_none() && self.same_event
    }

    fn is_left_over(&self) -> bool {
        is_left_over(self.engine.program, self.function)
    }
}

/// Which doubts were raised so far, for the test that wants to see each of them at work.
#[cfg(test)]
pub(crate) mod raised {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use super::{ALL, Evidence};

    static RAISED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

    pub(super) fn note(evidence: &Evidence<'_, '_>) {
        let raised = ALL.into_iter().flatten().filter(|doubt| (doubt.holds)(evidence)).map(|doubt| doubt.name);
        let raised: Vec<&'static str> = raised.collect();
        RAISED.lock().expect("nobody panics with it").extend(raised);
    }

    /// Those that nothing has raised.
    pub(crate) fn missing() -> Vec<&'static str> {
        let raised = RAISED.lock().expect("nobody panics with it");
        ALL.into_iter().flatten().map(|doubt| doubt.name).filter(|name| !raised.contains(name)).collect()
    }
}
