//! Methods that are called by a name that is handed in: `getattr(hook, event)()`, where callers of the function say which.

use rustc_hash::FxHashMap;

use super::Search;
use crate::base::{FunctionId, Symbol};
use crate::graph::program::Program;
use crate::model::{Call, Expr, Function, LocalFunction};

/// What looks an attribute up by its name.
const LOOKS_UP: &str = "getattr";

/// A function that calls what it looks up by a name that it is handed, where it does, and who hands it the name.
#[derive(Clone, Copy)]
pub(super) struct Fired {
    pub dispatcher: FunctionId,
    pub by: FunctionId,
}

/// Functions that call what they look up by one of their parameters, and where they do.
fn dispatchers(program: &Program) -> Vec<FunctionId> {
    let mut out = Vec::new();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        let looks_up = |call: &Call| matches!(model.expr(call.callee), Expr::Name(name) if name.as_str() == LOOKS_UP);
        for call in model.calls().iter().filter(|call| looks_up(call)) {
            let &[_, name] = model.list(call.args) else { continue };
            let Expr::Name(name) = model.expr(name) else { continue };
            let is_parameter = |function: &&Function| function.parameters.iter().any(|own| own.name == name);
            for (index, function) in model.functions.iter().enumerate().filter(|(_, function)| is_parameter(function)) {
                let id = program.function_id(file, LocalFunction(index as u32));
                out.extend(function.callees.iter().any(|callee| callee.expr == call.callee).then_some(id));
            }
        }
    }
    out
}

impl Search<'_> {
    /// By the names that callers hand to functions that call what they look up.
    pub(super) fn fired(&self) -> FxHashMap<Symbol, Vec<Fired>> {
        let mut out: FxHashMap<Symbol, Vec<Fired>> = FxHashMap::default();
        for dispatcher in dispatchers(self.program) {
            for (name, by) in self.names_handed_to(dispatcher) {
                out.entry(name).or_default().push(Fired { dispatcher, by });
            }
        }
        out
    }

    fn names_handed_to(&self, function: FunctionId) -> Vec<(Symbol, FunctionId)> {
        let program = self.program;
        let (home, _) = program.locate(function);
        let mut out = Vec::new();
        for mention in self.mentions.get(&program.function(function).name).map_or(&[][..], Vec::as_slice) {
            let (file, _) = program.locate(mention.caller);
            if !program.same_tree(file, home) {
                continue;
            }
            let model = &program.file(file).model;
            for call in model.calls().iter().filter(|call| call.callee == mention.callee) {
                out.extend(model.list(call.args).iter().filter_map(|&arg| match model.expr(arg) {
                    Expr::Str(name) => Some((name, mention.caller)),
                    _ => None,
                }));
            }
        }
        out
    }
}
