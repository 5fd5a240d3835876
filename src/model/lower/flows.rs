//! Where values go: to names and attributes, into what a call is handed, and out of the function.

use super::Lowerer;
use crate::model::tree::*;

/// Methods that change a tensor in place.
pub(crate) const IN_PLACE: [&str; 13] = [
    "copy_",
    "fill_",
    "zero_",
    "add_",
    "sub_",
    "mul_",
    "div_",
    "logical_or_",
    "logical_and_",
    "bitwise_or_",
    "masked_fill_",
    "index_fill_",
    "maximum_",
];

/// Methods that keep what they are handed.
const FILLING: [&str; 8] = ["append", "appendleft", "extend", "insert", "add", "update", "put", "put_nowait"];

impl Lowerer {
    /// The value whose names lie between `start` and `end` goes to the target, lowered just now.
    pub(super) fn flows(&mut self, target: ExprId, start: u32, end: u32) {
        let to = match self.file.expr(target) {
            Expr::Name(name) => Sink::Name(name),
            Expr::Attribute { name, .. } => Sink::Attribute(name),
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                for at in 0..self.file.list(parts).len() {
                    self.flows(self.file.list(parts)[at], start, end);
                }
                return;
            }
            Expr::Starred(inner) | Expr::Subscript(inner, _) => return self.flows(inner, start, end),
            _ => return,
        };
        self.flow(to, start, end);
    }

    /// What a statement that is a call, with names between `start` and `end`, may put into what it is handed.
    pub(super) fn handed_in(&mut self, value: ExprId, start: u32, end: u32) {
        let Expr::Call(index) = self.file.expr(value) else { return };
        let call = self.file.call(index);
        // `self.items.append(x)`: what is handed in stays there, as in `self.shard.copy_(x).div_(n)`.
        let mut called = call;
        while let Expr::Attribute { value: object, name } = self.file.expr(called.callee) {
            if FILLING.contains(&name.as_str()) || IN_PLACE.contains(&name.as_str()) {
                self.flows(object, start, end);
            }
            let Expr::Call(inner) = self.file.expr(object) else { break };
            called = self.file.call(inner);
        }
        // `reduce_scatter_tensor(out, x)`: what is handed in may be written to.
        let mut callees = self.scope().callees.iter().rev();
        let Some(&Callee { at, .. }) = callees.find(|known| known.expr == call.callee) else { return };
        for place in 0..self.file.list(call.args).len() {
            let arg = self.file.list(call.args)[place];
            if matches!(self.file.expr(arg), Expr::Name(_)) {
                self.flows(arg, at, at + 1);
            }
        }
    }

    /// What is yielded, with names from `start` on, goes to whoever goes through the generator.
    pub(in crate::model) fn yields(&mut self, start: u32) {
        let end = self.mark();
        self.flow(Sink::Return, start, end);
    }

    /// Notes that the target holds, or may hold, what has another name.
    pub(super) fn holds(&mut self, target: ExprId, value: ExprId) {
        let Some(name) = self.file.last_name(target) else { return };
        let of = match self.file.expr(value) {
            Expr::IfElse(at) => self.file.if_else(at)[1..].to_vec(),
            Expr::Or(parts) => self.file.list(parts).to_vec(),
            Expr::Call(call) => {
                let call = self.file.call(call);
                let is_partial = self.file.last_name(call.callee).is_some_and(|name| name.as_str() == "partial");
                self.file.list(call.args).first().copied().filter(|_| is_partial).into_iter().collect()
            }
            _ => vec![value],
        };
        let home = self.functions.last().copied().unwrap_or(self.file.module());
        let listed = match self.file.expr(value) {
            Expr::ListDisplay(parts) | Expr::Tuple(parts) | Expr::Dict(parts) => self.file.list(parts).to_vec(),
            _ => Vec::new(),
        };
        let differs = |of: &ExprId| match self.file.expr(*of) {
            Expr::Lambda(_) => true,
            _ => self.file.last_name(*of).is_some_and(|known| known != name),
        };
        let held = of.into_iter().map(|of| (of, false)).chain(listed.into_iter().map(|of| (of, true)));
        let held = held.filter(|(of, _)| differs(of));
        let holders: Vec<Holder> = held.map(|(of, is_listed)| Holder { name, of, home, is_listed }).collect();
        self.file.holders.extend(holders);
    }

    pub(super) fn flow(&mut self, to: Sink, start: u32, end: u32) {
        let of_object = matches!(to, Sink::Attribute(_)) && !self.is_constructor();
        let scope = self.scope();
        let flow = Flow { to, start, end, guard: scope.guard };
        if of_object || !flow.is_constant() {
            scope.flows.push(flow);
        }
    }

    /// Whether the function at hand is a constructor: what it begins with is the same on all ranks.
    fn is_constructor(&self) -> bool {
        let function = self.functions.last().map(|&function| self.file.function(function));
        function.is_some_and(|function| function.name.as_str() == "__init__")
    }
}
