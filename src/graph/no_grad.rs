//! Forward passes without gradients: a model under `DistributedDataParallel` then exchanges its buffers at most, and tells
//! so to its next pass, which leaves that out.

use super::confidence::Evidence;
use crate::base::{Site, Symbol};
use crate::model::{Block, Expr, ExprId, File, Stmt, each_statement};

/// What turns gradients off, as a decorator or a context.
const OFF: [&str; 2] = ["no_grad", "inference_mode"];

impl Evidence<'_, '_> {
    /// Whether the operation is such a forward pass, by its own function or one on the way to it.
    pub(super) fn is_without_gradients(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let mut way = self.calls.iter().map(|(site, _)| *site).chain([event.site]);
        event.op.as_str() == "ddp_forward" && way.any(|site| self.stands_without_gradients(site))
    }

    fn stands_without_gradients(&self, site: Site) -> bool {
        let Some(local) = self.engine.function_at(site) else { return false };
        let model = &self.engine.program.file(site.file).model;
        let function = model.function(local);
        let decorated = model.list(function.decorators).iter().any(|&decorator| turns_off(model, decorator));
        decorated || stands_in_a_context(model, function.body, site)
    }
}

fn stands_in_a_context(model: &File, block: Block, site: Site) -> bool {
    let mut found = false;
    each_statement(model, block, &mut |id, stmt| {
        if let Stmt::With { items, .. } = stmt {
            let span = model.stmt_span(id);
            found |= span.start <= site.span.start
                && site.span.end <= span.end
                && items.iter().any(|item| turns_off(model, item.context));
        }
    });
    found
}

/// `torch.no_grad`, `torch.no_grad()`.
fn turns_off(model: &File, expr: ExprId) -> bool {
    let named = |expr: ExprId| model.last_name(expr).is_some_and(|name: Symbol| OFF.contains(&name.as_str()));
    match model.expr(expr) {
        Expr::Call(call) => named(model.call(call).callee),
        _ => named(expr),
    }
}
