//! What type an object is of, from its annotation or from what it is constructed by.

use crate::base::{ClassId, FileId, Symbol};
use crate::model::{Expr, ExprId, LocalFunction, Stmt, each_statement};

use super::super::resolve::{Scope, Target};
use super::{Communication, Kind, class_around, is_self};

impl Communication<'_> {
    /// The class of the program that an object is of, from its annotation or from what it is constructed by.
    pub fn class_of(&mut self, file: FileId, function: LocalFunction, object: ExprId) -> Option<ClassId> {
        match self.kind_of(file, function, object)? {
            Kind::Own(class) => Some(class),
            Kind::Library(_) | Kind::Foreign => None,
        }
    }

    /// The type of an object, from its annotation or from what it is constructed by.
    pub(super) fn kind_of(&mut self, file: FileId, function: LocalFunction, object: ExprId) -> Option<Kind> {
        let program = self.program;
        let model = &program.file(file).model;
        match model.expr(object) {
            Expr::Name(name) => {
                if let Some(Target::Variable(home, name)) = program.target(file, function, object) {
                    let &[value] = program.module_values(home, name) else { return None };
                    let home_model = &program.file(home).model;
                    let Expr::Call(call) = home_model.expr(value) else { return None };
                    return self.constructed(home, home_model.module(), home_model.call(call).callee);
                }
                let owner = match program.scope_of(file, function, name) {
                    Scope::Local(owner) => owner,
                    Scope::Global => model.module(),
                };
                let definition = model.function(owner);
                let is_self =
                    definition.class.is_some() && definition.parameters.first().is_some_and(|first| first.name == name);
                if is_self && matches!(name.as_str(), "self" | "cls") {
                    return definition.class.map(|class| Kind::Own(program.class_id(file, class)));
                }
                let parameter = definition.parameters.iter().find(|parameter| parameter.name == name);
                if let Some(annotation) = parameter.and_then(|parameter| parameter.annotation) {
                    return self.constructed(file, owner, annotation);
                }
                if let Some(&known) = self.locals.get(&(file, owner, name)) {
                    return known;
                }
                let mut made: Vec<ExprId> = Vec::new();
                each_statement(model, definition.body, &mut |_, stmt| {
                    let value = match stmt {
                        Stmt::Assign { targets, value } => model
                            .list(*targets)
                            .iter()
                            .any(|&target| model.expr(target) == Expr::Name(name))
                            .then_some(*value),
                        Stmt::Annotated { target, value: Some(value), .. }
                            if model.expr(*target) == Expr::Name(name) =>
                        {
                            Some(*value)
                        }
                        _ => None,
                    };
                    if let Some(value) = value
                        && let Expr::Call(call) = model.expr(value)
                    {
                        made.push(model.call(call).callee);
                    }
                });
                // `model = Net()`, and then `model = DDP(model)`: what is wrapped is wrapped from there on. What a caller
                // hands over may be anything else.
                let mut kinds = made.into_iter().map(|made| self.constructed(file, owner, made));
                let first = kinds.next().flatten();
                let wrapped = first.into_iter().chain(kinds.flatten()).find(|&kind| self.is_wrapper(kind));
                let kind = wrapped.or(first.filter(|_| parameter.is_none()));
                self.locals.insert((file, owner, name), kind);
                kind
            }
            Expr::Attribute { value, name } if is_self(model, function, value) => {
                let class = class_around(program, file, function)?;
                self.attribute(class, name)
            }
            // `Trainer(model).train()`: made where it is used.
            Expr::Call(call) => self.constructed(file, function, model.call(call).callee),
            _ => None,
        }
    }

    /// Whether calling an object of the type communicates.
    fn is_wrapper(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Library(kind)
            if self.program.catalog.entry(Symbol::new(&format!("{kind}.__call__"))).is_some())
    }

    pub(super) fn constructed(&self, file: FileId, function: LocalFunction, named: ExprId) -> Option<Kind> {
        let program = self.program;
        let model = &program.file(file).model;
        let named = match model.expr(named) {
            Expr::Subscript(generic, inner) if model.dotted(generic).is_some_and(|name| name.ends_with("Optional")) => {
                inner
            }
            _ => named,
        };
        if let Expr::Attribute { value, name } = model.expr(named)
            && let Expr::Call(call) = model.expr(value)
        {
            let kind = self.constructed(file, function, model.call(call).callee)?;
            return self.hands_itself_back(kind, name).then_some(kind);
        }
        match program.target(file, function, named)? {
            Target::Class(class) => Some(Kind::Own(class)),
            Target::External(dotted) => {
                let known = program.catalog.type_named(dotted).map(|kind| kind.name);
                Some(known.or(program.catalog.first_of(dotted)).map_or(Kind::Foreign, Kind::Library))
            }
            _ => None,
        }
    }

    /// Whether what a method of the type gives is the object itself: `trainer = Runner(args).enter_train()`.
    fn hands_itself_back(&self, kind: Kind, method: Symbol) -> bool {
        let program = self.program;
        let Kind::Own(class) = kind else { return false };
        let Some(own) = program.method(class, method) else { return false };
        let (file, function) = program.locate(own);
        let model = &program.file(file).model;
        let (mut returns, mut itself) = (0, 0);
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            if let Stmt::Return(value) = stmt {
                returns += 1;
                itself += usize::from(value.is_some_and(|value| is_self(model, function, value)));
            }
        });
        returns > 0 && itself == returns
    }

    /// The type of an attribute, from what the methods of its class assign to it.
    pub(super) fn attribute(&mut self, class: ClassId, name: Symbol) -> Option<Kind> {
        if let Some(&known) = self.attributes.get(&(class, name)) {
            return known;
        }
        let program = self.program;
        let mut found = None;
        for &class in program.lineage(class) {
            let (file, _) = program.locate_class(class);
            let model = &program.file(file).model;
            for &(_, method) in &program.class(class).methods {
                if found.is_some() || !model.function(method).mentions.contains(&name) {
                    continue;
                }
                let mut constructor = None;
                each_statement(model, model.function(method).body, &mut |_, stmt| {
                    let Stmt::Assign { targets, value } = stmt else { return };
                    let Expr::Call(call) = model.expr(*value) else { return };
                    let is_it = |&target: &ExprId| matches!(model.expr(target), Expr::Attribute { value, name: written } if written == name && is_self(model, method, value));
                    if model.list(*targets).iter().any(is_it) {
                        constructor = constructor.or(Some(model.call(call).callee));
                    }
                });
                found = constructor.and_then(|constructor| self.constructed(file, method, constructor));
            }
        }
        self.attributes.insert((class, name), found);
        found
    }
}
