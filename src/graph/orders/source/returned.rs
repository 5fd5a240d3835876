//! What functions of the program hand back: all of it, or one part of a tuple.

use super::{Place, Unordered};
use crate::base::FunctionId;
use crate::graph::resolve::Target;
use crate::model::{Expr, ExprId, File, Stmt, each_statement};

impl Place<'_> {
    /// One part of a value that is taken apart.
    pub(super) fn part(&self, value: ExprId, part: usize, fuel: u32) -> Option<Unordered> {
        let model = &self.program.file(self.file).model;
        match model.expr(value) {
            Expr::Tuple(_) | Expr::ListDisplay(_) => self.within(part_of(model, value, part)?, fuel),
            Expr::Call(call) => {
                let callee = model.call(call).callee;
                let called = self.own_method(callee).or_else(|| {
                    match self.program.target(self.file, self.function, callee)? {
                        Target::Function(function) => Some(function),
                        _ => None,
                    }
                });
                self.returned(called?, Some(part), fuel)
            }
            _ => None,
        }
    }

    /// What a function of the program returns, or one part of it, when all its returns agree on that.
    pub(super) fn returned(&self, function: FunctionId, part: Option<usize>, fuel: u32) -> Option<Unordered> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let place = Place { file, function: local, given: &[], ..*self };
        if definition.is_generator && !definition.skeleton {
            return part.is_none().then(|| place.yielded(fuel)).flatten();
        }
        let annotated = definition.returns.filter(|_| part.is_none()).and_then(|returns| place.annotated(returns));
        if definition.skeleton || annotated.is_some() {
            return annotated;
        }
        let mut found = None;
        let mut ordered = false;
        each_statement(model, definition.body, &mut |_, stmt| {
            if let Stmt::Return(Some(value)) = stmt {
                let value = match part {
                    Some(part) => part_of(model, *value, part),
                    None => Some(*value),
                };
                match value.and_then(|value| place.within(value, fuel.saturating_sub(1))) {
                    Some(unordered) => found = found.or(Some(unordered)),
                    None => ordered = true,
                }
            }
        });
        found.filter(|_| !ordered)
    }

    /// What a generator yields in the turns of a loop comes in the order of these.
    fn yielded(&self, fuel: u32) -> Option<Unordered> {
        let model = &self.program.file(self.file).model;
        let mut found = None;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| {
            let Stmt::For { iter, body, .. } = stmt else { return };
            let mut yields = false;
            each_statement(model, *body, &mut |_, inner| {
                yields |= matches!(inner, Stmt::Expr(expr) if matches!(model.expr(*expr), Expr::Yield(_)));
            });
            if yields && found.is_none() {
                found = self.within(*iter, fuel.saturating_sub(1));
            }
        });
        found
    }
}

/// One part of a tuple or list that is written out.
fn part_of(model: &File, value: ExprId, part: usize) -> Option<ExprId> {
    let (Expr::Tuple(parts) | Expr::ListDisplay(parts)) = model.expr(value) else { return None };
    model.list(parts).get(part).copied()
}
