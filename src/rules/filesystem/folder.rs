//! Which place an expression leads to, also where plain constant folding gives up: defaults, alternatives, `self.path`.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::base::{Site, Symbol};
use crate::finding::Confidence;
use crate::graph::Program;
use crate::model::{BinaryOp, Constant, Expr, ExprId, File, LocalFunction, Stmt, each_statement};
use crate::rules::calls::{CallSite, argument, definition, keyword};

use super::{Outside, is_allowed};

/// A path outside the working directory that an expression leads to.
pub(super) struct Place {
    /// Its known beginning.
    pub path: String,
    /// Whether that is all of it.
    whole: bool,
    /// How sure.
    pub confidence: Confidence,
    /// Where it is spelled.
    pub defined: Option<Site>,
}

impl Place {
    /// The path in words: with an ellipsis where the end is not known.
    pub fn shown(&self) -> String {
        let path = self.path.replace(crate::model::HOME, "~");
        if self.whole { path } else { path + "…" }
    }
}

/// Where the expression leads when that is outside the working directory and not declared as allowed.
pub(super) fn outside(program: &Program, call: CallSite, expr: ExprId) -> Option<Place> {
    let search = Search { program, call, asked: RefCell::default() };
    let place = search.find(call.function, expr, FUEL)?;
    (!is_allowed(&program.facts, &place.path)).then_some(place)
}

/// How far the making of a path is followed.
const FUEL: u32 = 12;

struct Search<'a> {
    program: &'a Program,
    call: CallSite,
    /// Variables that have been asked: a text that is worked over again and again is made of itself each time.
    asked: RefCell<FxHashSet<(LocalFunction, Symbol)>>,
}

impl Search<'_> {
    fn model(&self) -> &File {
        &self.program.file(self.call.file).model
    }

    fn find(&self, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<Place> {
        let fuel = fuel.checked_sub(1)?;
        let model = self.model();
        let again = |expr| self.find(function, expr, fuel);
        if let Some(constant) = self.program.constant(self.call.file, function, expr) {
            return self.place(constant, function, expr);
        }
        match model.expr(expr) {
            Expr::Or(alternatives) => model.list(alternatives).iter().find_map(|&part| again(part)).map(Place::perhaps),
            Expr::IfElse(at) => model.if_else(at)[1..].iter().find_map(|&arm| again(arm)).map(Place::perhaps),
            Expr::Walrus(_, value) | Expr::Await(value) => again(value),
            Expr::Binary(BinaryOp::Div | BinaryOp::Add, left, _) => again(left).map(Place::begun),
            Expr::Format(parts) => again(*model.list(parts).first()?).map(Place::begun),
            Expr::Name(name) => self.variable(function, name, fuel),
            Expr::Attribute { value, name } => match (name.as_str(), model.expr(value)) {
                ("parent", _) => again(value),
                (_, Expr::Name(object)) if matches!(object.as_str(), "self" | "cls") => {
                    self.attribute(function, name, fuel)
                }
                (_, Expr::Name(_)) => self.command_line(name),
                _ => None,
            },
            Expr::Call(index) => {
                let call = model.call(index);
                let last = crate::rules::calls::last_name(model, call.callee)?;
                let first = model.list(call.args).first().copied();
                match (last.as_str(), model.expr(call.callee)) {
                    (
                        "resolve" | "absolute" | "as_posix" | "with_suffix" | "with_name" | "joinpath" | "expanduser",
                        Expr::Attribute { value, .. },
                    ) if first.is_none() || last.as_str().starts_with(['w', 'j']) => again(value),
                    ("get" | "getenv", _) => again(*model.list(call.args).get(1)?).map(Place::perhaps),
                    (
                        "Path" | "PurePath" | "str" | "fspath" | "abspath" | "realpath" | "normpath" | "dirname"
                        | "join",
                        _,
                    ) => again(first?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn place(&self, constant: Constant, function: LocalFunction, expr: ExprId) -> Option<Place> {
        let path = constant.prefix()?;
        let kind = Outside::of(path)?;
        let defined = self.spelling(function, expr);
        let whole = matches!(constant, Constant::Str(_));
        Some(Place { path: path.to_owned(), whole, confidence: kind.confidence(), defined })
    }

    /// The first name in the expression whose definition says something about the path.
    fn spelling(&self, function: LocalFunction, expr: ExprId) -> Option<Site> {
        let model = self.model();
        let mut found = None;
        crate::model::each_expression(model, expr, &mut |id, part| {
            if found.is_none() && matches!(part, Expr::Name(_) | Expr::Attribute { .. }) {
                let constant = self.program.constant(self.call.file, function, id);
                if constant.is_some_and(|constant| constant.prefix().is_some_and(|text| Outside::of(text).is_some())) {
                    found = definition(self.program, self.call.file, function, id);
                }
            }
        });
        found
    }

    /// A parameter's default, or the alternatives of a variable that is assigned once.
    fn variable(&self, function: LocalFunction, name: Symbol, fuel: u32) -> Option<Place> {
        use crate::graph::Scope;
        let model = self.model();
        let owner = match self.program.scope_of(self.call.file, function, name) {
            Scope::Local(owner) => owner,
            Scope::Global => model.module(),
        };
        if !self.asked.borrow_mut().insert((owner, name)) {
            return None;
        }
        let parameter = model.function(owner).parameters.iter().find(|parameter| parameter.name == name);
        if let Some(parameter) = parameter {
            let filled = assigned(model, owner, name);
            if !filled.is_empty() {
                let value = filled.into_iter().find_map(|value| Some((value?, self.find(owner, value?, fuel)?)));
                let (value, mut place) = value.map(|(value, place)| (value, place.perhaps()))?;
                place.defined.get_or_insert(Site { file: self.call.file, span: model.span(value) });
                return Some(place);
            }
            let parent = model.function(owner).parent.unwrap_or(model.module());
            let mut place = self.find(parent, parameter.default?, fuel)?.perhaps();
            place.defined = Some(Site { file: self.call.file, span: parameter.span });
            return Some(place);
        }
        let value = self.program.single_assignment(self.call.file, owner, name)?;
        let mut place = self.find(owner, value, fuel)?;
        place.defined.get_or_insert(Site { file: self.call.file, span: model.span(value) });
        Some(place)
    }

    /// `self.path`, when the class assigns it in one place only.
    fn attribute(&self, function: LocalFunction, name: Symbol, fuel: u32) -> Option<Place> {
        let model = self.model();
        let class = model.class(model.function(function).class?);
        let mut values = Vec::new();
        let members = class.methods.iter().map(|&(_, method)| method).chain([class.body]);
        for member in members {
            each_statement(model, model.function(member).body, &mut |_, stmt| {
                let (targets, value) = match stmt {
                    Stmt::Assign { targets, value } => (model.list(*targets), *value),
                    Stmt::Annotated { target, value: Some(value), .. } => (std::slice::from_ref(target), *value),
                    _ => return,
                };
                for &target in targets {
                    let assigns = match model.expr(target) {
                        Expr::Attribute { value, name: field } => {
                            field == name
                                && matches!(model.expr(value), Expr::Name(object) if matches!(object.as_str(), "self" | "cls"))
                        }
                        Expr::Name(field) => member == class.body && field == name,
                        _ => false,
                    };
                    if assigns {
                        values.push((member, value));
                    }
                }
            });
        }
        let &[(member, value)] = values.as_slice() else { return None };
        let mut place = self.find(member, value, fuel)?;
        place.defined.get_or_insert(Site { file: self.call.file, span: model.span(value) });
        Some(place)
    }

    /// `args.out`, when this file declares the option's default with `add_argument`.
    fn command_line(&self, name: Symbol) -> Option<Place> {
        let model = self.model();
        let flag = format!("--{}", name.as_str().replace('_', "-"));
        let plain = format!("--{name}");
        let mut defaults = Vec::new();
        for index in 0..model.expr_count() as u32 {
            let Expr::Call(index) = model.expr(ExprId(index)) else { continue };
            let call = model.call(index);
            if crate::rules::calls::last_name(model, call.callee).is_none_or(|last| last.as_str() != "add_argument") {
                continue;
            }
            let named = model.list(call.args).iter().any(
                |&arg| matches!(model.expr(arg), Expr::Str(text) if text.as_str() == flag || text.as_str() == plain),
            );
            if named || argument(model, call, None, "dest").is_some_and(|dest| model.expr(dest) == Expr::Str(name)) {
                defaults.push(keyword(model, call, "default"));
            }
        }
        let &[Some(default)] = defaults.as_slice() else { return None };
        let constant = self.program.constant(self.call.file, model.module(), default)?;
        let mut place = self.place(constant, model.module(), default)?.perhaps();
        place.defined = Some(Site { file: self.call.file, span: model.span(default) });
        Some(place)
    }
}

impl Place {
    /// A place somewhere below this one.
    fn begun(mut self) -> Place {
        if self.whole && !self.path.ends_with('/') {
            self.path.push('/');
        }
        self.whole = false;
        self
    }

    /// The same place, on one of several ways.
    fn perhaps(mut self) -> Place {
        self.confidence = self.confidence.min(Confidence::Medium);
        self
    }
}

/// What is assigned to a name; absent where that is no plain assignment.
fn assigned(model: &File, owner: LocalFunction, name: Symbol) -> Vec<Option<ExprId>> {
    let mut found = Vec::new();
    each_statement(model, model.function(owner).body, &mut |_, stmt| {
        let (targets, value) = match stmt {
            Stmt::Assign { targets, value } => (model.list(*targets), Some(*value)),
            Stmt::Annotated { target, value, .. } => (std::slice::from_ref(target), *value),
            Stmt::AugAssign { target, .. } | Stmt::For { target, .. } => (std::slice::from_ref(target), None),
            _ => return,
        };
        if targets.iter().any(|&target| model.expr(target) == Expr::Name(name)) {
            found.push(value);
        }
    });
    found
}
