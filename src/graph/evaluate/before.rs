//! What attributes held before a function wrote them, and what they hold when it is left.

use super::{Engine, Frame};
use crate::base::{ClassId, FunctionId, Symbol};
use crate::flow::{Node, UNSET, Value};
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, StmtId, each_statement};

/// Places where some ranks return of which it is noted what they leave.
const MAX_RETURNS: usize = 4;

impl<'p> Engine<'p> {
    /// What an attribute path holds that this function has not written on the way here, but on another way, on which it has
    /// left a value there.
    pub(super) fn path_default(&mut self, frame: &mut Frame<'p>, path: Symbol, written: Value) -> Value {
        if let Some(value) = self.left_by_constructor(frame, path) {
            return value;
        }
        let name = path.as_str().rsplit('.').next().map(Symbol::new);
        let of_class = match (frame.class, name) {
            (Some(class), Some(name)) => self.attributes.get(&(class, name)).copied().flatten(),
            _ => None,
        };
        let of_class = of_class.or_else(|| self.told_by_property(frame, path));
        let of_class = of_class.or_else(|| self.held_by_object(frame, path));
        let of_class = of_class.or_else(|| self.parameter_meaning(frame, name?));
        let of_class = of_class.or_else(|| self.begun_by_constructor(frame, path).filter(|&begun| begun != written));
        of_class.unwrap_or_else(|| self.values.make(Node::Str(Symbol::new(UNSET))))
    }

    /// What a property of the function's own object answers that has not been assigned to.
    fn told_by_property(&mut self, frame: &mut Frame<'p>, path: Symbol) -> Option<Value> {
        let (name, class) = (own_attribute(frame, path)?, frame.class?);
        self.program.setter(class, name)?;
        let object = frame.get(frame.receiver?)?;
        let span = frame.model.function(frame.local).name_span;
        self.object_attribute(frame, class, object, name, span)
    }

    /// What an object holds that the function has made, or that a module has: what its class leaves there.
    fn held_by_object(&mut self, frame: &Frame<'p>, path: Symbol) -> Option<Value> {
        let (object, name) = path.as_str().rsplit_once('.')?;
        let (object, name) = (Symbol::new(object), Symbol::new(name));
        if frame.receiver == Some(object) {
            return None;
        }
        let held = frame.get(object).or_else(|| self.held_by_its_own(frame, object));
        let (value, class) = match held {
            Some(value) => (value, self.class_of_known(value)?),
            None => {
                let value = self.global_variable(frame.file, object);
                let class = self.class_of_known(value).or_else(|| self.class_of_global(frame.file, object))?;
                (value, class)
            }
        };
        let left = match self.begun_field(value, name) {
            Some(given) => given,
            None => {
                let left = self.attribute(class, name)?;
                self.as_seen_by(value, left)
            }
        };
        Some(self.begun(class, name, left))
    }

    /// The object that an attribute of the function's own object holds, as its class leaves it there.
    fn held_by_its_own(&mut self, frame: &Frame<'p>, path: Symbol) -> Option<Value> {
        let (name, class) = (own_attribute(frame, path)?, frame.class?);
        let held = self.attribute(class, name)?;
        let object = frame.get(frame.receiver?)?;
        Some(self.as_seen_by(object, held))
    }

    /// Notes what the object holds where a function is left by some ranks: what follows is not theirs.
    pub(super) fn note_left(&mut self, frame: &mut Frame<'p>, guard: Option<Value>) {
        let Some(guard) = guard.filter(|&guard| !self.values.vary(guard).is_empty()) else { return };
        if frame.receiver.is_some() && frame.left.len() < MAX_RETURNS {
            let held = held(frame);
            frame.left.push((guard, held));
        }
    }

    /// What the function leaves in attributes of its object.
    pub(super) fn left_in_object(&mut self, frame: &mut Frame<'p>) -> Vec<(Symbol, Value)> {
        let mut out = held(frame);
        out.sort_by_key(|(name, _)| name.as_str());
        let Some(receiver) = frame.receiver else { return out };
        for (guard, before) in std::mem::take(&mut frame.left).into_iter().rev() {
            for (name, value) in &mut out {
                let known = before.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
                let before = match known {
                    Some(value) => value,
                    None => self.path_default(frame, Symbol::new(&format!("{receiver}.{name}")), *value),
                };
                if before != *value {
                    *value = self.values.make(Node::If(guard, before, *value));
                }
            }
        }
        out
    }

    /// The constant that the constructor leaves in an attribute of `self` that nobody changes but this function.
    fn left_by_constructor(&mut self, frame: &Frame<'p>, path: Symbol) -> Option<Value> {
        let name = own_attribute(frame, path)?;
        let constructor = self.only_other_writer(frame.class?, frame.function, name)?;
        self.constant_of(constructor, name)
    }

    /// The constant that the constructor leaves in an attribute of `self`, whoever changes it.
    fn begun_by_constructor(&mut self, frame: &Frame<'p>, path: Symbol) -> Option<Value> {
        let name = own_attribute(frame, path)?;
        let constructor = self.program.method(frame.class?, Symbol::new("__init__"))?;
        self.constant_of(constructor, name)
    }

    /// The constant that a constructor leaves in an attribute.
    fn constant_of(&mut self, constructor: FunctionId, name: Symbol) -> Option<Value> {
        let (file, local) = self.program.locate(constructor);
        let model = &self.program.file(file).model;
        self.literal(model.expr(assigned(model, local, name)?))
    }

    /// A number, an answer or nothing, where it is written out.
    pub(super) fn literal(&mut self, expr: Expr) -> Option<Value> {
        let node = match expr {
            Expr::Int(number) => Node::Int(i64::from(number)),
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

/// The attribute of the function's own object that a path is.
fn own_attribute(frame: &Frame<'_>, path: Symbol) -> Option<Symbol> {
    let (object, name) = path.as_str().split_once('.').filter(|(_, name)| !name.contains('.'))?;
    let first = frame.model.function(frame.local).parameters.first()?;
    (first.name.as_str() == object).then(|| Symbol::new(name))
}

/// What attributes of the object hold by now that the function has written.
fn held(frame: &Frame<'_>) -> Vec<(Symbol, Value)> {
    let Some(receiver) = frame.receiver else { return Vec::new() };
    let prefix = format!("{receiver}.");
    let own = |(path, value): (&Symbol, &Value)| {
        let name = path.as_str().strip_prefix(&prefix)?;
        (!name.contains('.')).then(|| (Symbol::new(name), *value))
    };
    frame.env.iter().filter_map(own).collect()
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
