//! Blocks that nobody knows whether they run: they must not send or receive, nor leave.

use crate::base::{FunctionId, Symbol};
use crate::model::{Block, Expr, ExprId, Stmt, each_statement};

use super::super::known::DIFFERS;
use super::{Body, Flow, Halt, Run};

impl<'p> Run<'p> {
    /// Nobody knows which block runs, or how often: none may send or receive, nor leave.
    pub(super) fn unknown_arms(&mut self, body: &mut Body<'p>, blocks: &[Block]) -> Result<Flow, Halt> {
        let model = body.model;
        for &block in blocks {
            let mut targets: Vec<ExprId> = Vec::new();
            let mut leaves = false;
            let mut speaks = false;
            each_statement(model, block, &mut |_, stmt| {
                match stmt {
                    Stmt::Assign { targets: list, .. } => targets.extend(model.list(*list)),
                    Stmt::AugAssign { target, .. } | Stmt::Annotated { target, .. } | Stmt::For { target, .. } => {
                        targets.push(*target);
                    }
                    // An error ends the job; whatever else ends the block decides about what follows.
                    Stmt::Return(_) | Stmt::Break | Stmt::Continue => leaves = true,
                    _ => {}
                }
                for root in crate::model::expressions_of(model, stmt) {
                    speaks |= self.speaks(body, root);
                }
            });
            if leaves || speaks {
                return Err(Halt::Unknown);
            }
            for target in targets {
                self.assign(body, target, &DIFFERS);
            }
        }
        Ok(Flow::On)
    }

    /// Whether evaluating the expression may send or receive.
    pub(super) fn speaks(&self, body: &Body<'p>, root: ExprId) -> bool {
        let mut found = false;
        crate::model::each_expression(body.model, root, &mut |_, expr| {
            if let Expr::Call(call) = expr {
                let call = body.model.call(call);
                let by_name = match body.model.expr(call.callee) {
                    Expr::Name(name) | Expr::Attribute { name, .. } => {
                        super::super::is_message_name(name) || wire(name)
                    }
                    _ => false,
                };
                found = found
                    || by_name
                    || super::super::called(self.program, body.file, body.local, call.callee)
                        .is_some_and(|function| self.may_speak(function, 3));
            }
        });
        found
    }

    /// Whether the function, or one that it calls, names a point-to-point operation.
    pub(super) fn may_speak(&self, function: FunctionId, fuel: u32) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        if definition.mentions.iter().any(|&name| super::super::is_message_name(name) || wire(name)) {
            return true;
        }
        let Some(fuel) = fuel.checked_sub(1) else { return true };
        let mut found = false;
        crate::model::each_call(model, local, &mut |_, call| {
            found = found
                || super::super::called(self.program, file, local, call.callee)
                    .is_some_and(|callee| callee != function && self.may_speak(callee, fuel));
        });
        found
    }
}

/// Names under which wrappers of a transport send and receive.
pub(super) fn wire(name: Symbol) -> bool {
    let name = name.as_str();
    ["send", "recv", "p2p"].iter().any(|part| name.contains(part))
}
