//! Which class of the program an expression is an instance of, and which functions a call may run: from annotations,
//! constructors and what methods assign, without evaluating anything.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::model::{BinaryOp, Call, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_statement};

use super::super::helpers::called;
use super::super::program::Program;
use super::super::resolve::{Scope, Target};

/// How many steps an expression is followed.
const FUEL: u32 = 8;

/// Answers about types; what was found out is kept.
pub struct Types<'p> {
    program: &'p Program,
    attributes: RefCell<FxHashMap<(ClassId, Symbol), Option<ClassId>>>,
    implementers: RefCell<FxHashMap<FunctionId, SmallVec<[FunctionId; 2]>>>,
}

impl<'p> Types<'p> {
    /// Answers about the program.
    pub fn new(program: &'p Program) -> Self {
        Types { program, attributes: RefCell::default(), implementers: RefCell::default() }
    }

    /// The class of the program that an expression is an instance of.
    pub fn class_of(&self, file: FileId, function: LocalFunction, expr: ExprId) -> Option<ClassId> {
        self.class_within(file, function, expr, FUEL)
    }

    fn class_within(&self, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<ClassId> {
        let fuel = fuel.checked_sub(1)?;
        let program = self.program;
        let model = &program.file(file).model;
        match model.expr(expr) {
            Expr::Name(name) => self.class_of_name(file, function, name, fuel),
            Expr::Attribute { value, name } => {
                let class = self.class_within(file, function, value, fuel)?;
                self.attribute(class, name, fuel)
            }
            Expr::Call(index) => self.class_of_call(file, function, model.call(index), fuel),
            Expr::IfElse(at) => {
                model.if_else(at)[1..].iter().find_map(|&arm| self.class_within(file, function, arm, fuel))
            }
            Expr::Or(parts) | Expr::And(parts) => {
                model.list(parts).iter().find_map(|&part| self.class_within(file, function, part, fuel))
            }
            Expr::Await(inner) | Expr::Walrus(_, inner) => self.class_within(file, function, inner, fuel),
            _ => None,
        }
    }

    fn class_of_name(&self, file: FileId, function: LocalFunction, name: Symbol, fuel: u32) -> Option<ClassId> {
        let program = self.program;
        let model = &program.file(file).model;
        let Scope::Local(owner) = program.scope_of(file, function, name) else {
            let Target::Variable(home, name) = program.global(file, name)? else { return None };
            let &[value] = program.module_values(home, name) else { return None };
            return self.class_within(home, program.file(home).model.module(), value, fuel);
        };
        let definition = model.function(owner);
        if let Some(place) = definition.parameters.iter().position(|one| one.name == name) {
            if place == 0 && matches!(name.as_str(), "self" | "cls") {
                return definition.class.map(|class| program.class_id(file, class));
            }
            return self.named(file, owner, definition.parameters[place].annotation?);
        }
        let mut found = None;
        each_statement(model, definition.body, &mut |_, stmt| {
            if found.is_some() {
                return;
            }
            let is_it = |target: ExprId| model.expr(target) == Expr::Name(name);
            found = match stmt {
                Stmt::Assign { targets, value } if model.list(*targets).iter().any(|&target| is_it(target)) => {
                    self.class_within(file, owner, *value, fuel)
                }
                Stmt::Annotated { target, annotation, .. } if is_it(*target) => self.named(file, owner, *annotation),
                Stmt::With { items, .. } => items
                    .iter()
                    .find(|item| item.target.is_some_and(is_it))
                    .and_then(|item| self.class_within(file, owner, item.context, fuel)),
                _ => None,
            };
        });
        found
    }

    fn class_of_call(&self, file: FileId, function: LocalFunction, call: Call, fuel: u32) -> Option<ClassId> {
        let program = self.program;
        let of_result = |id: FunctionId| {
            let (home, local) = program.locate(id);
            match program.function(id).returns {
                Some(returns) => self.named(home, local, returns),
                None => match self.returned_within(home, local, fuel)[..] {
                    [only] => Some(only),
                    _ => None,
                },
            }
        };
        match program.target(file, function, call.callee) {
            Some(Target::Class(class)) => Some(class),
            Some(Target::Function(id)) => of_result(id),
            Some(_) => None,
            None => {
                let Expr::Attribute { value, name } = program.file(file).model.expr(call.callee) else { return None };
                let class = self.class_within(file, function, value, fuel)?;
                of_result(program.method(class, name)?)
            }
        }
    }

    /// The classes of the objects that a function returns; none where it may return something else.
    pub fn returned(&self, file: FileId, function: LocalFunction) -> SmallVec<[ClassId; 2]> {
        self.returned_within(file, function, FUEL)
    }

    fn returned_within(&self, file: FileId, function: LocalFunction, fuel: u32) -> SmallVec<[ClassId; 2]> {
        let model = &self.program.file(file).model;
        let mut classes: SmallVec<[ClassId; 2]> = SmallVec::new();
        let mut others = false;
        each_statement(model, model.function(function).body, &mut |_, stmt| match *stmt {
            Stmt::Return(Some(value)) if model.expr(value) != Expr::None => {
                match self.class_within(file, function, value, fuel) {
                    Some(class) if classes.contains(&class) => {}
                    Some(class) => classes.push(class),
                    None => others = true,
                }
            }
            _ => {}
        });
        if others { SmallVec::new() } else { classes }
    }

    /// The class that an annotation names; of `X | None` and `Optional[X]` it is `X`.
    pub fn named(&self, file: FileId, function: LocalFunction, annotation: ExprId) -> Option<ClassId> {
        let program = self.program;
        let model = &program.file(file).model;
        match model.expr(annotation) {
            Expr::Name(_) | Expr::Attribute { .. } => match program.target(file, function, annotation)? {
                Target::Class(class) => Some(class),
                _ => None,
            },
            Expr::Str(text) => match program.global(file, text)? {
                Target::Class(class) => Some(class),
                _ => None,
            },
            Expr::Binary(BinaryOp::BitOr, left, right) => {
                self.named(file, function, left).or_else(|| self.named(file, function, right))
            }
            Expr::Subscript(generic, inner) if model.dotted(generic).is_some_and(|name| name.ends_with("Optional")) => {
                self.named(file, function, inner)
            }
            _ => None,
        }
    }

    /// The class of an attribute, from its annotation, its property or what the methods assign.
    fn attribute(&self, class: ClassId, name: Symbol, fuel: u32) -> Option<ClassId> {
        if let Some(&known) = self.attributes.borrow().get(&(class, name)) {
            return known;
        }
        // What asks for itself on the way does not know.
        self.attributes.borrow_mut().insert((class, name), None);
        let found = self.program.lineage(class).iter().find_map(|&class| self.own_attribute(class, name, fuel));
        self.attributes.borrow_mut().insert((class, name), found);
        found
    }

    fn own_attribute(&self, class: ClassId, name: Symbol, fuel: u32) -> Option<ClassId> {
        let program = self.program;
        let (file, local) = program.locate_class(class);
        let model = &program.file(file).model;
        let definition = model.class(local);
        let mut found = None;
        each_statement(model, model.function(definition.body).body, &mut |_, stmt| {
            if let Stmt::Annotated { target, annotation, .. } = stmt
                && model.expr(*target) == Expr::Name(name)
            {
                found = found.or_else(|| self.named(file, definition.body, *annotation));
            }
        });
        for &(method_name, method) in &definition.methods {
            let body = model.function(method);
            if found.is_none() && method_name == name {
                found = body.returns.and_then(|returns| self.named(file, method, returns));
            }
            if found.is_some() || !body.mentions.contains(&name) {
                continue;
            }
            each_statement(model, body.body, &mut |_, stmt| {
                if found.is_some() {
                    return;
                }
                match stmt {
                    Stmt::Assign { targets, value }
                        if model.list(*targets).iter().any(|&target| is_own(model, target, name)) =>
                    {
                        found = self.class_within(file, method, *value, fuel);
                    }
                    Stmt::Annotated { target, annotation, .. } if is_own(model, *target, name) => {
                        found = self.named(file, method, *annotation);
                    }
                    _ => {}
                }
            });
        }
        found
    }

    /// The functions of the program that a call may run: one, or all that implement an interface.
    pub fn callees(&self, file: FileId, function: LocalFunction, call: Call) -> SmallVec<[FunctionId; 2]> {
        let program = self.program;
        if let Some(found) = called(program, file, function, call.callee) {
            return self.implementations(found);
        }
        if let Some(Target::Class(class)) = program.target(file, function, call.callee) {
            return program.method(class, Symbol::new("__init__")).into_iter().collect();
        }
        let Expr::Attribute { value, name } = program.file(file).model.expr(call.callee) else {
            return SmallVec::new();
        };
        let method = self.class_of(file, function, value).and_then(|class| program.method(class, name));
        method.map_or_else(SmallVec::new, |found| self.implementations(found))
    }

    /// The function itself, or, where it is a declaration only, those that stand in for it.
    fn implementations(&self, declared: FunctionId) -> SmallVec<[FunctionId; 2]> {
        let program = self.program;
        if !is_declaration(program, declared) {
            return smallvec![declared];
        }
        if let Some(known) = self.implementers.borrow().get(&declared) {
            return known.clone();
        }
        let found = self.find_implementations(declared);
        let found = if found.is_empty() { smallvec![declared] } else { found };
        self.implementers.borrow_mut().insert(declared, found.clone());
        found
    }

    fn find_implementations(&self, declared: FunctionId) -> SmallVec<[FunctionId; 2]> {
        let program = self.program;
        let Some(interface) = program.class_of(declared) else { return SmallVec::new() };
        let (home, _) = program.locate_class(interface);
        let name = program.function(declared).name;
        let structural = program.external_bases(interface).iter().any(|base| base.last_part().as_str() == "Protocol");
        let offered: Vec<Symbol> = program.class(interface).methods.iter().map(|(name, _)| *name).collect();
        let candidates = program.methods_named(name).iter().filter(|&&method| method != declared);
        candidates
            .filter(|&&method| {
                let Some(class) = program.class_of(method) else { return false };
                let derived = program.lineage(class).contains(&interface);
                let alike = structural
                    && program.same_tree(program.locate_class(class).0, home)
                    && offered.iter().all(|&one| program.method(class, one).is_some());
                (derived || alike) && !is_declaration(program, method)
            })
            .copied()
            .collect()
    }

    /// The argument that a call passes for a parameter of the function it runs.
    pub fn passed(&self, model: &File, target: FunctionId, call: Call, name: Symbol) -> Option<ExprId> {
        if let Some(keyword) = model.keywords(call).iter().find(|keyword| keyword.name == Some(name)) {
            return Some(keyword.value);
        }
        let function = self.program.function(target);
        let position = function.parameters.iter().position(|one| one.name == name)?;
        let bound = function.takes_object();
        model.list(call.args).get(position.checked_sub(usize::from(bound))?).copied()
    }

    /// The fields of a class with their places: annotated in its body, or assigned by its constructor.
    pub fn fields(&self, class: ClassId) -> Vec<(Symbol, Site)> {
        fields(self.program, class)
    }
}

/// The fields of a class with their places: annotated in its body, or assigned by its constructor.
pub(super) fn fields(program: &Program, class: ClassId) -> Vec<(Symbol, Site)> {
    let (file, local) = program.locate_class(class);
    let model = &program.file(file).model;
    let definition = model.class(local);
    let mut out = Vec::new();
    let mut add = |name: Symbol, expr: ExprId| out.push((name, Site { file, span: model.span(expr) }));
    each_statement(model, model.function(definition.body).body, &mut |_, stmt| {
        if let Stmt::Annotated { target, .. } = stmt
            && let Expr::Name(name) = model.expr(*target)
        {
            add(name, *target);
        }
    });
    let constructor = definition.methods.iter().find(|(name, _)| name.as_str() == "__init__");
    if let Some(&(_, constructor)) = constructor {
        each_statement(model, model.function(constructor).body, &mut |_, stmt| {
            let targets = match stmt {
                Stmt::Assign { targets, .. } => model.list(*targets),
                Stmt::Annotated { target, .. } => std::slice::from_ref(target),
                _ => return,
            };
            for &target in targets {
                if let Expr::Attribute { value, name } = model.expr(target)
                    && matches!(model.expr(value), Expr::Name(object) if object.as_str() == "self")
                {
                    add(name, target);
                }
            }
        });
    }
    out
}

/// Whether the target is `self.name`.
fn is_own(model: &File, target: ExprId, name: Symbol) -> bool {
    matches!(model.expr(target), Expr::Attribute { value, name: written }
        if written == name && matches!(model.expr(value), Expr::Name(object) if object.as_str() == "self"))
}

/// Whether a function only declares what others do: a docstring, `pass`, `...`, `raise NotImplementedError`.
fn is_declaration(program: &Program, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let definition = model.function(local);
    if definition.kind != FunctionKind::Def || definition.skeleton {
        return false;
    }
    model.block(definition.body).iter().all(|&stmt| match model.stmt(stmt) {
        Stmt::Expr(value) => matches!(model.expr(*value), Expr::Str(_) | Expr::Missing),
        Stmt::Raise(Some(raised)) => {
            let raised = match model.expr(*raised) {
                Expr::Call(index) => model.call(index).callee,
                _ => *raised,
            };
            model.dotted(raised).is_some_and(|name| name == "NotImplementedError")
        }
        _ => false,
    })
}
