//! How sure a split is: what it was concluded from, and what speaks against it.

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{
    Axes, ChoiceForm, Decided, Effect, EffectId, EventId, Exit, GroupKey, IS_MEMBER, LoopKind, MEMBERS, Node, Parting,
    Value,
};
use crate::model::{CompareOp, Expr, ExprId, File, each_expression};

use super::blame::{arm_without, contains, preorder};
use super::by_rank::compares_rank;
use super::divergence::group_confidence;
use super::evaluate::{Birth, Engine};
use super::left_over::is_left_over;
use super::membership::{are_named_alike, is_kept, is_world_rank, may_be_members};
use super::questions::{asks_for_kind, asks_for_none, reaches_plainly, reaches_rank};
use super::witness::{Decision, Found, SplitKind};

/// Calls down to an event that are one inferred step of their own.
const LONG_WAY: usize = 4;

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 24;

/// What a split was concluded from.
pub(super) struct Evidence<'a, 'p> {
    pub(super) engine: &'a Engine<'p>,
    /// The function in whose terms it was found, and its effect tree.
    pub(super) function: FunctionId,
    pub(super) root: EffectId,
    pub(super) found: &'a Found,
    pub(super) kind: SplitKind,
    /// The event on which ranks disagree.
    pub(super) main: EventId,
    /// What other ranks issue at its place.
    pub(super) instead: Option<EventId>,
    /// Where ranks part, and what is asked there.
    pub(super) cause: Option<Parting>,
    /// How the rank that issues the event answers there.
    pub(super) issuer: Option<Decided>,
    pub(super) decision: Option<Decision>,
    pub(super) test: Option<Value>,
    /// What differs in the end, and where that was born.
    pub(super) leaf: Option<Value>,
    pub(super) birth: Option<Birth>,
    /// Whether the event itself is the same for both ranks.
    pub(super) same_event: bool,
    /// The calls down to the event.
    pub(super) calls: &'a [(Site, Symbol)],
}

impl Evidence<'_, '_> {
    pub(super) fn confidence(&self) -> Confidence {
        let event = self.engine.effects.event(self.main);
        let mut sure = group_confidence(&self.found.group).min(event.confidence);
        if let Some(birth) = self.birth {
            sure = sure.min(birth.confidence);
        }
        // Whether the model is sharded says the launcher.
        if event.sharded || self.leaves_by_failing() {
            sure = sure.min(Confidence::Medium);
        }
        let catalogued = self.leaf.is_some_and(|leaf| matches!(self.engine.values.node(leaf), Node::Rank(_)));
        let inferred = |test| self.engine.values.any_part(test, MAX_PARTS, |part| self.engine.inferred.contains(&part));
        if self.is_opaque() || self.birth.is_none() && !catalogued || self.test.is_some_and(inferred) {
            sure = sure.min(Confidence::Medium);
        }
        let (engine, group) = (self.engine, &self.found.group);
        let doubtful = self.test.is_some_and(inferred) && *group != GroupKey::World
            || self.comes_from_far()
            || self.is_unexplained()
            || self.is_one_of_many()
            || self.is_opaque() && engine.lacks_checks(self.root)
            || self.is_guess()
            || self.asks_a_cache()
            || self.goes_through_a_cache()
            || self.asks_for_a_kept_group()
            || self.asks_for_what_is_dealt_out()
            || self.asks_for_kind_of_file()
            || self.is_worked_out()
            || self.is_drawn_alike()
            || self.follows_commands()
            || asks_for_none(engine, self.test)
            || self.finds_what_was_there()
            || self.waits_before_it_makes()
            || self.asks_again()
            || self.is_asked_by_holders()
            || self.counts_what_was_made()
            || may_be_members(engine, self.test, group)
            || matches!(group, GroupKey::Other(_)) && are_named_alike(engine, self.question(), self.main)
            || self.asks_members_further()
            || is_kept(engine, self.root, self.cause, self.main)
            || self.ends_the_job()
            || self.cause.is_none() && self.same_event
            || self.may_be_alike_on_nodes()
            || self.asks_what_it_is()
            || self.loads_what_it_finds()
            || self.is_tested()
            || self.loses_the_rank()
            || self.is_named_and_lost()
            || self.is_drawn()
            || self.is_settled_elsewhere()
            || self.is_without_gradients()
            || self.is_sharded_nowhere()
            || self.stands_against_sharded()
            || self.is_set_for_sharding_elsewhere()
            || self.has_a_group_of_its_own()
            || self.is_set_in_a_mapping()
            || self.is_filled_at_first_use()
            || self.is_agreed_where_set()
            || self.goes_over_a_listing()
            || self.goes_over_either_list()
            || self.counts_what_is_guessed()
            || self.counts_turns_so_far()
            || self.begins_a_job_of_its_own()
            || self.is_said_to_be_alone()
            || self.asks_for_the_block()
            || self.asks_the_machine()
            || self.asks_in_another_world()
            || self.is_far_from_the_batch()
            || self.is_counted_by_batches()
            || self.is_a_key()
            || self.asks_for_shards()
            || self.starts_ranks_otherwise()
            || self.is_only_a_stamp()
            || self.depends_on_what_is_handed()
            || self.tries_again()
            || self.waits_for_the_time()
            || self.sends_what_it_has()
            || self.is_matched_in_the_other_arm()
            || self.is_done_in_other_words()
            || self.is_matched_under_a_condition()
            || self.is_asked_of_the_group()
            || self.is_one_root_in_two_words()
            || self.nobody_leaves_there()
            || self.is_matched_by_what_follows()
            || self.is_made_by_nobody()
            || *group == GroupKey::World && chosen_by_flag(engine, self.root, self.main)
            || self.hangs_on_a_switch_nobody_turns()
            || self.has_counted_the_members()
            || self.goes_back_by_supposition()
            || self.pools_parts_of_the_same()
            || self.is_run_by_scripts_alone()
            || self.hands_on_requests()
            || self.is_of_one_class_of_many()
            || is_left_over(engine.program, self.function);
        match doubtful || self.is_long_way(sure) {
            true => Confidence::Low,
            false => sure,
        }
    }

    /// An opaque fact: it may differ, nobody has shown a rank on which it does.
    pub(super) fn is_opaque(&self) -> bool {
        let (one, other) = (&self.found.one, &self.found.other);
        one.rank == other.rank && one.coordinates == other.coordinates
    }

    /// Whether it is this rank's share of the data that differs.
    fn is_share(&self) -> bool {
        self.leaf.is_some_and(|leaf| self.engine.shares.contains(&leaf))
    }

    /// Where a fact of the outside world was born.
    pub(super) fn born_outside(&self) -> Option<Site> {
        match self.engine.values.node(self.leaf?) {
            Node::Local(born, _) if !self.is_share() => Some(*born),
            _ => None,
        }
    }

    /// Whether something was born in the function that asks for it; where nothing is asked, in that of the operation.
    pub(super) fn is_near(&self, born: Site) -> bool {
        let at = self.decision.map_or(self.engine.effects.event(self.main).site, |decision| decision.site);
        self.engine.same_function(at, born)
    }

    /// A fact of the outside world that comes from another function has come a long way, through attributes and returns
    /// that hold other things as well.
    fn comes_from_far(&self) -> bool {
        let failed = self.leaf.is_some_and(|leaf| self.engine.failures.contains(&leaf));
        !failed && self.born_outside().is_some_and(|born| !self.is_near(born) && !self.is_asked_there())
    }

    /// Whether the condition calls the very function in which the fact was found out: `if timer.is_due():`.
    fn is_asked_there(&self) -> bool {
        let (Some(decision), Some(birth)) = (self.decision, self.birth) else { return false };
        let Some((model, test)) = self.engine.written_at(decision.site) else { return false };
        let found_out_by = self.engine.program.function(birth.function).name;
        let mut asks = false;
        each_expression(model, test, &mut |_, expr| {
            if let Expr::Call(call) = expr {
                asks |= model.last_name(model.call(call).callee) == Some(found_out_by);
            }
        });
        asks
    }

    /// An opaque fact of which nobody can say where it was born explains nothing.
    fn is_unexplained(&self) -> bool {
        let decided = self.is_opaque() && !self.is_share() && self.decision.is_some();
        decided && self.born_outside().is_none() && self.birth.is_none()
    }

    /// Whether what differs is a fact among many of which nothing is said, and nothing that was seen to differ.
    fn is_one_of_many(&self) -> bool {
        self.found.open && self.born_outside().is_none()
    }

    /// Whether more than one step to the difference is a guess: that a name or an object of unknown make holds something
    /// of this rank's own, and that the ranks of a group nobody knows the layout of are those that differ in it.
    fn is_guess(&self) -> bool {
        if !self.is_opaque() || self.is_share() || self.decision.is_none() {
            return false;
        }
        // A name in another place, and what is made of it on the way here; how many there are of something made of it.
        let counts = matches!(self.kind, SplitKind::Loop | SplitKind::GroupCreation);
        if counts && self.goes_over_objects() {
            return false;
        }
        let named = |birth: Birth| {
            let far = !self.is_near(birth.site) && (counts || !self.is_of_same_class(birth.function));
            // A filter that compares it says what is made of it.
            let values = &self.engine.values;
            let filtered =
                |part: Value| matches!(values.node(part), Node::Changed(..)) && !values.shape(part).is_empty();
            let compared = || {
                let filters = |&test: &Value| values.any_part(test, MAX_PARTS, filtered);
                !counts && self.test.filter(filters).is_some_and(|test| compares_rank(self.engine, test))
            };
            far && birth.reason.as_str().ends_with("by its name") && !compared()
        };
        if self.birth.is_some_and(named) {
            return true;
        }
        let unknown_group = matches!(self.found.group, GroupKey::Other(_) | GroupKey::NonMember);
        let near = self.birth.is_some_and(|birth| self.is_near(birth.site));
        self.leaf.is_none_or(|leaf| match self.engine.values.node(leaf) {
            Node::Local(..) | Node::Parameter(..) => unknown_group,
            Node::Rank(_) => !near && self.test.is_some_and(|test| !reaches_rank(self.engine, test)),
            _ => false,
        })
    }

    /// Whether ranks part in a method of the same class.
    fn is_of_same_class(&self, function: FunctionId) -> bool {
        let Some(decision) = self.decision else { return false };
        let program = self.engine.program;
        let around = self.engine.function_at(decision.site);
        let around = around.map(|local| program.function_id(decision.site.file, local));
        let class = program.class_of(function);
        class.is_some() && around.is_some_and(|around| program.class_of(around) == class)
    }

    /// A failing assertion ends the job, so that nobody waits, unless somebody catches it; a wrong argument is wrong on
    /// every rank.
    fn ends_the_job(&self) -> bool {
        let asserted = |decision: Decision| decision.is_assertion || self.engine.refusals.contains(&decision.site);
        self.kind == SplitKind::EarlyExit
            && (self.decision.is_some_and(asserted)
                || self.cause.is_some_and(|cause| leaves_by_assertion(self.engine, cause.effect)))
    }

    /// Whether the operation is asked of an element of some collection, behind the question what kind of thing it is:
    /// nobody has shown one that communicates.
    fn asks_what_it_is(&self) -> bool {
        let Some(cause) = self.cause.filter(|_| matches!(self.found.group, GroupKey::Other(_))) else { return false };
        let engine = self.engine;
        preorder(engine, cause.effect).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Choice { test, then, otherwise, .. } if engine.values.vary(*test).is_empty() => {
                asks_for_kind(engine, *test)
                    && contains(engine, *then, self.main) != contains(engine, *otherwise, self.main)
            }
            _ => false,
        })
    }

    /// Whether a rank that finds something on its disk loads that with its peers: what is loaded was there before the job,
    /// for all of them.
    fn loads_what_it_finds(&self) -> bool {
        let loads = self.engine.effects.event(self.main).op.as_str() == "checkpoint_load";
        loads && self.is_opaque() && self.born_outside().is_some()
    }

    /// Of a group of which nothing is known all members may have the same place on their nodes.
    fn may_be_alike_on_nodes(&self) -> bool {
        let unnamed = match self.found.group {
            GroupKey::World | GroupKey::Made(..) => false,
            GroupKey::Axis(_) => self.engine.axis_name(self.engine.effects.event(self.main).group).is_none(),
            GroupKey::Other(_) | GroupKey::NonMember => true,
        };
        unnamed && self.leaf.is_some_and(|leaf| is_world_rank(self.engine, leaf)) && self.asks_for_place_on_node()
    }

    /// The question where ranks part, as it is written.
    pub(super) fn question(&self) -> Option<(&File, ExprId)> {
        let site = self.decision?.site;
        self.engine.written_at(site)
    }

    fn asks_for_place_on_node(&self) -> bool {
        let Some((model, question)) = self.question() else { return false };
        let mut asks = false;
        each_expression(model, question, &mut |_, expr| {
            if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                asks |= self.engine.is_place_on_node(name);
            }
        });
        asks
    }

    /// Whether a fact of the outside world decides only through what is computed from it: of a number that is read from a
    /// name on the disk nobody knows whether it differs. Time that has passed is the difference of two.
    fn is_worked_out(&self) -> bool {
        if self.born_outside().is_none() || self.leaf.is_some_and(|leaf| self.engine.clocks.contains(&leaf)) {
            return false;
        }
        let (Some(test), Some(leaf)) = (self.test, self.leaf) else { return false };
        !reaches_plainly(self.engine, test, leaf)
    }

    /// Whether ranks of one model draw a number: they are seeded alike, each draws what the others draw.
    fn is_drawn_alike(&self) -> bool {
        let GroupKey::Axis(axes) = self.found.group else { return false };
        let within = ["tp", "pp", "mp", "cp", "sp"].into_iter().map(Axes::named).any(|axis| axis == axes);
        within && self.born_outside().is_some() && self.birth.is_some_and(|birth| birth.reason.as_str() == DRAWN)
    }

    /// Whether one side waits for commands, for ever: who gives them may stand anywhere, and takes its peers along.
    fn follows_commands(&self) -> bool {
        let by_rank = !self.is_opaque();
        let Some(cause) = self.cause.filter(|_| by_rank) else { return false };
        let engine = self.engine;
        let main = engine.effects.event(self.main);
        // With a barrier before each command, or without.
        let waits = |body: EffectId| {
            let mut events = preorder(engine, body).into_iter().filter_map(|effect| match engine.effects.get(effect) {
                Effect::Event(event) => Some(engine.effects.event(*event)),
                _ => None,
            });
            let first = events.find(|event| event.op.as_str() != "barrier");
            first.is_some_and(|first| {
                let has_root = first.root.is_some() || HAS_ROOT.contains(&first.op.as_str());
                has_root && (first.group == main.group || contains(engine, body, self.main))
            })
        };
        preorder(engine, cause.effect).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Loop { kind: LoopKind::While { test }, body, .. } => {
                *engine.values.node(*test) == Node::Bool(true) && waits(*body)
            }
            _ => false,
        })
    }

    /// Whether a loop goes over a part of what an unknown function has made of this rank's own: how many there are is
    /// another question than what they are.
    fn counts_what_was_made(&self) -> bool {
        let by_rank = self.leaf.is_some_and(|leaf| matches!(self.engine.values.node(leaf), Node::Rank(_)));
        let Some(mut value) = self.test.filter(|_| self.kind == SplitKind::Loop && by_rank) else { return false };
        let mut part = false;
        for _ in 0..MAX_PARTS {
            value = match self.engine.values.node(value) {
                Node::Mapped(_, parts) if !parts.is_empty() => parts[0],
                Node::Attribute(whole, _) | Node::Index(whole, _) => {
                    part = true;
                    *whole
                }
                node => return part && matches!(node, Node::Invoked(..)),
            };
        }
        false
    }

    /// Whether the members of a group are asked for their rank once more: what part of a group has to do with its members is
    /// laid down where it is made.
    fn asks_members_further(&self) -> bool {
        let node = |value: Value| self.engine.values.node(value);
        let by_rank = self.leaf.is_some_and(|leaf| matches!(node(leaf), Node::Rank(_)));
        let named = |value: Value, wanted: &str| matches!(node(value), Node::Apply(name, _) if name.as_str() == wanted);
        let asks = |value: Value| match *node(value) {
            Node::Compare(CompareOp::In | CompareOp::NotIn, _, list) => named(list, MEMBERS),
            _ => named(value, IS_MEMBER),
        };
        self.test.filter(|_| by_rank).is_some_and(|test| self.engine.values.any_part(test, MAX_PARTS, asks))
    }

    /// Whether a group of unknown layout is itself another one, or none, on other ranks: those who hold it are asked for.
    fn is_asked_by_holders(&self) -> bool {
        let held = self.engine.effects.event(self.main).group;
        matches!(self.found.group, GroupKey::Other(_)) && !self.engine.values.vary(held).is_empty()
    }

    /// Each call of the way is looked up by name: a long one beside another inferred step is too much. A function that
    /// bears the operation's name is a wrapper of it: the way ends there.
    fn is_long_way(&self, sure: Confidence) -> bool {
        let world = self.found.group == GroupKey::World;
        let by_rank = world && self.found.one.rank != self.found.other.rank;
        let op = self.engine.effects.event(self.main).op;
        let steps = self.calls.iter().position(|(_, called)| *called == op).unwrap_or(self.calls.len());
        let long = if world { LONG_WAY } else { LONG_WAY - 1 };
        steps >= long && (sure < Confidence::High || !by_rank)
    }
}

/// Whether an effect is left in one way alone: an assertion in it fails, somewhere in what it calls.
fn leaves_by_assertion(engine: &Engine<'_>, effect: EffectId) -> bool {
    let mut asserts = false;
    // Effects, and whether a call or a loop around them takes what is not raised.
    let mut pending = vec![(effect, false)];
    while let Some((effect, inside)) = pending.pop() {
        match engine.effects.get(effect) {
            Effect::Choice { form: ChoiceForm::Assertion, then, .. } => {
                asserts = true;
                pending.push((*then, inside));
            }
            Effect::Exit(Exit::Raise(_) | Exit::Abort, _) => return false,
            Effect::Exit(..) if !inside => return false,
            Effect::Call { body, .. } | Effect::Loop { body, .. } => pending.push((*body, true)),
            _ => pending.extend(engine.below(effect).into_iter().map(|below| (below, inside))),
        }
    }
    asserts
}

/// Operations with a root, which is the first rank where none is given.
pub(super) const HAS_ROOT: [&str; 4] = ["broadcast", "broadcast_object_list", "scatter", "scatter_object_list"];

/// Why a number that is drawn differs, as the catalogue says it.
pub(super) const DRAWN: &str = "each process draws its own";

/// Whether a setting chooses the group of all ranks here and a smaller one for the same operation otherwise: who sets it
/// knows who gets here.
fn chosen_by_flag(engine: &Engine<'_>, root: EffectId, main: EventId) -> bool {
    let smaller = |effect: EffectId| {
        preorder(engine, effect).into_iter().any(|below| match engine.effects.get(below) {
            Effect::Event(event) => {
                let event = engine.effects.event(*event);
                let main = engine.effects.event(main);
                event.op == main.op
                    && engine.same_function(event.site, main.site)
                    && !engine.values.group_axes(event.group).is_all()
            }
            _ => false,
        })
    };
    preorder(engine, root).into_iter().any(|effect| match engine.effects.get(effect) {
        choice @ Effect::Choice { test, .. } if engine.values.vary(*test).is_empty() => {
            arm_without(engine, choice, main).is_some_and(smaller)
        }
        _ => false,
    })
}
