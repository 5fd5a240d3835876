//! Doubts about whether a list or dictionary holds anything at all: where every batch leaves something in it, where it has a
//! place for each parameter of the model, or where ranks that held more or fewer things could not reduce them.

use crate::flow::{COMPREHENSION, Node, Value, parts};
use crate::model::CompareOp;

use super::super::confidence::Evidence;
use super::super::evaluate::Engine;
use super::super::even::deals_out_evenly;
use super::super::witness::SplitKind;
use super::MAX_PARTS;

/// Questions in questions that are looked at.
const MAX_DEPTH: u8 = 8;

/// Operations whose buffers are of one size on all ranks.
const REDUCES: [&str; 3] = ["all_reduce", "reduce", "reduce_scatter"];

/// What has an element for each of what it is given.
const KEEPS_EACH: [&str; 20] = [
    "stack",
    "tensor",
    "as_tensor",
    "Tensor",
    "FloatTensor",
    "LongTensor",
    "array",
    "from_numpy",
    "list",
    "tuple",
    "sorted",
    "zip",
    "values",
    "keys",
    "items",
    "to",
    "cuda",
    "float",
    "clone",
    "detach",
];

impl Evidence<'_, '_> {
    /// Whether all that is asked is whether any batch has left something in a list or dictionary, where the file that loads
    /// them deals them out evenly: what each batch leaves, no rank is without.
    pub(in crate::graph) fn asks_whether_batches_left_any(&self) -> bool {
        let asks = self.kind != SplitKind::Loop && self.is_share();
        let (Some(test), Some(birth)) = (self.test.filter(|_| asks), self.birth) else { return false };
        deals_out_evenly(self.engine.program, birth.site.file) && asks_for_any(self.engine, test, MAX_DEPTH)
    }

    /// Whether what is asked is whether there are any gradients: a model has some on every rank. Whether one parameter has a
    /// gradient is another matter.
    pub(in crate::graph) fn asks_for_any_gradient(&self) -> bool {
        let values = &self.engine.values;
        let is_gradient =
            |part: Value| matches!(values.node(part), Node::Attribute(_, name) if name.as_str() == "grad");
        let is_rank = |part: Value| matches!(values.node(part), Node::Rank(_));
        let is_filled = |container| {
            let carried = matches!(values.node(container), Node::Carried(..) | Node::If(..));
            (carried || values.is_container(container))
                && values.any_part(container, MAX_PARTS, is_gradient)
                && !values.any_part(container, MAX_PARTS, is_rank)
        };
        self.containers_asked().into_iter().any(is_filled)
    }

    /// Whether what is asked is whether there is anything of which a number each is reduced: ranks with more of it or fewer
    /// would not get through that, so that they have as many.
    pub(in crate::graph) fn reduces_one_for_each(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let Some(buffer) = event.shaped.filter(|_| REDUCES.contains(&event.op.as_str())) else { return false };
        let each = |container| holds_each(self.engine, buffer, container) && !is_filtered(self.engine, container);
        self.containers_asked().into_iter().any(each)
    }

    /// The containers that the question asks for being empty.
    fn containers_asked(&self) -> Vec<Value> {
        if self.kind == SplitKind::Loop {
            return Vec::new();
        }
        let pooled = self.leaf.into_iter().flat_map(|leaf| self.engine.questions_pooled(leaf));
        let mut out = Vec::new();
        for question in self.test.into_iter().chain(pooled) {
            collect_asked(self.engine, question, MAX_DEPTH, &mut out);
        }
        out
    }
}

/// The containers that a question asks for being empty.
fn collect_asked(engine: &Engine<'_>, question: Value, depth: u8, out: &mut Vec<Value>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match *engine.values.node(question) {
        Node::Not(inner) => collect_asked(engine, inner, depth, out),
        Node::And(left, right) | Node::Or(left, right) => {
            collect_asked(engine, left, depth, out);
            collect_asked(engine, right, depth, out);
        }
        Node::Compare(CompareOp::Less | CompareOp::Eq, left, right) => {
            let is_bound = |side: Value| matches!(engine.values.node(side), Node::Int(0 | 1));
            for (side, other) in [(left, right), (right, left)] {
                if let Node::Length(of) = *engine.values.node(side)
                    && is_bound(other)
                {
                    out.push(of);
                }
            }
        }
        Node::Length(of) => out.push(of),
        _ => out.push(question),
    }
}

/// Whether a buffer has a place for each element of a container.
fn holds_each(engine: &Engine<'_>, buffer: Value, container: Value) -> bool {
    let look = |part: Value, further: &mut Vec<Value>| {
        match engine.values.node(part) {
            Node::Length(_) => {}
            Node::Apply(name, _) if !KEEPS_EACH.contains(&name.last_part().as_str()) => {}
            node => further.extend(parts(node)),
        }
        part == container && part != buffer
    };
    engine.values.search(buffer, MAX_PARTS, look) == Some(true)
}

/// Whether only some of the things that it may hold are put into a container.
fn is_filtered(engine: &Engine<'_>, container: Value) -> bool {
    engine.values.any_part(container, MAX_PARTS, |part| match engine.values.node(part) {
        Node::Mapped(name, parts) => name.as_str() == COMPREHENSION && parts.len() > 2,
        _ => is_filled_by_some(engine, part, MAX_DEPTH),
    })
}

/// Whether a question is answered by whether lists hold anything that every batch fills.
fn asks_for_any(engine: &Engine<'_>, test: Value, depth: u8) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let values = &engine.values;
    let all = |parts: &[Value]| parts.iter().all(|&part| asks_for_any(engine, part, depth));
    match *values.node(test) {
        _ if !differs(engine, test) => true,
        Node::Not(inner) => asks_for_any(engine, inner, depth),
        Node::And(left, right) | Node::Or(left, right) => all(&[left, right]),
        Node::Compare(CompareOp::Less | CompareOp::Eq, left, right) => {
            let is_bound = |side: Value| matches!(values.node(side), Node::Int(0 | 1));
            let counted = |side: Value| match *values.node(side) {
                Node::Length(of) => is_left_by_each(engine, of, depth),
                _ => false,
            };
            is_bound(left) && counted(right) || is_bound(right) && counted(left)
        }
        Node::Length(of) => is_left_by_each(engine, of, depth),
        _ => is_left_by_each(engine, test, depth),
    }
}

/// Whether a container holds something as soon as one batch has come, whatever is in that.
fn is_left_by_each(engine: &Engine<'_>, container: Value, depth: u8) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let values = &engine.values;
    let left = |of: Value| is_left_by_each(engine, of, depth);
    match values.node(container) {
        _ if !differs(engine, container) => true,
        &Node::If(test, then, otherwise) => asks_for_any(engine, test, depth) && left(then) && left(otherwise),
        Node::Carried(_, _, states) => {
            let begins = states.first().map(|&first| values.node(first));
            let loads = values.any_part(container, MAX_PARTS, |part| matches!(values.node(part), Node::Loader(..)));
            matches!(begins, Some(Node::Sequence(_) | Node::Mapping(_)))
                && loads
                && !values.any_part(container, MAX_PARTS, |part| is_filled_by_some(engine, part, depth))
        }
        Node::Sequence(_) | Node::Mapping(_) => true,
        Node::Changed(_, parts) => left(parts[0]) && !is_filled_by_some(engine, container, depth),
        Node::Apply(_, parts) | Node::Mapped(_, parts) => parts.first().is_some_and(|&first| left(first)),
        _ => false,
    }
}

/// Whether something is put into a container under a condition that says more than that something came.
fn is_filled_by_some(engine: &Engine<'_>, part: Value, depth: u8) -> bool {
    let Node::Changed(_, parts) = engine.values.node(part) else { return false };
    parts.iter().skip(2).any(|&guards| match engine.values.node(guards) {
        Node::Range(guards) => guards.iter().any(|&guard| !asks_for_any(engine, guard, depth)),
        _ => true,
    })
}

fn differs(engine: &Engine<'_>, value: Value) -> bool {
    !engine.values.vary(value).is_empty() || !engine.values.shape(value).is_empty()
}
