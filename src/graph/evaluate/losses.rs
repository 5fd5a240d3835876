//! Losses: what a backward pass begins with was made of this rank's batch, whoever worked it out.

use super::{Engine, Frame};
use crate::base::Symbol;
use crate::flow::{Node, Value};
use crate::model::{Call, Expr, ExprId, each_expression, each_statement, expressions_of, names_in};

/// What multiplies a loss in front of a backward pass: `scaler.scale(loss).backward()`.
const SCALES: &str = "scale";

/// Methods that only tensors have.
pub(in crate::graph) const OF_TENSORS: [&str; 14] =
    ["mean", "sum", "exp", "log", "clamp", "detach", "item", "std", "var", "pow", "square", "abs", "sqrt", "softmax"];

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
        let mut made = tensors_behind(frame, loss);
        if let Expr::Name(name) = model.expr(loss) {
            made.push(name);
        }
        for name in made {
            let Some(value) = frame.get(name) else { continue };
            if self.values.vary(value).is_empty() && !self.is_agreed_in_part(value) {
                let own = self.batch(frame, model.span(loss), "it was worked out of a batch of this rank's own");
                self.marks.losses.insert(own);
                frame.set(name, own);
            }
        }
    }

    /// Whether something in a value is the same on all members of a group.
    fn is_agreed_in_part(&self, value: Value) -> bool {
        self.values.any_part(value, MAX_PARTS, |part| matches!(self.values.node(part), Node::Agreed(..)))
    }
}

/// The tensors of the function that a loss is made of: `ratio` of `-(ratio * advantages).mean()`, and what that is made of.
/// Only what is asked for something that a tensor alone has is one: steps and coefficients go into a loss as well.
fn tensors_behind(frame: &Frame<'_>, loss: ExprId) -> Vec<Symbol> {
    let model = frame.model;
    let body = model.function(frame.local).body;
    let (mut assigned, mut tensors): (Vec<(Symbol, ExprId)>, Vec<Symbol>) = Default::default();
    let mut is_asked = |root: ExprId| {
        each_expression(model, root, &mut |_, expr| {
            if let Expr::Call(call) = expr
                && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
                && let Expr::Name(tensor) = model.expr(value)
                && OF_TENSORS.contains(&name.as_str())
            {
                tensors.push(tensor);
            }
        });
    };
    each_statement(model, body, &mut |_, stmt| {
        expressions_of(model, stmt).into_iter().for_each(&mut is_asked);
        if let Some((&[target], value)) = model.assigned(stmt)
            && let Expr::Name(name) = model.expr(target)
        {
            assigned.push((name, value));
        }
    });
    let mut out: Vec<Symbol> = Vec::new();
    let mut pending = names_in(model, loss);
    for _ in 0..MAX_PARTS {
        let Some(name) = pending.pop() else { break };
        if out.contains(&name) {
            continue;
        }
        for (_, value) in assigned.iter().filter(|(known, _)| *known == name) {
            pending.extend(names_in(model, *value));
        }
        if assigned.iter().any(|(known, _)| *known == name) {
            out.push(name);
        }
    }
    out.retain(|name| tensors.contains(name));
    out
}
