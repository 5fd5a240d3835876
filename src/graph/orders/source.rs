//! What has no order that processes share: sets of strings and objects, listings of directories.

mod annotated;
mod assigned;
mod elements;
mod kept;
mod returned;

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{BinaryOp, Comprehension, ComprehensionKind, Expr, ExprId, LocalFunction, Stmt, each_statement};

pub(super) use assigned::Known;
use elements::{by_name, plural};

use super::super::program::Program;
use super::super::resolve::{Scope, Target};

/// How far definitions are followed.
const FUEL: u32 = 6;

/// Something whose elements come in an order of this process's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// Where it is made.
    pub site: Site,
    /// Why its order differs.
    pub cause: Cause,
    /// How sure.
    pub confidence: Confidence,
}

/// Why an order differs between processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The elements of a set lie by their hashes.
    Set,
    /// A directory is listed as the file system happens to keep it.
    Listing,
    /// Results of workers are taken as they come in.
    Completion,
}

/// What the elements of a set are, as far as their spelling tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Elements {
    /// Nothing is known.
    Unknown,
    /// Numbers, or tuples of numbers: their hashes are the same in every process.
    Numbers,
    /// By their names they are strings or objects.
    Named,
    /// Strings or objects.
    Hashed,
}

/// Where an expression is looked at.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub program: &'a Program,
    pub file: FileId,
    pub function: LocalFunction,
    /// Parameters that are known to be unordered.
    pub given: &'a [(Symbol, Unordered)],
    /// What functions assign, as far as that was asked for.
    pub known: &'a Known,
}

impl Place<'_> {
    /// What makes the order of the expression's elements this process's own.
    pub(super) fn unordered(&self, expr: ExprId) -> Option<Unordered> {
        self.within(expr, FUEL)
    }

    /// The same for what a loop iterates: the name of its element tells as well what that is.
    pub(super) fn unordered_for(&self, target: ExprId, iter: ExprId) -> Option<Unordered> {
        let found = self.unordered(iter)?;
        let model = &self.program.file(self.file).model;
        let element = match model.expr(target) {
            Expr::Tuple(parts) => model.list(parts).first().map_or(Expr::Missing, |&first| model.expr(first)),
            element => element,
        };
        let is_named = matches!(element, Expr::Name(name) if by_name(name) == Elements::Named);
        Some(match found.confidence == Confidence::Low && is_named {
            true => Unordered { confidence: Confidence::Medium, ..found },
            false => found,
        })
    }

    fn site(&self, expr: ExprId) -> Site {
        Site { file: self.file, span: self.program.file(self.file).model.span(expr) }
    }

    fn set(&self, expr: ExprId, elements: Elements) -> Option<Unordered> {
        let confidence = match elements {
            Elements::Numbers => return None,
            Elements::Hashed => Confidence::High,
            Elements::Named => Confidence::Medium,
            Elements::Unknown => Confidence::Low,
        };
        Some(Unordered { site: self.site(expr), cause: Cause::Set, confidence })
    }

    fn within(&self, expr: ExprId, fuel: u32) -> Option<Unordered> {
        let fuel = fuel.checked_sub(1)?;
        let model = &self.program.file(self.file).model;
        match model.expr(expr) {
            Expr::Set(parts) => {
                if model.list(parts).len() < 2 {
                    return None;
                }
                let kinds = model.list(parts).iter().map(|&part| self.elements_of(part));
                self.set(expr, kinds.max().unwrap_or(Elements::Unknown))
            }
            Expr::Comprehension(index) => self.comprehension(expr, model.comprehension(index), fuel),
            Expr::Call(call) => self.call(expr, model.call(call), fuel),
            Expr::Binary(BinaryOp::BitOr | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::Sub, left, right) => {
                self.set_like(left, fuel).or_else(|| self.set_like(right, fuel))
            }
            Expr::Name(name) => self.name(name, model.span(expr).start, fuel),
            Expr::Attribute { value, name } => self.attribute(value, name, fuel),
            Expr::IfElse(at) => {
                let [_, then, otherwise] = model.if_else(at);
                self.within(then, fuel).filter(|_| self.within(otherwise, fuel).is_some())
            }
            _ => None,
        }
    }

    /// A set, where an operator would otherwise be arithmetic; views of dictionaries make sets too.
    fn set_like(&self, expr: ExprId, fuel: u32) -> Option<Unordered> {
        let model = &self.program.file(self.file).model;
        if let Some(found) = self.within(expr, fuel).filter(|found| found.cause == Cause::Set) {
            return Some(found);
        }
        match model.expr(expr) {
            Expr::Call(call) => match model.expr(model.call(call).callee) {
                Expr::Attribute { name, .. } if name.as_str() == "keys" => self.set(expr, Elements::Named),
                _ => None,
            },
            _ => None,
        }
    }

    fn comprehension(&self, expr: ExprId, comprehension: &Comprehension, fuel: u32) -> Option<Unordered> {
        if comprehension.kind == ComprehensionKind::Set {
            return self.set(expr, self.elements_made(comprehension));
        }
        self.within(comprehension.clauses.first()?.iter, fuel)
    }

    fn call(&self, expr: ExprId, call: crate::model::Call, fuel: u32) -> Option<Unordered> {
        let model = &self.program.file(self.file).model;
        let first = model.list(call.args).first().copied();
        if let Expr::Attribute { value, name } = model.expr(call.callee) {
            match (name.as_str(), first) {
                ("union" | "intersection" | "difference" | "symmetric_difference" | "copy", _) => {
                    return self.within(value, fuel);
                }
                ("keys" | "values" | "items", None) => return self.within(value, fuel),
                ("imap_unordered", Some(_)) => return Some(self.as_they_come(expr)),
                ("iterdir", None) | ("rglob", Some(_)) => {
                    let confidence = Confidence::Medium;
                    return Some(Unordered { site: self.site(expr), cause: Cause::Listing, confidence });
                }
                _ => {}
            }
        }
        if let Some(method) = self.own_method(call.callee) {
            return self.returned(method, None, fuel);
        }
        match self.program.target(self.file, self.function, call.callee)? {
            Target::External(dotted) => match (dotted.as_str(), first) {
                ("set" | "frozenset", Some(source)) => {
                    self.set(expr, self.elements_in(source)).or_else(|| self.within(source, fuel))
                }
                (
                    "list" | "tuple" | "iter" | "reversed" | "enumerate" | "tqdm.tqdm" | "tqdm.auto.tqdm",
                    Some(source),
                ) => self.within(source, fuel),
                // Elements with equal keys stay as they came.
                ("sorted", Some(source)) => {
                    let key = model
                        .keywords(call)
                        .iter()
                        .find(|keyword| keyword.name.is_some_and(|name| name.as_str() == "key"))?;
                    let found = self.within(source, fuel).filter(|_| self.is_coarse(key.value))?;
                    Some(Unordered { confidence: found.confidence.min(Confidence::Medium), ..found })
                }
                ("filter" | "map", _) => self.within(*model.list(call.args).get(1)?, fuel),
                ("concurrent.futures.as_completed" | "asyncio.as_completed", _) => Some(self.as_they_come(expr)),
                ("os.listdir" | "os.scandir" | "glob.glob" | "glob.iglob", _) => {
                    Some(Unordered { site: self.site(expr), cause: Cause::Listing, confidence: Confidence::High })
                }
                _ => None,
            },
            Target::Function(function) => self.returned(function, None, fuel),
            _ => None,
        }
    }

    /// What workers give as they are done with it.
    fn as_they_come(&self, expr: ExprId) -> Unordered {
        Unordered { site: self.site(expr), cause: Cause::Completion, confidence: Confidence::High }
    }

    /// The method that is called on the object of the method at hand.
    pub(super) fn own_method(&self, callee: ExprId) -> Option<FunctionId> {
        let model = &self.program.file(self.file).model;
        let definition = model.function(self.function);
        let Expr::Attribute { value, name } = model.expr(callee) else { return None };
        let first = definition.parameters.first()?;
        let class = definition.class.filter(|_| model.expr(value) == Expr::Name(first.name))?;
        self.program.method(self.program.class_id(self.file, class), name)
    }

    fn name(&self, name: Symbol, at: u32, fuel: u32) -> Option<Unordered> {
        let given = self.given.iter().find(|(known, _)| *known == name).map(|given| given.1);
        let model = &self.program.file(self.file).model;
        match self.program.scope_of(self.file, self.function, name) {
            Scope::Local(owner) => {
                if given.is_some() {
                    // Unless the parameter is given another value here.
                    let mut rebound = false;
                    each_statement(model, model.function(owner).body, &mut |_, stmt| {
                        if let Stmt::Assign { targets, .. } = stmt {
                            rebound |=
                                model.list(*targets).iter().any(|&target| model.expr(target) == Expr::Name(name));
                        }
                    });
                    return given.filter(|_| !rebound && !self.sorted_in_place(owner, name));
                }
                if let Some(found) = self.annotated_parameter(owner, name) {
                    return Some(found);
                }
                let (value, part) = match owner == self.function {
                    true => self.last_assignment(owner, name, at)?,
                    false => (self.program.single_assignment(self.file, owner, name)?, None),
                };
                let place = Place { function: owner, ..*self };
                let found = match part {
                    Some(part) => place.part(value, part, fuel),
                    None => place.within(value, fuel).or_else(|| place.grown(value, name, fuel)),
                };
                // What things are called together tells what each of them is.
                let told =
                    found.map(|found| match found.confidence == Confidence::Low && plural(name) == Elements::Named {
                        true => Unordered { confidence: Confidence::Medium, ..found },
                        false => found,
                    });
                told.filter(|_| !self.sorted_in_place(owner, name))
            }
            Scope::Global => match self.program.global(self.file, name)? {
                Target::Variable(file, name) => {
                    let module = self.program.file(file).model.module();
                    let value = self.program.single_assignment(file, module, name)?;
                    Place { file, function: module, given: &[], ..*self }.within(value, fuel)
                }
                _ => None,
            },
        }
    }

    /// What the name was given last before the place; absent for one that is also bound in other ways. A parameter keeps
    /// what the caller gave, unless every way to the place goes by the assignment.
    fn last_assignment(&self, owner: LocalFunction, name: Symbol, at: u32) -> Option<(ExprId, Option<usize>)> {
        let model = &self.program.file(self.file).model;
        let assigned = self.known.of(model, self.file, owner);
        let before = assigned.values.get(&name)?.iter().rfind(|given| given.end <= at)?;
        let parameter = model.function(owner).parameters.iter().any(|parameter| parameter.name == name);
        (!assigned.otherwise.contains(&name) && (before.outermost || !parameter)).then_some((before.value, before.part))
    }

    /// Whether a sort key is the same for many elements, which then stay in the order in which they came.
    fn is_coarse(&self, key: ExprId) -> bool {
        let model = &self.program.file(self.file).model;
        match model.expr(key) {
            Expr::Name(name) => name.as_str() == "len",
            Expr::Lambda(function) => {
                model.block(model.function(function).body).iter().any(|&stmt| match model.stmt(stmt) {
                    Stmt::Return(Some(value)) | Stmt::Expr(value) => match model.expr(*value) {
                        Expr::IfElse(at) => model.if_else(at)[1..]
                            .iter()
                            .all(|&arm| matches!(model.expr(arm), Expr::Int(_) | Expr::Bool(_) | Expr::Str(_))),
                        Expr::Compare(..) => true,
                        _ => false,
                    },
                    _ => false,
                })
            }
            _ => false,
        }
    }

    fn sorted_in_place(&self, owner: LocalFunction, name: Symbol) -> bool {
        let model = &self.program.file(self.file).model;
        let mut found = false;
        crate::model::each_call(model, owner, &mut |_, call| {
            if let Expr::Attribute { value, name: method } = model.expr(call.callee) {
                found |= method.as_str() == "sort" && model.expr(value) == Expr::Name(name);
            }
        });
        found
    }
}
