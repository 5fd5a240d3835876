//! Objects that know a place on the disk: one method asks for it, another makes it.

use crate::base::{Span, Symbol};
use crate::model::{Expr, ExprId, File, each_expression};

use super::super::blocks::{conditions_in, speaks_of_rank};
use super::super::communication::calls_in;
use super::super::confidence::Evidence;
use super::places::Place;

impl Evidence<'_, '_> {
    /// Whether one rank has the object that was asked make it while others have yet to ask: `if not cache.exists():`, then
    /// `if rank == 0: cache.build()`.
    pub(super) fn is_made_by_its_object(&self, place: &Place<'_>) -> bool {
        let program = self.engine.program;
        let (Some(decision), Some(birth)) = (self.decision.filter(|_| self.is_asked_there()), self.birth) else {
            return false;
        };
        let asked_at = decision.site;
        let (Some((model, test)), Some(function), Some(class)) =
            (self.engine.written_at(asked_at), self.engine.function_at(asked_at), program.class_of(birth.function))
        else {
            return false;
        };
        let text = &program.file(asked_at.file).text;
        let written = |expr: ExprId| {
            let span = model.span(expr);
            text.get(span.start as usize..span.end as usize).unwrap_or_default()
        };
        let asks = program.function(birth.function).name;
        let body = model.function(function).body;
        let by_rank: Vec<Span> = conditions_in(model, body)
            .into_iter()
            .filter(|&(block, test)| block.start >= asked_at.span.end && speaks_of_rank(&program.catalog, model, test))
            .map(|(block, _)| block)
            .collect();
        let asked = object_asked(model, test, asks);
        calls_in(model, body).into_iter().any(|(expr, call)| {
            let Expr::Attribute { value, name } = model.expr(call.callee) else { return false };
            let same = || asked.is_some_and(|object| written(object) == written(value));
            let makes = || {
                program.method(class, name).is_some_and(|method| {
                    let (file, local) = program.locate(method);
                    let (names, texts, folders) = (place.names.clone(), place.texts.clone(), place.folders.clone());
                    let there = Place { model: &program.file(file).model, function: local, names, texts, folders };
                    there.calls().into_iter().any(|(_, call)| there.is_made_by(call))
                })
            };
            name != asks && by_rank.iter().any(|block| block.holds(model.span(expr))) && same() && makes()
        })
    }
}

/// The object whose method of that name a question calls.
fn object_asked(model: &File, test: ExprId, asks: Symbol) -> Option<ExprId> {
    let mut object = None;
    each_expression(model, test, &mut |_, expr| {
        if let Expr::Call(call) = expr
            && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
            && name == asks
        {
            object = Some(value);
        }
    });
    object
}
