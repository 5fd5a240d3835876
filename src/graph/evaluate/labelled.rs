//! Functions that carry attributes of their own: `provider.is_distributed = True`, in front of what they are handed to.

use super::Engine;
use crate::base::Symbol;
use crate::flow::{Node, Value};
use crate::graph::messages::is_main_test;
use crate::model::{Block, Expr, ExprId, File, Stmt, each_statement};

impl Engine<'_> {
    /// What a function holds in an attribute: something that the source fixes in the block that defines the function, where
    /// nothing is asked first, and nowhere else.
    pub(super) fn attribute_of_function(&mut self, function: Value, name: Symbol) -> Option<Value> {
        let function = match *self.values.node(function) {
            Node::Function(function, None) | Node::Closure(function, _) => function,
            _ => return None,
        };
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let home = model.function(definition.parent?).body;
        let is_set = |target: &ExprId| match model.expr(*target) {
            Expr::Attribute { value, name: set } => set == name && model.expr(value) == Expr::Name(definition.name),
            _ => false,
        };
        let mut times = 0;
        each_statement(model, home, &mut |_, stmt| {
            if let Stmt::Assign { targets, .. } = stmt {
                times += model.list(*targets).iter().filter(|target| is_set(target)).count();
            }
        });
        let set = plainly_run(model, home).into_iter().find_map(|stmt| match stmt {
            Stmt::Assign { targets, value } if model.list(*targets).iter().any(is_set) => Some(*value),
            _ => None,
        });
        match set.filter(|_| times == 1).map(|value| model.expr(value))? {
            Expr::Bool(known) => Some(self.values.make(Node::Bool(known))),
            Expr::Int(known) => Some(self.values.make(Node::Int(i64::from(known)))),
            Expr::Str(known) => Some(self.values.make(Node::Str(known))),
            Expr::None => Some(self.none),
            _ => None,
        }
    }
}

/// The statements of a block that stand under no condition, and those of a script under `if __name__ == "__main__"`.
fn plainly_run(model: &File, block: Block) -> Vec<&Stmt> {
    let mut out = Vec::new();
    for &id in model.block(block) {
        match model.stmt(id) {
            Stmt::If { test, body, .. } if is_main_test(model, *test) => {
                out.extend(model.block(*body).iter().map(|&id| model.stmt(id)));
            }
            stmt => out.push(stmt),
        }
    }
    out
}
