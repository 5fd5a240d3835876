//! Places in a group that a function is handed, in terms of the group that its caller hands over: `rank_in(group) == 0`.

use crate::base::FunctionId;
use crate::flow::{Axes, Node, Value};

use super::Engine;

/// Parts of a value, one within the other, that are told anew.
const MAX_DEPTH: u8 = 6;

impl Engine<'_> {
    /// The value with places in groups that were handed in as places in what these are to the caller.
    pub(super) fn regrouped(
        &mut self,
        value: Value,
        handed: impl IntoIterator<Item = ((FunctionId, u16), Value)>,
    ) -> Value {
        let vary = self.values.vary(value);
        if vary.is_empty() || vary.is_all() {
            return value;
        }
        let mut told: Vec<(Axes, Axes)> = Vec::new();
        for ((function, position), given) in handed {
            let parameter = self.values.make(Node::Parameter(function, position));
            let known = self.values.group_axes(parameter);
            if known.is_all() || !vary.meets(known) {
                continue;
            }
            // A place in the whole job differs along any group.
            let meant = self.group_argument(given).1;
            if meant != known && !meant.is_all() {
                told.push((known, meant));
            }
        }
        if told.is_empty() { value } else { self.with_axes(value, &told, MAX_DEPTH) }
    }

    fn with_axes(&mut self, value: Value, told: &[(Axes, Axes)], fuel: u8) -> Value {
        let Some(fuel) = fuel.checked_sub(1) else { return value };
        let meant = |axes: Axes| told.iter().find(|(known, _)| *known == axes).map(|&(_, meant)| meant);
        let node = match *self.values.node(value) {
            Node::Rank(axes) => meant(axes).map(Node::Rank),
            Node::Size(axes) => meant(axes).map(Node::Size),
            Node::Not(inner) => Some(Node::Not(self.with_axes(inner, told, fuel))),
            Node::And(left, right) => {
                Some(Node::And(self.with_axes(left, told, fuel), self.with_axes(right, told, fuel)))
            }
            Node::Or(left, right) => {
                Some(Node::Or(self.with_axes(left, told, fuel), self.with_axes(right, told, fuel)))
            }
            Node::Compare(op, left, right) => {
                Some(Node::Compare(op, self.with_axes(left, told, fuel), self.with_axes(right, told, fuel)))
            }
            Node::Binary(op, left, right) => {
                Some(Node::Binary(op, self.with_axes(left, told, fuel), self.with_axes(right, told, fuel)))
            }
            Node::If(test, then, otherwise) => Some(Node::If(
                self.with_axes(test, told, fuel),
                self.with_axes(then, told, fuel),
                self.with_axes(otherwise, told, fuel),
            )),
            _ => None,
        };
        let Some(node) = node else { return value };
        let made = self.values.make(node);
        if made != value {
            self.births.remade(made, value);
        }
        made
    }
}
