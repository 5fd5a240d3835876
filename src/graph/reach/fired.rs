//! Methods that are called by a name that is handed in: `getattr(hook, event)()`, where callers of the function say which.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Place, Search};
use crate::base::{FunctionId, Symbol};
use crate::graph::program::Program;
use crate::model::{Call, Expr, File, LocalFunction};

/// What looks an attribute up by its name.
const LOOKS_UP: &str = "getattr";

/// Functions that call what they look up by a name that they are handed, and where they do.
pub(in crate::graph) fn dispatchers(program: &Program) -> Vec<Place> {
    let mut out = Vec::new();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        let wanted: Vec<Call> =
            model.calls().iter().copied().filter(|&call| looks_up_by_variable(model, call)).collect();
        for call in wanted {
            for (index, function) in model.functions.iter().enumerate() {
                let id = program.function_id(file, LocalFunction(index as u32));
                out.extend(
                    function.callees.iter().filter(|callee| callee.expr == call.callee).map(|callee| (id, callee.at)),
                );
            }
        }
    }
    out
}

/// `getattr(object, name)`, where the name is a variable.
fn looks_up_by_variable(model: &File, call: Call) -> bool {
    matches!(model.expr(call.callee), Expr::Name(name) if name.as_str() == LOOKS_UP)
        && matches!(model.list(call.args), &[_, name] if matches!(model.expr(name), Expr::Name(_)))
}

impl Search<'_> {
    /// The names that callers hand to functions that call what they look up.
    pub(super) fn fired(&self) -> FxHashMap<Symbol, Vec<Place>> {
        let program = self.program;
        let mut out: FxHashMap<Symbol, Vec<Place>> = FxHashMap::default();
        for place in dispatchers(program) {
            for name in self.names_handed_to(place.0) {
                out.entry(name).or_default().push(place);
            }
        }
        out
    }

    fn names_handed_to(&self, function: FunctionId) -> FxHashSet<Symbol> {
        let program = self.program;
        let (home, _) = program.locate(function);
        let mut out = FxHashSet::default();
        for mention in self.mentions.get(&program.function(function).name).map_or(&[][..], Vec::as_slice) {
            let (file, _) = program.locate(mention.caller);
            if !program.same_tree(file, home) {
                continue;
            }
            let model = &program.file(file).model;
            for call in model.calls().iter().filter(|call| call.callee == mention.callee) {
                out.extend(model.list(call.args).iter().filter_map(|&arg| match model.expr(arg) {
                    Expr::Str(name) => Some(name),
                    _ => None,
                }));
            }
        }
        out
    }
}
