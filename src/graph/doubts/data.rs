//! Doubts about data: whether what is asked of them is not the same for all of them.

use super::super::confidence::Evidence;
use super::super::resolve::Target;
use super::{MAX_PARTS, is_only_key};
use crate::base::{ClassId, Site, Symbol};
use crate::flow::{Axes, GroupKey, Node, POOLED, Value};
use crate::model::{CompareOp, Expr, ExprId, File, each_expression};

impl Evidence<'_, '_> {
    /// Whether the ranks of a tensor-parallel group are said to have other data of which they pool a statistic: they have
    /// parts of the same, as much of it and of the same kind.
    pub(in crate::graph) fn pools_parts_of_the_same(&self) -> bool {
        let along = matches!(self.found.group, GroupKey::Axis(axes) if axes.meets(Axes::named("tp")));
        along && self.leaf.is_some_and(|leaf| self.engine.is_of_pooled(leaf))
    }

    /// Whether a fact of this process is only the key under which something was put away: all put it away.
    pub(in crate::graph) fn is_a_key(&self) -> bool {
        let (Some(leaf), Some(test)) = (self.leaf, self.test) else { return false };
        matches!(self.engine.values.node(leaf), Node::Local(..)) && is_only_key(self.engine, test, leaf)
    }

    /// Whether the ranks of a group of unknown layout are said to part over how large a batch is: those that share a model
    /// share the batch. Whether it is empty is asked where each has its own.
    pub(in crate::graph) fn compares_the_size(&self) -> bool {
        let values = &self.engine.values;
        let pooled = self.leaf.is_some_and(|leaf| self.engine.is_of_pooled(leaf));
        let unknown = matches!(self.found.group, GroupKey::Other(_)) && self.is_opaque();
        let Some(mut test) = self.test.filter(|_| unknown && (pooled || self.birth.is_none())) else { return false };
        loop {
            test = match values.node(test) {
                Node::Not(inner) => *inner,
                Node::Apply(name, parts) if name.as_str() == POOLED => parts[0],
                _ => break,
            };
        }
        match *values.node(test) {
            Node::Compare(op, left, right) if !matches!(op, CompareOp::Eq | CompareOp::NotEq) => {
                [left, right].into_iter().any(|side| matches!(values.node(side), Node::Int(limit) if *limit > 1))
            }
            _ => false,
        }
    }

    /// Whether what is asked of each item of a batch, or of the batch, is whether it has an entry of some name, or of what is
    /// called a name: what items have is the same for the whole of the data.
    pub(in crate::graph) fn asks_for_a_column(&self) -> bool {
        let values = &self.engine.values;
        let (Some(leaf), Some(test)) = (self.leaf.filter(|_| self.is_share()), self.test) else { return false };
        let is_item = |value: Value| match *values.node(value) {
            Node::Attribute(of, _) | Node::Index(of, _) => matches!(values.node(of), Node::Item(..)),
            Node::Item(..) => true,
            _ => false,
        };
        let asks_by_name = self.question().is_some_and(|(model, question)| asks_for_what_is_named(model, question));
        let is_entry = |part: Value| match *values.node(part) {
            Node::Compare(CompareOp::In | CompareOp::NotIn, name, of) => {
                let is_known = || matches!(values.node(name), Node::Str(_)) && is_item(of);
                asks_by_name && matches!(values.node(of), Node::Item(..))
                    || is_known() && values.any_part(of, MAX_PARTS, |it| it == leaf)
            }
            _ => false,
        };
        values.any_part(test, MAX_PARTS, is_entry)
    }

    /// Whether what differs was counted by an object of which another method puts together what all ranks have counted: who
    /// reads it elsewhere does so afterwards, as a rule (`meter.synchronize_between_processes()`).
    pub(in crate::graph) fn is_put_together_by_its_object(&self) -> bool {
        if self.is_by_rank() {
            return false;
        }
        let program = self.engine.program;
        let class_at = |site: Site| {
            let model = &program.file(site.file).model;
            let class = model.function(self.engine.function_at(site)?).class?;
            Some(program.class_id(site.file, class))
        };
        let asked_by = self.decision.and_then(|decision| class_at(decision.site));
        let counted_by = self.birth.and_then(|birth| class_at(birth.site));
        let puts_together = |&class: &ClassId| {
            let (home, _) = program.locate_class(class);
            let mut methods = program.class(class).methods.iter();
            methods.any(|&(name, local)| {
                PUT_TOGETHER.iter().any(|part| name.as_str().contains(part))
                    && self.engine.reaches(program.function_id(home, local))
            })
        };
        let is_one = |class: ClassId| Some(class) != asked_by && puts_together(&class);
        counted_by.is_some_and(is_one) || self.asks_an_object(is_one)
    }

    /// Whether the question is about an attribute of an object of such a class that the function has made.
    fn asks_an_object(&self, is_one: impl Fn(ClassId) -> bool) -> bool {
        let program = self.engine.program;
        let Some((decision, test)) = self.decision.zip(self.test) else { return false };
        let file = decision.site.file;
        let Some(local) = self.engine.function_at(decision.site) else { return false };
        let model = &program.file(file).model;
        let class_of = |part: Value| {
            let Node::Carried(_, path, _) = self.engine.values.node(part) else { return None };
            let (object, _) = path.as_str().split_once('.')?;
            let Expr::Call(call) = model.expr(program.single_assignment(file, local, Symbol::new(object))?) else {
                return None;
            };
            match program.target(file, local, model.call(call).callee)? {
                Target::Class(class) => Some(class),
                _ => None,
            }
        };
        self.engine.values.any_part(test, MAX_PARTS, |part| class_of(part).is_some_and(&is_one))
    }

    /// Whether values are logged for the epoch alone, by what is in a batch: those are reduced at its end, by every rank that
    /// has logged any.
    pub(in crate::graph) fn is_reduced_at_the_end(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let by_data = self.is_opaque() && !self.is_by_rank();
        let logs = event.op.as_str() == LOGS && by_data;
        let Some((model, written)) = self.engine.written_at(event.site).filter(|_| logs) else { return false };
        let Expr::Call(call) = model.expr(written) else { return false };
        let mut keywords = model.keywords(model.call(call)).iter();
        let each_step = keywords.find(|keyword| keyword.name.is_some_and(|name| name.as_str() == "on_step"));
        match each_step.map(|keyword| model.expr(keyword.value)) {
            Some(given) => given == Expr::Bool(false),
            // Where nothing is said, only training steps reduce what they log at once.
            None => self.engine.function_at(event.site).is_some_and(|function| {
                let name = model.function(function).name.as_str();
                EVALUATES.iter().any(|phase| name.contains(phase))
            }),
        }
    }
}

/// Whether a question is whether something holds what is called a name or a key.
fn asks_for_what_is_named(model: &File, question: ExprId) -> bool {
    let mut asks = false;
    each_expression(model, question, &mut |_, expr| {
        if let Expr::Compare(CompareOp::In | CompareOp::NotIn, entry, _) = expr
            && let Some(name) = model.last_name(entry)
        {
            asks |= name.as_str().split('_').any(|word| matches!(word, "name" | "key" | "column" | "field"));
        }
    });
    asks
}

/// Parts of names of methods that put together what all ranks have.
const PUT_TOGETHER: [&str; 3] = ["sync", "reduce", "gather"];

/// What logs a value in Lightning, and reduces it where it is asked to.
const LOGS: &str = "log";

/// Hooks of Lightning that log for the epoch unless they are told otherwise.
const EVALUATES: [&str; 3] = ["validation", "test", "epoch_end"];
