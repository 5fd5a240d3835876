//! Methods of containers: what they give, and what they leave in them.

use super::arguments::Arguments;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{Node, ONCE, Value};
use crate::model::{Expr, ExprId};

/// Changes of a container that are looked behind.
const MAX_CHANGES: usize = 8;

/// Methods that change the container they are called on.
pub(super) fn changes_receiver(name: &str) -> bool {
    matches!(
        name,
        "append"
            | "extend"
            | "insert"
            | "add"
            | "update"
            | "pop"
            | "popleft"
            | "appendleft"
            | "remove"
            | "discard"
            | "clear"
            | "setdefault"
            | "popitem"
            | "put"
            | "put_nowait"
    )
}

impl<'p> Engine<'p> {
    /// What a tensor or an array of which each rank has its own is split into: as many pieces as somebody says, however
    /// much there is to split. A list says where the pieces begin.
    pub(super) fn pieces(&mut self, whole: Value, count: Option<Value>) -> Option<Value> {
        let facts = self.values.facts(whole);
        let of_its_own = !facts.vary.is_empty() || !facts.shape.is_empty();
        let count = count.filter(|&count| of_its_own && !matches!(self.values.node(count), Node::Sequence(_)))?;
        // As many as a range has numbers, whatever each of them holds.
        let turns = self.values.make(Node::Range(Box::from([count])));
        Some(self.values.make(Node::Loader(turns, whole)))
    }

    /// A container of things that are each in it once, with another one: how many those are hangs on what it is.
    pub(super) fn with_other(&mut self, container: Value, other: Value) -> Value {
        if !self.values.may_come_with_the_data(other) {
            return container;
        }
        let once = self.values.make(Node::Apply(Symbol::new(ONCE), Box::from([other])));
        self.values.make(Node::Mapped(Symbol::new("update"), Box::from([container, once])))
    }

    /// A set joined with a set of what lies in the data, `found |= set(batch["task"])`; nothing where it is none.
    pub(super) fn joined_set(&mut self, set: Value, more: Value) -> Option<Value> {
        let is_set = |name: Symbol| matches!(name.as_str(), "set" | "frozenset");
        match self.values.node(more) {
            Node::Mapped(name, parts)
                if is_set(*name) && self.values.comes_with_the_data(parts[0]) && self.holds_each_once(set) =>
            {
                let inside = parts[0];
                Some(self.with_other(set, inside))
            }
            _ => None,
        }
    }

    /// Whether a container that can be updated holds each thing once: it began as a set, or counts things.
    fn holds_each_once(&self, value: Value) -> bool {
        let mut at = value;
        for _ in 0..MAX_CHANGES {
            at = match self.values.node(at) {
                Node::Apply(name, _) | Node::Mapped(name, _)
                    if matches!(name.last_part().as_str(), "set" | "Counter") =>
                {
                    return true;
                }
                // `set()`: a list cannot be updated.
                Node::Sequence(parts) => return parts.is_empty(),
                Node::Changed(_, parts) | Node::Carried(_, _, parts) | Node::Mapped(_, parts) if !parts.is_empty() => {
                    parts[0]
                }
                _ => return false,
            };
        }
        false
    }

    /// A method of a list, a set or a dictionary: what it gives, and what it leaves in the container.
    pub(super) fn container_method(
        &mut self,
        frame: &mut Frame<'p>,
        object: ExprId,
        receiver: Value,
        name: Symbol,
        arguments: &Arguments,
        span: Span,
    ) -> Option<Value> {
        let text = name.as_str();
        // `found[key].append(x)` makes an entry where there is none.
        if matches!(text, "append" | "extend")
            && let Expr::Subscript(container, key) = frame.model.expr(object)
            && let Some(path) = self.path(frame, container)
        {
            let old = self.expression(frame, container);
            if self.values.makes_entries(old) {
                let added = arguments.values();
                let new = self.changed(frame, old, &added, span);
                let key = self.expression(frame, key);
                let new = self.with_other(new, key);
                self.set_path(frame, path, new);
                return Some(self.none);
            }
        }
        if changes_receiver(text)
            && let Some(path) = self.path(frame, object)
            && !matches!(self.values.node(receiver), Node::Typed(_) | Node::External(_))
            && !self.has_method_of_its_own(receiver, name)
        {
            if text == "pop"
                && let Some((result, rest)) =
                    self.popped_keyword(receiver, arguments).or_else(|| self.popped_entry(receiver, arguments))
            {
                self.set_path(frame, path, rest);
                return Some(result);
            }
            let added = arguments.values();
            let result = match text {
                "pop" | "popleft" | "setdefault" | "popitem" => {
                    self.values.make(Node::Item(frame.site(span), receiver))
                }
                _ => self.none,
            };
            // What another method left in it, this one may find changed already.
            let keeps_shape = frame.guards.is_empty() && frame.get(path).is_some();
            let new = match (text, keeps_shape, self.values.node(receiver).clone()) {
                ("append", true, Node::Sequence(parts)) if parts.len() < 32 => {
                    let whole: Vec<Value> = parts.iter().copied().chain(added).collect();
                    self.values.make(Node::Sequence(whole.into()))
                }
                ("setdefault", _, Node::If(..)) => {
                    // The key is there afterwards, whatever was before.
                    self.values.make(Node::Mapped(name, Box::from([self.none])))
                }
                ("update", _, _) if self.holds_each_once(receiver) && !added.is_empty() => {
                    let new = self.changed(frame, receiver, &[], span);
                    self.with_other(new, added[0])
                }
                ("extend" | "update", _, _) => {
                    let new = self.changed(frame, receiver, &[], span);
                    match added.first() {
                        Some(&more) => self.values.make(Node::Mapped(name, Box::from([new, more]))),
                        None => new,
                    }
                }
                // What is in there already does not come in twice.
                ("add" | "setdefault", _, _) if !added.is_empty() => {
                    let new = self.changed(frame, receiver, &added, span);
                    self.with_other(new, added[0])
                }
                _ => self.changed(frame, receiver, &added, span),
            };
            self.set_path(frame, path, new);
            return Some(result);
        }
        Some(match text {
            "items" | "keys" | "values" if arguments.values().is_empty() => {
                self.values.make(Node::Mapped(name, Box::from([receiver])))
            }
            "get" => match (self.values.node(receiver), arguments.at(0)) {
                (Node::Mapping(_) | Node::If(..), Some(key)) => self.values.make(Node::Index(receiver, key)),
                _ => return None,
            },
            "union" | "intersection" | "difference" => {
                let mut parts = vec![receiver];
                parts.extend(arguments.values());
                self.values.make(Node::Mapped(name, parts.into()))
            }
            "join" | "startswith" | "endswith" | "strip" | "lower" | "upper" | "split" => return None,
            _ => return None,
        })
    }
}
