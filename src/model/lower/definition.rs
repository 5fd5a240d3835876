//! Functions, classes and imports.

use super::{Detail, Lowerer};
use crate::base::{Span, Symbol};
use crate::model::tree::*;
use crate::syntax::{ast, span, span_of};

/// Behind the name of a property, that of what assigns to it.
pub const SETTER: &str = ".setter";

impl Lowerer {
    pub(super) fn declare(&mut self, name: Symbol, kind: FunctionKind, whole: Span, name_span: Span) -> LocalFunction {
        let id = LocalFunction(self.file.functions.len() as u32);
        let class = match kind {
            FunctionKind::Def | FunctionKind::Lambda => {
                let directly_in_class = self
                    .functions
                    .last()
                    .is_some_and(|&parent| self.file.function(parent).kind == FunctionKind::ClassBody);
                directly_in_class.then(|| self.classes.last().copied()).flatten()
            }
            FunctionKind::ClassBody => self.classes.last().copied(),
            FunctionKind::Module => None,
        };
        self.file.functions.push(Function {
            name,
            kind,
            parent: self.functions.last().copied(),
            class,
            parameters: Box::default(),
            decorators: List::default(),
            returns: None,
            body: Block::default(),
            is_async: false,
            is_generator: false,
            locals: Box::default(),
            mentions: Box::default(),
            flows: Box::default(),
            guards: Box::default(),
            callees: Box::default(),
            span: whole,
            name_span,
            skeleton: self.detail == Detail::Skeleton,
        });
        id
    }

    pub(super) fn enter(&mut self, id: LocalFunction) {
        self.functions.push(id);
        let scope = self.spare.pop().unwrap_or_default();
        self.scopes.push(scope);
    }

    pub(super) fn leave(&mut self, id: LocalFunction, body: Block) {
        self.functions.pop();
        let scope = self.scopes.pop().expect("entered before");
        let mut locals: Vec<Symbol> = scope.bound.iter().copied().filter(|name| !scope.outer.contains(name)).collect();
        locals.sort_by_key(|name| name.as_str());
        // A variable that another one holds is followed to where it was bound.
        let is_variable = |callee: &Callee| {
            callee.at == SOMEWHERE && matches!(self.file.expr(callee.expr), Expr::Name(name) if locals.contains(&name))
        };
        let callees = scope.callees.iter().copied().filter(|callee| !is_variable(callee)).collect();
        let function = &mut self.file.functions[id.0 as usize];
        function.body = body;
        function.is_generator = scope.is_generator;
        function.mentions = scope.mentions.as_slice().into();
        function.flows = scope.flows.as_slice().into();
        function.guards = scope.guards.as_slice().into();
        function.callees = callees;
        function.locals = locals.into();
        self.spare.push(scope.emptied());
    }

    pub(super) fn outer(&mut self, names: &[ast::Identifier]) -> Stmt {
        let names: Vec<Symbol> = names.iter().map(|name| Symbol::new(name.as_str())).collect();
        self.scope().outer.extend(&names);
        Stmt::Outer(names.into())
    }

    pub(super) fn import(&mut self, import: &ast::StmtImport) -> Stmt {
        let names = self.aliases(&import.names, false);
        self.record(Import { module: None, level: 0, from: false, names })
    }

    pub(super) fn import_from(&mut self, import: &ast::StmtImportFrom) -> Stmt {
        let module = import.module.as_ref().map(|module| Symbol::new(module.as_str()));
        let names = self.aliases(&import.names, true);
        self.record(Import { module, level: import.level, from: true, names })
    }

    fn aliases(&mut self, names: &[ast::Alias], from: bool) -> Vec<Alias> {
        names
            .iter()
            .map(|alias| {
                let name = Symbol::new(alias.name.as_str());
                let bound = alias.asname.as_ref().map(|name| Symbol::new(name.as_str()));
                let local = bound.unwrap_or_else(|| {
                    if from { name } else { Symbol::new(name.as_str().split('.').next().unwrap_or_default()) }
                });
                self.bind(local);
                self.file.speaks_of(name);
                Alias { name, alias: bound, span: span(alias.range) }
            })
            .collect()
    }

    fn record(&mut self, import: Import) -> Stmt {
        let function = *self.functions.last().expect("imports stand inside a body");
        self.file.imports.push((function, import.clone()));
        Stmt::Import(Box::new(import))
    }

    pub(super) fn function(&mut self, def: &ast::StmtFunctionDef) -> LocalFunction {
        let name = Symbol::new(def.name.as_str());
        self.bind(name);
        let decorators: Vec<ExprId> =
            def.decorator_list.iter().map(|decorator| self.full_expr(&decorator.expression)).collect();
        let decorators = self.file.push_list(&decorators);
        let (parameters, returns) = match self.detail {
            Detail::Full => {
                (self.parameters(&def.parameters), def.returns.as_deref().map(|returns| self.expr(returns)))
            }
            Detail::Skeleton => (self.receiver(&def.parameters), None),
        };
        let id = self.declare(name, FunctionKind::Def, span(def.range), span_of(&def.name));
        let function = &mut self.file.functions[id.0 as usize];
        (function.decorators, function.returns, function.is_async) = (decorators, returns, def.is_async);
        self.finish(id, parameters, |lowerer| lowerer.body(&def.body));
        if let Some(class) = self.file.function(id).class {
            let name = self.accessor_of(name, decorators).unwrap_or(name);
            self.file.classes[class.0 as usize].methods.push((name, id));
        }
        id
    }

    /// The name of a method that is called where its property is assigned to, or deleted: it does not take the place of the
    /// property.
    fn accessor_of(&self, property: Symbol, decorators: List) -> Option<Symbol> {
        let ending = |&decorator: &ExprId| match self.file.expr(decorator) {
            Expr::Attribute { name, .. } if name.as_str() == "setter" => Some(SETTER),
            Expr::Attribute { name, .. } if name.as_str() == "deleter" => Some(".deleter"),
            _ => None,
        };
        let ending = self.file.list(decorators).iter().find_map(ending)?;
        Some(Symbol::new(&format!("{property}{ending}")))
    }

    pub(in crate::model) fn lambda(&mut self, lambda: &ast::ExprLambda) -> LocalFunction {
        let at = span(lambda.range);
        let parameters = lambda.parameters.as_deref().map_or_else(Vec::new, |parameters| self.parameters(parameters));
        let id = self.declare(Symbol::new("<lambda>"), FunctionKind::Lambda, at, at);
        self.finish(id, parameters, |lowerer| {
            let value = lowerer.expr(&lambda.body);
            let end = lowerer.mark();
            lowerer.flow(Sink::Return, 0, end);
            let value = lowerer.file.push_stmt(Stmt::Return(Some(value)), at);
            lowerer.file.push_block(&[value])
        });
        id
    }

    fn finish(&mut self, id: LocalFunction, parameters: Vec<Parameter>, body: impl FnOnce(&mut Self) -> Block) {
        self.enter(id);
        for parameter in &parameters {
            self.bind(parameter.name);
        }
        self.file.functions[id.0 as usize].parameters = parameters.into();
        let body = body(self);
        self.leave(id, body);
    }

    /// Of a method's parameters the object that it is called on, without which its calls of other methods lead nowhere.
    fn receiver(&self, parameters: &ast::Parameters) -> Vec<Parameter> {
        let around = self.functions.last().map(|&around| self.file.function(around).kind);
        let first = parameters.posonlyargs.iter().chain(&parameters.args).next();
        let first = first.filter(|_| around == Some(FunctionKind::ClassBody));
        let kept = first.map(|first| Parameter {
            name: Symbol::new(first.parameter.name.as_str()),
            kind: ParameterKind::Normal,
            default: None,
            annotation: None,
            span: span(first.range),
        });
        kept.into_iter().collect()
    }

    fn parameters(&mut self, parameters: &ast::Parameters) -> Vec<Parameter> {
        let mut out = Vec::new();
        let mut add = |lowerer: &mut Self, parameter: &ast::Parameter, kind, default: Option<&ast::Expr>| {
            let name = Symbol::new(parameter.name.as_str());
            let default = default.map(|default| lowerer.expr(default));
            let annotation = parameter.annotation.as_deref().map(|annotation| lowerer.expr(annotation));
            out.push(Parameter { name, kind, default, annotation, span: span(parameter.range) });
        };
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            add(self, &parameter.parameter, ParameterKind::Normal, parameter.default.as_deref());
        }
        if let Some(parameter) = parameters.vararg.as_deref() {
            add(self, parameter, ParameterKind::Positionals, None);
        }
        for parameter in &parameters.kwonlyargs {
            add(self, &parameter.parameter, ParameterKind::KeywordOnly, parameter.default.as_deref());
        }
        if let Some(parameter) = parameters.kwarg.as_deref() {
            add(self, parameter, ParameterKind::Keywords, None);
        }
        out
    }

    pub(super) fn class(&mut self, def: &ast::StmtClassDef) -> LocalClass {
        let name = Symbol::new(def.name.as_str());
        self.bind(name);
        let decorators: Vec<ExprId> =
            def.decorator_list.iter().map(|decorator| self.full_expr(&decorator.expression)).collect();
        let bases: Vec<ExprId> =
            def.arguments.iter().flat_map(|arguments| arguments.args.iter()).map(|base| self.full_expr(base)).collect();
        let (decorators, bases) = (self.file.push_list(&decorators), self.file.push_list(&bases));
        let id = LocalClass(self.file.classes.len() as u32);
        let parent = *self.functions.last().expect("classes stand inside a body");
        self.classes.push(id);
        self.file.classes.push(Class {
            name,
            parent,
            bases,
            decorators,
            body: LocalFunction(0),
            methods: Vec::new(),
            span: span(def.range),
        });
        let body = self.declare(name, FunctionKind::ClassBody, span(def.range), span_of(&def.name));
        self.file.classes[id.0 as usize].body = body;
        self.finish(body, Vec::new(), |lowerer| lowerer.body(&def.body));
        self.classes.pop();
        id
    }
}
