//! What stands in a list or mapping under an index.

use super::shares::MAX_STORES;
use super::{GIVEN, HANDED_ON, MERGED, Node, SPREAD, STORE, UPDATE, Value, Values, WITHOUT};
use crate::base::{Site, Symbol};

/// Loops in loops that are looked behind.
const MAX_LOOPS: u8 = 4;

/// Functions and methods whose result holds what their argument holds.
const COPIES: [&str; 3] = ["copy", "deepcopy", "dict"];

/// Where an entry of a display is to be found.
enum Entry {
    /// It is written there.
    Given(Value),
    /// It is the entry of another mapping.
    Of(Value),
}

impl Values {
    /// What stands at an index, where that is known.
    pub(super) fn indexed(&mut self, value: Value, index: Value) -> Result<Value, Node> {
        match (self.node(value).clone(), self.node(index).clone()) {
            (Node::Sequence(parts), Node::Int(at)) => {
                let at = if at < 0 { at + parts.len() as i64 } else { at };
                match usize::try_from(at).ok().and_then(|at| parts.get(at)) {
                    Some(&part) => Ok(part),
                    None => Err(Node::Index(value, index)),
                }
            }
            (Node::Mapping(parts), _) if parts.iter().any(|part| part.0 == index) => {
                Ok(parts.iter().rev().find(|part| part.0 == index).map_or(value, |part| part.1))
            }
            (Node::Mapping(parts), _) => {
                let entry = |wanted: bool, values: &Values| {
                    parts.iter().find(|part| *values.node(part.0) == Node::Bool(wanted)).map(|part| part.1)
                };
                match (parts.len(), entry(true, self), entry(false, self)) {
                    (2, Some(yes), Some(no)) => Ok(self.make(Node::If(index, yes, no))),
                    _ => Err(Node::Index(value, index)),
                }
            }
            (Node::If(test, then, otherwise), Node::Int(_) | Node::Str(_)) => {
                // What entries were stored into under one condition after the other is the same container in all arms.
                if let Some(&known) = self.chosen.get(&(value, index)) {
                    return Ok(known);
                }
                let then = self.make(Node::Index(then, index));
                let otherwise = self.make(Node::Index(otherwise, index));
                let found = self.make(Node::If(test, then, otherwise));
                self.chosen.insert((value, index), found);
                Ok(found)
            }
            (Node::Mapped(word, parts), _) if word.as_str() == GIVEN => Ok(self.make(Node::Index(parts[0], index))),
            (Node::Mapped(word, parts), Node::Str(_)) if word.as_str() == HANDED_ON => {
                let own = self.named_beside(parts[0], index);
                Ok(own.unwrap_or_else(|| self.make(Node::Index(parts[1], index))))
            }
            (Node::Changed(_, parts), Node::Str(_)) => match self.entry_stored(&parts) {
                // Who stores one entry leaves the others as they were.
                Some((key, _)) if key != index => Ok(self.make(Node::Index(parts[0], index))),
                Some((_, stored)) if parts.len() == 2 => Ok(stored),
                _ => Err(Node::Index(value, index)),
            },
            (Node::Mapped(word, parts), Node::Str(_)) if matches!(word.as_str(), STORE | UPDATE) => {
                match self.replaced(&parts) {
                    Some((key, stored)) if key == index => Ok(stored),
                    Some(_) => Ok(self.make(Node::Index(parts[0], index))),
                    None => Err(Node::Index(value, index)),
                }
            }
            (Node::Carried(site, name, parts), Node::Str(_)) if !self.vary(value).is_empty() => {
                self.carried((site, name), &parts, value, index).ok_or(Node::Index(value, index))
            }
            (Node::Mapped(word, parts), Node::Str(_)) if word.as_str() == MERGED => match self.merged(&parts, index) {
                Some(Entry::Given(entry)) => Ok(entry),
                Some(Entry::Of(whole)) => Ok(self.make(Node::Index(whole, index))),
                None => Err(Node::Index(value, index)),
            },
            // What a setting names is not what some ranks alone have added by name: that is theirs to log.
            (Node::Changed(..) | Node::If(..), Node::Index(..) | Node::Attribute(..) | Node::Keyword(..))
                if self.vary(index).is_empty()
                    && let Some(before) = self.before_named(value)
                    && before != value =>
            {
                Ok(self.make(Node::Index(before, index)))
            }
            _ => Err(Node::Index(value, index)),
        }
    }

    /// What a mapping was before entries were stored in it by name, be it on some ranks alone.
    fn before_named(&self, mut mapping: Value) -> Option<Value> {
        for _ in 0..MAX_STORES {
            mapping = match self.node(mapping) {
                Node::Changed(_, parts) if self.entry_stored(parts).is_some() => parts[0],
                &Node::If(_, then, otherwise) => {
                    let before = |arm: Value| match self.node(arm) {
                        Node::Changed(_, parts) if self.entry_stored(parts).is_some() => parts[0],
                        _ => arm,
                    };
                    let [then, otherwise] = [then, otherwise].map(before);
                    return (then == otherwise).then(|| self.before_named(then).unwrap_or(then));
                }
                _ => return Some(mapping),
            };
        }
        None
    }

    /// What a mapping of keyword arguments holds under a name; `None` where that is known to be absent.
    pub(super) fn keyword(&mut self, mapping: Value, name: Symbol) -> Result<Value, Node> {
        match self.node(mapping).clone() {
            Node::Mapping(parts) => {
                let found = parts.iter().find(|(key, _)| *self.node(*key) == Node::Str(name)).map(|part| part.1);
                Ok(found.unwrap_or_else(|| self.make(Node::None)))
            }
            Node::Mapped(word, parts) if word.as_str() == WITHOUT => match *self.node(parts[1]) == Node::Str(name) {
                true => Ok(self.make(Node::None)),
                false => Ok(self.make(Node::Keyword(parts[0], name))),
            },
            Node::Mapped(word, parts) if word.as_str() == HANDED_ON => {
                let key = self.make(Node::Str(name));
                let own = self.named_beside(parts[0], key);
                Ok(own.unwrap_or_else(|| self.make(Node::Keyword(parts[1], name))))
            }
            Node::Mapped(word, parts) if word.as_str() == GIVEN => self.given(parts[0], name),
            Node::Mapped(word, _) if matches!(word.as_str(), STORE | UPDATE | MERGED) => self.given(mapping, name),
            Node::Changed(..) | Node::Carried(..) => self.given(mapping, name),
            _ => Err(Node::Keyword(mapping, name)),
        }
    }

    /// What a call names beside a mapping that it spreads.
    fn named_beside(&self, own: Value, key: Value) -> Option<Value> {
        let Node::Mapping(own) = self.node(own) else { return None };
        own.iter().find(|entry| entry.0 == key).map(|entry| entry.1)
    }

    /// The same, of a mapping that somebody has made and filled: copies hold what was copied.
    fn given(&mut self, mut mapping: Value, name: Symbol) -> Result<Value, Node> {
        let key = self.make(Node::Str(name));
        for _ in 0..MAX_STORES {
            mapping = match self.node(mapping).clone() {
                Node::Mapping(_) => return self.keyword(mapping, name),
                Node::If(test, then, otherwise) => {
                    let [then, otherwise] = [then, otherwise].map(|arm| {
                        let given = self.make(Node::Mapped(Symbol::new(GIVEN), Box::from([arm])));
                        self.make(Node::Keyword(given, name))
                    });
                    return Ok(self.make(Node::If(test, then, otherwise)));
                }
                Node::Apply(made, parts) | Node::Mapped(made, parts)
                    if parts.len() == 1 && COPIES.contains(&made.last_part().as_str()) =>
                {
                    parts[0]
                }
                _ => {
                    let entry = self.make(Node::Index(mapping, key));
                    match *self.node(entry) {
                        Node::Index(whole, at) if at == key && whole != mapping => whole,
                        Node::Index(whole, at) if at == key => {
                            let given = self.make(Node::Mapped(Symbol::new(GIVEN), Box::from([whole])));
                            return Err(Node::Keyword(given, name));
                        }
                        _ => return Ok(entry),
                    }
                }
            };
        }
        let given = self.make(Node::Mapped(Symbol::new(GIVEN), Box::from([mapping])));
        Err(Node::Keyword(given, name))
    }

    /// The entry of a display into which other mappings are spread: the last one of that key, or that of the only mapping
    /// that may have it.
    fn merged(&self, parts: &[Value], index: Value) -> Option<Entry> {
        let mut spread = None;
        for pair in parts.chunks_exact(2).rev() {
            match self.node(pair[0]) {
                Node::Str(_) if pair[0] == index && spread.is_none() => return Some(Entry::Given(pair[1])),
                Node::Str(_) if pair[0] != index => {}
                Node::Apply(name, _) if name.as_str() == SPREAD && spread.is_none() => spread = Some(pair[1]),
                _ => return None,
            }
        }
        spread.map(Entry::Of)
    }

    /// A container before other entries than that of the key were stored in it, for whoever asks whether the key is there.
    pub(super) fn before_others(&self, container: Value, key: Value) -> Value {
        self.before_others_within(container, key, MAX_LOOPS)
    }

    fn before_others_within(&self, mut container: Value, key: Value, fuel: u8) -> Value {
        for _ in 0..MAX_STORES {
            container = match self.node(container) {
                Node::Changed(_, parts) if self.entry_stored(parts).is_some_and(|(stored, _)| stored != key) => {
                    parts[0]
                }
                Node::Mapped(word, parts) if matches!(word.as_str(), "keys" | GIVEN) && parts.len() == 1 => parts[0],
                // A loop that stores only others.
                Node::Carried(site, name, parts) if parts.len() > 1 && fuel > 0 => {
                    let (states, _) = self.states(parts);
                    let first = states[0];
                    let is_before = |&state: &Value| {
                        let state = self.before_others_within(state, key, fuel - 1);
                        state == first
                            || matches!(self.node(state), Node::Carried(at, of, parts)
                                if (at, of) == (site, name) && parts.first() == Some(&first))
                    };
                    if !states[1..].iter().all(is_before) {
                        break;
                    }
                    first
                }
                _ => break,
            };
        }
        container
    }

    /// The states of a container that a loop carries along, and what decides about its turns: that stands last. How many
    /// they are is a range, which has no keys.
    fn states<'v>(&self, parts: &'v [Value]) -> (&'v [Value], Option<Value>) {
        match parts.split_last() {
            Some((&last, before)) if !before.is_empty() => {
                let is_state = self.is_container(last) && !matches!(self.node(last), Node::Range(_));
                if is_state { (parts, None) } else { (before, Some(last)) }
            }
            _ => (parts, None),
        }
    }

    /// What a loop carries along under one key of a mapping, whatever it does to the others.
    fn carried(&mut self, (site, name): (Site, Symbol), parts: &[Value], whole: Value, index: Value) -> Option<Value> {
        if let Some(&known) = self.entries.get(&(whole, index)) {
            return known;
        }
        self.entries.insert((whole, index), None);
        let (states, turns) = self.states(parts);
        let mut entries: Vec<Value> = Vec::new();
        for &state in states {
            let entry = self.make(Node::Index(state, index));
            // In a turn before it was what it is here.
            let is_earlier = matches!(self.node(entry), Node::Carried(at, of, parts)
                if (*at, *of) == (site, name) && parts.first() == entries.first());
            if !is_earlier && !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        let entry = match &entries[..] {
            // What no turn changes. While the first turn is looked at nobody knows that.
            &[unchanged] if states.len() > 1 => unchanged,
            _ => {
                entries.extend(turns);
                self.make(Node::Carried(site, name, entries.into()))
            }
        };
        self.entries.insert((whole, index), Some(entry));
        Some(entry)
    }

    /// The place of a container that was given another content, and that content.
    fn replaced(&self, parts: &[Value]) -> Option<(Value, Value)> {
        let Node::Sequence(content) = self.node(*parts.get(1)?) else { return None };
        let &[stored, key] = &content[..] else { return None };
        matches!(self.node(key), Node::Str(_)).then_some((key, stored))
    }

    /// What was stored in a mapping under the name that is asked for, perhaps under a condition: `m["at"]` of `m` behind
    /// `m["at"] = stored`.
    pub fn stored_before(&self, asked: Value) -> Option<Value> {
        let Node::Index(whole, key) = *self.node(asked) else { return None };
        let Node::Changed(_, parts) = self.node(whole) else { return None };
        self.entry_stored(parts).filter(|&(stored, _)| stored == key).map(|(_, value)| value)
    }

    /// The entry that was stored in a container under a known key.
    fn entry_stored(&self, parts: &[Value]) -> Option<(Value, Value)> {
        let Node::Sequence(added) = self.node(*parts.get(1)?) else { return None };
        let [added] = added[..] else { return None };
        let Node::Mapping(entries) = self.node(added) else { return None };
        let [entry] = entries[..] else { return None };
        matches!(self.node(entry.0), Node::Str(_)).then_some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Node, STORE, Values};
    use crate::base::Symbol;

    /// Forty entries, each stored under a condition of its own: twice the work for each would never end.
    #[test]
    fn what_is_stored_under_many_conditions_is_looked_up_once_for_each() {
        let mut values = Values::default();
        let mut container = values.make(Node::Mapping(Box::from([])));
        for entry in 0..40 {
            let key = values.make(Node::Str(Symbol::new(&format!("entry_{entry}"))));
            let stored = values.make(Node::Int(entry));
            let content = values.make(Node::Sequence(Box::from([stored, key])));
            let filled = values.make(Node::Mapped(Symbol::new(STORE), Box::from([container, content])));
            let test = values.make(Node::External(Symbol::new(&format!("test_{entry}"))));
            container = values.make(Node::If(test, filled, container));
        }
        let key = values.make(Node::Str(Symbol::new("entry_0")));
        let found = values.make(Node::Index(container, key));
        assert!(matches!(values.node(found), Node::If(..)), "{:?}", values.node(found));
    }
}
