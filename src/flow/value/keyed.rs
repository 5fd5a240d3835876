//! Dictionaries and sets to which the data have come as keys: how many entries they have hangs on what those are.

use super::shares::MAX_STORES;
use super::{Node, STORE, UPDATE, Value, Values};
use crate::base::Symbol;

/// What holds each thing once: how many those are says what they are, if they come with the data.
pub const ONCE: &str = "once";

/// What tells the numbers in a tensor, or the text that they stand for.
pub const TELLING: [&str; 5] = ["item", "tolist", "numpy", "decode", "unique"];

/// A container into which all of another one was put.
const UPDATE_ALL: &str = "update";

impl Values {
    /// Whether a container is one to which the data have come in as keys.
    pub fn is_keyed_by_data(&self, container: Value) -> bool {
        let Node::Mapped(name, parts) = self.node(container) else { return false };
        let puts_once = || match parts[..] {
            [_, added] if name.as_str() == UPDATE_ALL => {
                matches!(self.node(added), Node::Apply(once, of) if self.holds_data_once(*once, of))
            }
            _ => false,
        };
        self.key_of_the_data(*name, parts).is_some() || puts_once() || self.picks_each_once(*name, parts)
    }

    /// Whether it is something of the data that is held once, however often it comes.
    pub(super) fn holds_data_once(&self, name: Symbol, parts: &[Value]) -> bool {
        name.as_str() == ONCE && matches!(parts[..], [of] if self.comes_with_the_data(of))
    }

    /// Whether it is a set of what lies in the data: `set(batch["task"])`.
    pub(super) fn picks_each_once(&self, name: Symbol, parts: &[Value]) -> bool {
        matches!(name.as_str(), "set" | "frozenset") && matches!(parts[..], [of] if self.comes_with_the_data(of))
    }

    /// The key under which a dictionary was filled, where that comes with the data.
    pub(super) fn key_of_the_data(&self, name: Symbol, parts: &[Value]) -> Option<Value> {
        let &[container, content] = parts else { return None };
        let Node::Sequence(stored) = self.node(content) else { return None };
        let &[_, key] = &stored[..] else { return None };
        (name.as_str() == STORE && self.has_keys(container, MAX_STORES) && self.comes_with_the_data(key)).then_some(key)
    }

    /// Whether a key is something that lies in a field of what each rank has of its own: the names of the fields, and those of
    /// what a function has made of it, are the same everywhere.
    pub fn comes_with_the_data(&self, key: Value) -> bool {
        let differs =
            |of: Value| !self.vary(of).is_empty() || self.yielded(of).is_some_and(|batch| !self.vary(batch).is_empty());
        self.taken_from(key).is_some_and(|(of, in_a_field)| in_a_field && differs(of))
    }

    /// Whether it is that, or may turn out to be once a caller says what it hands over.
    pub fn may_come_with_the_data(&self, key: Value) -> bool {
        let from = self.taken_from(key);
        from.is_some_and(|(of, _)| matches!(self.node(of), Node::Parameter(..))) || self.comes_with_the_data(key)
    }

    /// What a key is taken from, and whether it lies in a field of that.
    fn taken_from(&self, key: Value) -> Option<(Value, bool)> {
        const PASSING: [&str; 9] = ["items", "int", "str", "cpu", "enumerate", "zip", "list", "sorted", "set"];
        let (mut at, mut in_a_field) = (key, false);
        for _ in 0..MAX_STORES {
            at = match self.node(at) {
                Node::Item(_, of) => *of,
                Node::Index(of, _) | Node::Attribute(of, _) => {
                    in_a_field = true;
                    *of
                }
                Node::Mapped(name, parts) | Node::Apply(name, parts)
                    if PASSING.contains(&name.last_part().as_str()) && !parts.is_empty() =>
                {
                    parts[0]
                }
                Node::Mapped(name, parts) | Node::Apply(name, parts)
                    if TELLING.contains(&name.last_part().as_str()) && !parts.is_empty() =>
                {
                    in_a_field = true;
                    parts[0]
                }
                // `f"accuracy/{label}"`
                Node::Apply(name, parts) if name.as_str() == "format" => {
                    let taken = parts.iter().filter_map(|&part| self.taken_from(part));
                    return taken
                        .max_by_key(|&(_, in_a_field)| in_a_field)
                        .map(|(of, inside)| (of, in_a_field || inside));
                }
                Node::Loader(_, batch) => *batch,
                // A parameter that callers hand a field.
                Node::Parameter(..)
                    if let Some(meaning) = self.meaning(at)
                        && matches!(self.node(meaning), Node::Attribute(..)) =>
                {
                    meaning
                }
                Node::Local(..) | Node::Parameter(..) => return Some((at, in_a_field)),
                _ => return None,
            };
        }
        None
    }

    /// Whether a container makes the entries that it is asked for.
    pub fn makes_entries(&self, mut container: Value) -> bool {
        for _ in 0..MAX_STORES {
            container = match self.node(container) {
                Node::Apply(name, _) => return matches!(name.last_part().as_str(), "defaultdict" | "Counter"),
                Node::Changed(_, parts) | Node::Carried(_, _, parts) if !parts.is_empty() => parts[0],
                Node::Mapped(name, parts) if matches!(name.as_str(), STORE | UPDATE) => parts[0],
                _ => return false,
            };
        }
        false
    }

    /// Whether a value began as a dictionary: each other key is another entry.
    fn has_keys(&self, container: Value, fuel: usize) -> bool {
        match self.node(container) {
            Node::Mapping(_) => true,
            Node::Apply(name, _) => {
                matches!(name.last_part().as_str(), "dict" | "OrderedDict" | "defaultdict" | "Counter")
            }
            Node::Changed(_, parts) | Node::Carried(_, _, parts) if fuel > 0 => self.has_keys(parts[0], fuel - 1),
            Node::Mapped(name, parts) if fuel > 0 && matches!(name.as_str(), STORE | UPDATE) => {
                self.has_keys(parts[0], fuel - 1)
            }
            _ => false,
        }
    }
}
