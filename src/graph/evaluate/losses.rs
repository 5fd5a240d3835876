//! Losses: what a backward pass begins with was made of this rank's batch, whoever worked it out.

use super::{Engine, Frame};
use crate::base::Symbol;
use crate::flow::{Node, Value};
use crate::model::{Call, Expr, ExprId};

/// What multiplies a loss in front of a backward pass: `scaler.scale(loss).backward()`.
const SCALES: &str = "scale";

/// Parts of a value that are looked at.
const MAX_PARTS: usize = 64;

impl<'p> Engine<'p> {
    /// After `loss.backward()` or `engine.backward(loss)`: a variable that holds the loss holds something of this rank's own,
    /// until it is reduced.
    pub(super) fn after_backward(&mut self, frame: &mut Frame<'p>, object: ExprId, call: Call) {
        let model = frame.model;
        let given = |call: Call| model.list(call.args).first().copied();
        let loss = given(call).unwrap_or_else(|| match model.expr(object) {
            Expr::Call(scaled) if model.last_name(model.call(scaled).callee) == Some(Symbol::new(SCALES)) => {
                given(model.call(scaled)).unwrap_or(object)
            }
            _ => object,
        });
        let Expr::Name(name) = model.expr(loss) else { return };
        let Some(value) = frame.get(name) else { return };
        if !self.values.vary(value).is_empty() || self.is_agreed_in_part(value) {
            return;
        }
        let own = self.batch(frame, model.span(loss), "it was worked out of a batch of this rank's own");
        frame.set(name, own);
    }

    /// Whether something in a value is the same on all members of a group.
    fn is_agreed_in_part(&self, value: Value) -> bool {
        self.values.any_part(value, MAX_PARTS, |part| matches!(self.values.node(part), Node::Agreed(..)))
    }
}
