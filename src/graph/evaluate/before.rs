//! What an attribute held before a function wrote it.

use super::{Engine, Frame};
use crate::base::{ClassId, FunctionId, Symbol};
use crate::flow::{Node, UNSET, Value};
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, StmtId, each_statement};

impl<'p> Engine<'p> {
    /// What an attribute path holds that this function has not written on the way here.
    pub(super) fn path_default(&mut self, frame: &mut Frame<'p>, path: Symbol) -> Value {
        if let Some(value) = self.left_by_constructor(frame, path) {
            return value;
        }
        let name = path.as_str().rsplit('.').next().map(Symbol::new);
        let of_class = match (frame.class, name) {
            (Some(class), Some(name)) => self.attributes.get(&(class, name)).copied().flatten(),
            _ => None,
        };
        let of_class = of_class.or_else(|| self.parameter_meaning(frame, name?));
        of_class.unwrap_or_else(|| self.values.make(Node::Str(Symbol::new(UNSET))))
    }

    /// The constant that the constructor leaves in an attribute of `self` that nobody changes but this function.
    fn left_by_constructor(&mut self, frame: &Frame<'p>, path: Symbol) -> Option<Value> {
        let (object, name) = path.as_str().split_once('.').filter(|(_, name)| !name.contains('.'))?;
        let first = frame.model.function(frame.local).parameters.first()?;
        if first.name.as_str() != object {
            return None;
        }
        let constructor = self.only_other_writer(frame.class?, frame.function, Symbol::new(name))?;
        let (file, local) = self.program.locate(constructor);
        let model = &self.program.file(file).model;
        let node = match model.expr(assigned(model, local, Symbol::new(name))?) {
            Expr::Int(number) => Node::Int(number),
            Expr::Bool(truth) => Node::Bool(truth),
            Expr::None => Node::None,
            _ => return None,
        };
        Some(self.values.make(node))
    }

    /// The constructor, where no method of the class writes the attribute but that and this function.
    fn only_other_writer(&mut self, class: ClassId, function: FunctionId, name: Symbol) -> Option<FunctionId> {
        let mut found = None;
        for &owner in self.program.lineage(class) {
            for &writer in self.writers_of(owner).get(&name).into_iter().flatten().filter(|&&writer| writer != function)
            {
                if found.is_some() || self.program.function(writer).name.as_str() != "__init__" {
                    return None;
                }
                found = Some(writer);
            }
        }
        found
    }
}

/// What a constructor assigns to an attribute, whatever it is called with: once, under no condition.
fn assigned(model: &File, constructor: LocalFunction, name: Symbol) -> Option<ExprId> {
    let definition = model.function(constructor);
    let object = definition.parameters.first()?.name;
    let is_it = |target: ExprId| match model.expr(target) {
        Expr::Attribute { value, name: attribute } => attribute == name && model.expr(value) == Expr::Name(object),
        _ => false,
    };
    let mut found: Vec<(StmtId, ExprId)> = Vec::new();
    each_statement(model, definition.body, &mut |id, stmt| match stmt {
        Stmt::Assign { targets, value } => {
            found.extend(model.list(*targets).iter().filter(|&&target| is_it(target)).map(|_| (id, *value)));
        }
        Stmt::Annotated { target, value: Some(value), .. } | Stmt::AugAssign { target, value, .. }
            if is_it(*target) =>
        {
            found.push((id, *value));
        }
        _ => {}
    });
    let [(only, value)] = found[..] else { return None };
    model.block(definition.body).contains(&only).then_some(value)
}
