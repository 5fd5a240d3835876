//! Forward passes without gradients: a model under `DistributedDataParallel` then exchanges its buffers at most, if it has
//! any, and tells so to its next pass, which leaves that out.

use super::confidence::Evidence;
use super::witness::SplitKind;
use crate::base::{FileId, Site, Symbol};
use crate::flow::EventId;
use crate::model::{Block, Expr, ExprId, File, Stmt, each_statement};

/// What turns gradients off, as a decorator or a context.
const OFF: [&str; 2] = ["no_grad", "inference_mode"];

/// What makes a module keep buffers: layers that keep statistics, and modules of the program that say so.
const BUFFERS: [&str; 5] = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "register_buffer"];

/// Beginnings of the names of networks that normalise batches, as the model zoos have them.
const NORMALISED: [&str; 12] = [
    "resnet",
    "resnext",
    "wide_resnet",
    "densenet",
    "mobilenet",
    "efficientnet",
    "inception_v3",
    "googlenet",
    "mnasnet",
    "regnet_",
    "shufflenet",
    "deeplabv3",
];

impl Evidence<'_, '_> {
    /// Whether the operation is such a forward pass, by its own function or one on the way to it; or what the peers issue
    /// instead is one, so that they are in step.
    pub(super) fn is_without_gradients(&self) -> bool {
        let is_pass = |event: EventId| self.engine.effects.event(event).op.as_str() == "ddp_forward";
        let site = |event: EventId| self.engine.effects.event(event).site;
        let way = self.calls.iter().map(|(site, _)| *site).chain([site(self.main)]);
        let own = is_pass(self.main).then(|| way.collect::<Vec<Site>>());
        let others = self.found.difference.events().into_iter().flatten().filter(|&event| event != self.main);
        let others = others.filter(|&event| is_pass(event)).map(|event| vec![site(event)]);
        let mut passes = own.into_iter().chain(others);
        passes.any(|way| way.into_iter().any(|site| self.stands_without_gradients(site)))
            && (!self.models_have_buffers() || self.is_made_up_for())
    }

    /// Whether the others go on to a pass of their own, or to nothing that is seen: what one rank sends around in a pass
    /// without gradients it leaves out of its next one, when they send it.
    fn is_made_up_for(&self) -> bool {
        let is_pass = |event: EventId| self.engine.effects.event(event).op.as_str() == "ddp_forward";
        is_pass(self.main) && self.kind == SplitKind::Conditional && self.instead.is_none_or(is_pass)
    }

    /// Whether models keep buffers that are made in a file on the way, or in one that such a file imports a class or a
    /// function from: those are sent around in front of a pass, with gradients or without.
    fn models_have_buffers(&self) -> bool {
        let program = self.engine.program;
        let buffers = BUFFERS.map(Symbol::new);
        let has_buffers = |file: FileId| {
            let functions = &program.file(file).model.functions;
            functions
                .iter()
                .flat_map(|function| &function.mentions)
                .any(|name| buffers.contains(name) || NORMALISED.iter().any(|family| name.as_str().starts_with(family)))
        };
        let (home, _) = program.locate(self.function);
        let way = self.calls.iter().map(|(site, _)| site.file).chain([home]);
        let imports_one = |file| program.imported_by_name(file).any(|(_, _, home)| has_buffers(home));
        way.into_iter().any(|file| has_buffers(file) || imports_one(file))
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
