//! Doubts about where what differs comes from.

use super::super::by_rank::compares_rank;
use super::super::confidence::{DRAWN, Evidence, MAX_PARTS, OF_DEVICE};
use super::super::evaluate::{Birth, OUT_OF_MEMORY};
use super::super::questions::{reaches_plainly, reaches_rank};
use super::super::resolve::Target;
use super::super::witness::SplitKind;
use crate::base::{FunctionId, Site, Symbol};
use crate::catalog::{Entry, OperationKind};
use crate::flow::{Axes, GroupKey, Node, Value};
use crate::model::{Expr, ExprId, each_expression};

impl Evidence<'_, '_> {
    /// Whether a message has brought what is asked that was sent on another group than the one, of unknown ranks, which the
    /// operation runs on: its members may each have been sent the same.
    pub(in crate::graph) fn came_on_another_group(&self) -> bool {
        let Some(birth) = self.birth.filter(|_| matches!(self.found.group, GroupKey::Other(_))) else { return false };
        // How it is called, and what it is called on, or handed as its group.
        let run_on = |site: Site| {
            let (model, expr) = self.engine.written_at(site)?;
            let Expr::Call(call) = model.expr(expr) else { return None };
            let call = model.call(call);
            let Expr::Attribute { value, name } = model.expr(call.callee) else { return None };
            let mut keywords = model.keywords(call).iter();
            let group = keywords.find(|keyword| keyword.name.is_some_and(|name| name.as_str() == "group"));
            let group = group.map_or(value, |keyword| keyword.value);
            Some((name, self.engine.program.text(site.file, model.span(group))))
        };
        let main = self.engine.effects.event(self.main).site;
        let (Some((name, on)), Some((_, group))) = (run_on(birth.site), run_on(main)) else { return false };
        let receives = |entry: &Entry| matches!(entry, Entry::Operation(op) if op.kind == OperationKind::PointToPoint);
        let mut entries = self.engine.program.catalog.entries();
        on != group && entries.any(|(known, entry)| known.last_part() == name && receives(entry))
    }

    /// A fact of the outside world that comes from another function has come a long way, through attributes and returns
    /// that hold other things as well.
    pub(in crate::graph) fn comes_from_far(&self) -> bool {
        let failed = self.leaf.is_some_and(|leaf| self.engine.marks.failures.contains(&leaf));
        // However far it comes within a class: a device has its own memory left.
        let is_measured = |birth: Birth| birth.reason.as_str() == OF_DEVICE && self.is_of_same_class(birth.function);
        let is_kept = self.birth.is_some_and(is_measured);
        !failed && !is_kept && self.born_outside().is_some_and(|born| !self.is_near(born) && !self.is_asked_there())
    }

    /// Whether the condition calls the very function in which the fact was found out, `if timer.is_due():`, or one that
    /// answers by it.
    pub(in crate::graph) fn is_asked_there(&self) -> bool {
        let (Some(decision), Some(birth)) = (self.decision, self.birth) else { return false };
        let program = self.engine.program;
        let (Some((model, test)), Some(function)) =
            (self.engine.written_at(decision.site), self.engine.function_at(decision.site))
        else {
            return false;
        };
        let found_out_by = program.function(birth.function).name;
        let answers_by_it = |callee: ExprId| match program.target(decision.site.file, function, callee) {
            Some(Target::Function(called)) => program.function(called).mentions.contains(&found_out_by),
            _ => false,
        };
        let mut asks = false;
        each_expression(model, test, &mut |_, expr| {
            match expr {
                Expr::Call(call) => {
                    let callee = model.call(call).callee;
                    asks |= model.last_name(callee) == Some(found_out_by) || answers_by_it(callee);
                }
                // A property.
                Expr::Attribute { name, .. } => asks |= name == found_out_by,
                _ => {}
            }
        });
        asks
    }

    /// An opaque fact of which nobody can say where it was born explains nothing.
    pub(in crate::graph) fn is_unexplained(&self) -> bool {
        let decided = self.is_opaque() && !self.is_share() && self.decision.is_some();
        // How much a collective leaves on each member, wherever that was asked for, is another number on each.
        let values = &self.engine.values;
        let spread = self.leaf.filter(|&leaf| matches!(values.node(leaf), Node::Spread(..)));
        let is_size = |part: Value| match *values.node(part) {
            Node::Length(inner) => values.any_part(inner, MAX_PARTS, |part| Some(part) == spread),
            _ => false,
        };
        let is_left = spread.is_some() && self.test.is_some_and(|test| values.any_part(test, MAX_PARTS, is_size));
        decided && !is_left && self.born_outside().is_none() && self.birth.is_none()
    }

    /// Whether what differs is a fact among many of which nothing is said, and nothing that was seen to differ.
    pub(in crate::graph) fn is_one_of_many(&self) -> bool {
        self.found.open && self.born_outside().is_none()
    }

    /// Whether more than one step to the difference is a guess: that a name or an object of unknown make holds something
    /// of this rank's own, and that the ranks of a group nobody knows the layout of are those that differ in it.
    pub(in crate::graph) fn is_guess(&self) -> bool {
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
    pub(in crate::graph) fn is_of_same_class(&self, function: FunctionId) -> bool {
        let Some(decision) = self.decision else { return false };
        let program = self.engine.program;
        let around = self.engine.function_at(decision.site);
        let around = around.map(|local| program.function_id(decision.site.file, local));
        let class = program.class_of(function);
        class.is_some() && around.is_some_and(|around| program.class_of(around) == class)
    }

    /// Whether a fact of the outside world decides only through what is computed from it: of a number that is read from a
    /// name on the disk nobody knows whether it differs. Time that has passed is the difference of two, and how often memory
    /// ran out is counted: who leaves for that is alone, who does something more may make up for it.
    pub(in crate::graph) fn is_worked_out(&self) -> bool {
        let is_counted =
            self.kind == SplitKind::EarlyExit && self.birth.is_some_and(|birth| birth.reason.as_str() == OUT_OF_MEMORY);
        let is_passed = self.leaf.is_some_and(|leaf| self.engine.marks.clocks.contains(&leaf));
        // However much of its memory a device has taken, its peers have taken another part of theirs.
        let is_measured = self.birth.is_some_and(|birth| birth.reason.as_str() == OF_DEVICE);
        if self.born_outside().is_none() || is_passed || is_counted || is_measured {
            return false;
        }
        let (Some(test), Some(leaf)) = (self.test, self.leaf) else { return false };
        !reaches_plainly(self.engine, test, leaf)
    }

    /// Whether the memory of a GPU runs out in front of what only jobs on other devices issue: `tpu_data_loader(batches)`.
    pub(in crate::graph) fn runs_out_on_another_device(&self) -> bool {
        let is_of_memory = self.birth.is_some_and(|birth| birth.reason.as_str() == OUT_OF_MEMORY);
        let is_of_device = |called: &Symbol| called.as_str().split('_').any(|word| matches!(word, "tpu" | "xla"));
        is_of_memory && self.calls.iter().any(|(_, called)| is_of_device(called))
    }

    /// Whether ranks of one model draw a number: they are seeded alike, each draws what the others draw.
    pub(in crate::graph) fn is_drawn_alike(&self) -> bool {
        let GroupKey::Axis(axes) = self.found.group else { return false };
        let within = ["tp", "pp", "mp", "cp", "sp"].into_iter().map(Axes::named).any(|axis| axis == axes);
        within && self.born_outside().is_some() && self.birth.is_some_and(|birth| birth.reason.as_str() == DRAWN)
    }

    /// Whether a loop goes over a part of what an unknown function has made of this rank's own: how many there are is
    /// another question than what they are.
    pub(in crate::graph) fn counts_what_was_made(&self) -> bool {
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
}
