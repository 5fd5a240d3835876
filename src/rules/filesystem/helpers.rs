//! Helpers of one file: functions that hand a parameter to a call of interest.

use rustc_hash::FxHashMap;

use crate::base::{FileId, Symbol};
use crate::graph::Program;
use crate::model::{Expr, ExprId, File};
use crate::rules::calls::{CallSite, argument, calls_named, last_name};

/// Functions of a file that pass a parameter on to a write or a shell: their callers choose the place.
#[derive(Default)]
pub(super) struct Helpers {
    found: FxHashMap<Symbol, (usize, Symbol, CallSite)>,
}

impl Helpers {
    /// Remembers a call whose path or command is, or begins with, a parameter of the function it stands in.
    pub fn note(&mut self, model: &File, call: CallSite, path: ExprId) {
        let function = model.function(call.function);
        let Some(parameter) = leading_name(model, path) else { return };
        let Some(position) = function.parameters.iter().position(|one| one.name == parameter) else { return };
        let bound = function.takes_object();
        let position = position.saturating_sub(usize::from(bound));
        self.found.entry(function.name).or_insert((position, parameter, call));
    }

    /// The calls of those functions, with what each passes and the call it ends in.
    pub fn calls(&self, program: &Program, file: FileId) -> Vec<(CallSite, ExprId, CallSite)> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let model = &program.file(file).model;
        let names = self.found.keys().copied().collect();
        calls_named(program, file, &names)
            .into_iter()
            .filter_map(|call| {
                let &(position, parameter, write) = self.found.get(&call.last_name(model)?)?;
                let method = model.function(write.function).class.is_some();
                let meant = match model.expr(call.call.callee) {
                    Expr::Name(_) => !method,
                    Expr::Attribute { value, .. } => {
                        method && matches!(model.expr(value), Expr::Name(object) if matches!(object.as_str(), "self" | "cls"))
                    }
                    _ => false,
                };
                let path = argument(model, call.call, Some(position), parameter.as_str())?;
                meant.then_some((call, path, write))
            })
            .collect()
    }
}

/// The name that a path expression begins with: `folder` of `Path(folder) / "x"` and of `os.path.join(folder, "x")`.
fn leading_name(model: &File, expr: ExprId) -> Option<Symbol> {
    let mut at = expr;
    for _ in 0..12 {
        at = match model.expr(at) {
            Expr::Name(name) => return Some(name),
            Expr::Binary(_, left, _) => left,
            Expr::Format(parts) => *model.list(parts).first()?,
            Expr::Call(index) => {
                let call = model.call(index);
                match last_name(model, call.callee)?.as_str() {
                    "Path" | "join" | "str" | "fspath" | "abspath" => *model.list(call.args).first()?,
                    _ => return None,
                }
            }
            _ => return None,
        };
    }
    None
}
