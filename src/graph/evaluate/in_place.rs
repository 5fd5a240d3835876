//! Methods that change a tensor in place: what a variable holds is another one behind them, on the ranks that come there.

use super::arguments::Arguments;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId, IN_PLACE};

/// Those that put other contents in the place of what was there.
const REPLACE: [&str; 3] = ["copy_", "fill_", "zero_"];

/// Whether a method of this name changes a tensor in place.
pub(in crate::graph) fn is_in_place(name: Symbol) -> bool {
    IN_PLACE.contains(&name.as_str())
}

impl<'p> Engine<'p> {
    /// After `flag.fill_(1)` or `self.shard.copy_(part)`: the variable, or the attribute of the object at hand, holds what was
    /// put into it. It is as large as before.
    pub(super) fn changed_in_place(
        &mut self,
        frame: &mut Frame<'p>,
        object: ExprId,
        (before, name): (Value, Symbol),
        arguments: &Arguments,
        span: Span,
    ) -> Option<Value> {
        let is_held = match frame.model.expr(object) {
            Expr::Name(_) => true,
            Expr::Attribute { value, .. } => {
                matches!(frame.model.expr(value), Expr::Name(own) if Some(own) == frame.receiver)
            }
            _ => false,
        };
        if !is_held || !is_in_place(name) || self.has_method_of_its_own(before, name) {
            return None;
        }
        let given = arguments.values();
        let differs = |value: Value| !self.values.vary(value).is_empty();
        let forgotten = REPLACE.contains(&name.as_str()) && differs(before) && !given.iter().copied().any(differs);
        let first = if forgotten { self.unknown(frame, span) } else { before };
        let parts: Vec<Value> = std::iter::once(first).chain(given).collect();
        let after = self.values.make(Node::Mapped(name, parts.into()));
        self.assign(frame, object, after);
        Some(after)
    }
}
