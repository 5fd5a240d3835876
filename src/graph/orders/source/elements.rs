//! What the elements of a set are, as far as their spelling tells.

use crate::base::Symbol;
use crate::model::{Comprehension, Expr, ExprId, File, Stmt, each_statement};

use super::{Elements, Place};

impl Place<'_> {
    /// What one element is.
    pub(super) fn elements_of(&self, expr: ExprId) -> Elements {
        let model = &self.program.file(self.file).model;
        match model.expr(expr) {
            Expr::Str(_) | Expr::Format(_) => Elements::Hashed,
            Expr::Int(_) | Expr::Bool(_) | Expr::None => Elements::Numbers,
            Expr::Unary(_, inner) => self.elements_of(inner),
            Expr::Binary(_, left, right) => self.elements_of(left).max(self.elements_of(right)),
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                let kinds = model.list(parts).iter().map(|&part| self.elements_of(part));
                kinds.max().unwrap_or(Elements::Unknown)
            }
            Expr::Starred(inner) => self.elements_in(inner),
            Expr::Name(name) if self.is_name_of_a_part(name) => Elements::Hashed,
            Expr::Name(name) | Expr::Attribute { name, .. } => by_name(name),
            Expr::Call(call) => {
                let call = model.call(call);
                match model.expr(call.callee) {
                    Expr::Name(name) if matches!(name.as_str(), "str" | "repr") => Elements::Hashed,
                    Expr::Name(name) if matches!(name.as_str(), "int" | "len" | "id" | "round") => Elements::Numbers,
                    Expr::Attribute { name, .. }
                        if matches!(
                            name.as_str(),
                            "format"
                                | "lower"
                                | "upper"
                                | "strip"
                                | "join"
                                | "replace"
                                | "removeprefix"
                                | "removesuffix"
                        ) =>
                    {
                        Elements::Hashed
                    }
                    Expr::Name(name) | Expr::Attribute { name, .. } => by_name(name),
                    _ => Elements::Unknown,
                }
            }
            Expr::Subscript(value, _) => match model.expr(value) {
                Expr::Call(call) => match model.expr(model.call(call).callee) {
                    Expr::Attribute { name, .. } if matches!(name.as_str(), "split" | "rsplit" | "partition") => {
                        Elements::Hashed
                    }
                    _ => Elements::Unknown,
                },
                _ => Elements::Unknown,
            },
            _ => Elements::Unknown,
        }
    }

    /// What a comprehension makes its elements of: the first of what `named_parameters()` gives is a string, whatever it
    /// is called here.
    pub(super) fn elements_made(&self, comprehension: &Comprehension) -> Elements {
        let model = &self.program.file(self.file).model;
        let element = model.expr(comprehension.element);
        let mut clauses = comprehension.clauses.iter();
        if clauses.clone().any(|clause| names_parts(model, clause.target, clause.iter) == Some(element)) {
            return Elements::Hashed;
        }
        // A key is called `n` for short, be it a number or a name.
        let is_key =
            clauses.any(|clause| first_of(model, clause.target, clause.iter, |name| name == "items") == Some(element));
        let short = matches!(element, Expr::Name(name) if name.as_str().len() == 1);
        if is_key && short { Elements::Unknown } else { self.elements_of(comprehension.element) }
    }

    /// Whether a loop of the function gives the name to the names of a model's parts.
    fn is_name_of_a_part(&self, name: Symbol) -> bool {
        let model = &self.program.file(self.file).model;
        let mut found = false;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| {
            if let Stmt::For { target, iter, .. } = stmt {
                found |= names_parts(model, *target, *iter) == Some(Expr::Name(name));
            }
        });
        found
    }

    /// What the elements of a container are.
    pub(super) fn elements_in(&self, expr: ExprId) -> Elements {
        let model = &self.program.file(self.file).model;
        match model.expr(expr) {
            Expr::ListDisplay(parts) | Expr::Tuple(parts) | Expr::Set(parts) => {
                let kinds = model.list(parts).iter().map(|&part| self.elements_of(part));
                kinds.max().unwrap_or(Elements::Unknown)
            }
            Expr::Dict(parts) => {
                let kinds = model.list(parts).iter().step_by(2).map(|&part| self.elements_of(part));
                kinds.max().unwrap_or(Elements::Unknown)
            }
            Expr::Comprehension(index) => {
                let comprehension = model.comprehension(index);
                match comprehension.key {
                    Some(key) => self.elements_of(key),
                    None => self.elements_made(comprehension),
                }
            }
            Expr::Name(name) | Expr::Attribute { name, .. } => plural(name),
            Expr::Call(call) => match model.expr(model.call(call).callee) {
                Expr::Name(name) if name.as_str() == "range" => Elements::Numbers,
                Expr::Attribute { name, .. }
                    if matches!(
                        name.as_str(),
                        "split" | "rsplit" | "splitlines" | "parameters" | "modules" | "children"
                    ) =>
                {
                    Elements::Hashed
                }
                Expr::Attribute { name, value } if matches!(name.as_str(), "keys" | "values") => {
                    match model.expr(value) {
                        Expr::Name(name) | Expr::Attribute { name, .. } if name.as_str().contains("rank") => {
                            Elements::Numbers
                        }
                        _ => Elements::Unknown,
                    }
                }
                _ => Elements::Unknown,
            },
            _ => Elements::Unknown,
        }
    }
}

/// The first of what a loop over `named_parameters()` and the like gives: a string.
fn names_parts(model: &File, target: ExprId, iter: ExprId) -> Option<Expr> {
    first_of(model, target, iter, |name| name.starts_with("named_"))
}

/// The first of what a loop over a method's answers gives, where the method is called so.
fn first_of(model: &File, target: ExprId, iter: ExprId, called: fn(&str) -> bool) -> Option<Expr> {
    let Expr::Call(call) = model.expr(iter) else { return None };
    let Expr::Attribute { name, .. } = model.expr(model.call(call).callee) else { return None };
    let Expr::Tuple(parts) = model.expr(target) else { return None };
    let first = model.list(parts).first().map(|&part| model.expr(part));
    first.filter(|_| called(name.as_str()))
}

/// What the name of one thing says about it.
pub(super) fn by_name(name: Symbol) -> Elements {
    let lower = name.as_str().to_ascii_lowercase();
    let last = lower.trim_matches('_').rsplit('_').next().unwrap_or_default();
    match last {
        "rank" | "idx" | "index" | "id" | "i" | "j" | "n" | "num" | "size" | "stage" | "length" | "step" | "device"
        | "dim" | "count" | "dtype" => Elements::Numbers,
        "key" | "kind" | "name" | "fqn" | "path" | "param" | "parameter" | "tensor" | "module" | "metric" | "group"
        | "prefix" | "suffix" | "tag" | "label" | "p" | "host" | "hostname" | "file" | "filename" | "task"
        | "domain" | "dataset" | "split" | "language" | "lang" | "modality" => Elements::Named,
        // Kinds are told apart by their names: `ntype`, `model_type`.
        kind if kind.ends_with("type") => Elements::Named,
        _ => Elements::Unknown,
    }
}

/// What the name of several things says about each.
pub(super) fn plural(name: Symbol) -> Elements {
    let text = name.as_str();
    let one = text.strip_suffix("ices").map(|stem| format!("{stem}ex"));
    let one = one.or_else(|| text.strip_suffix('s').map(str::to_owned));
    one.map_or(Elements::Unknown, |one| by_name(Symbol::new(&one)))
}
