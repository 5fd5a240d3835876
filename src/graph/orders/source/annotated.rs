//! Sets by what annotations say: of results, `def names() -> set[str]`, and of parameters.

use super::{Elements, Place, Unordered};
use crate::base::Symbol;
use crate::finding::Confidence;
use crate::model::{Expr, ExprId, LocalFunction, each_expression, each_statement, expressions_of};

/// Types of sets; `collections.abc.Set` is also the view of a dictionary.
const SETS: [&str; 6] = ["set", "frozenset", "builtins.set", "builtins.frozenset", "typing.Set", "typing.FrozenSet"];

/// Types whose hashes are the same in every process.
const NUMBERS: [&str; 4] = ["int", "bool", "float", "complex"];

impl Place<'_> {
    /// The set that something is by its annotation, at a place of this file.
    pub(super) fn annotated(&self, annotation: ExprId) -> Option<Unordered> {
        let model = &self.program.file(self.file).model;
        let Expr::Subscript(kind, element) = model.expr(annotation) else { return None };
        let named = self.program.resolve(self.file, self.function, kind).or_else(|| model.last_name(kind))?;
        let elements = self.elements_of_type(element);
        // Of what is not a text by its own word nobody knows how it hashes.
        if !SETS.contains(&named.as_str()) || elements != Elements::Hashed {
            return None;
        }
        let found = self.set(annotation, elements)?;
        Some(Unordered { confidence: found.confidence.min(Confidence::Medium), ..found })
    }

    /// The same of a parameter that the function gives no other value.
    pub(super) fn annotated_parameter(&self, owner: LocalFunction, name: Symbol) -> Option<Unordered> {
        let model = &self.program.file(self.file).model;
        let parameter = model.function(owner).parameters.iter().find(|parameter| parameter.name == name)?;
        let assigned = self.known.of(model, self.file, owner);
        let mut is_bound = assigned.values.contains_key(&name) || assigned.otherwise.contains(&name);
        each_statement(model, model.function(owner).body, &mut |_, stmt| {
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |_, expr| {
                    is_bound |= matches!(expr, Expr::Walrus(target, _) if target == name);
                });
            }
        });
        self.annotated(parameter.annotation.filter(|_| !is_bound)?)
    }

    fn elements_of_type(&self, element: ExprId) -> Elements {
        let model = &self.program.file(self.file).model;
        match model.expr(element) {
            Expr::Tuple(parts) => {
                let kinds = model.list(parts).iter().map(|&part| self.elements_of_type(part));
                kinds.max().unwrap_or(Elements::Unknown)
            }
            // `tuple[int, int]`, and the dots behind `tuple[int, ...]`.
            Expr::Subscript(_, inner) => self.elements_of_type(inner),
            Expr::Missing => Elements::Numbers,
            Expr::Name(name) if NUMBERS.contains(&name.as_str()) => Elements::Numbers,
            Expr::Name(name) if matches!(name.as_str(), "str" | "bytes") => Elements::Hashed,
            _ => Elements::Unknown,
        }
    }
}
