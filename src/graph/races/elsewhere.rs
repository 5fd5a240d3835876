//! Where nobody comes from, or to, on the way through a place in a function.

use crate::base::Span;
use crate::graph::blocks::span_of;
use crate::model::{Block, File, LocalFunction, Stmt, each_statement};

/// Parts of a function from which nobody comes to a place in it, and to which nobody comes from there: the other arm of a
/// condition around it, what lies behind an arm that is left with it, and arms before it that are left.
pub(super) struct Elsewhere(Vec<Span>);

impl Elsewhere {
    pub fn of(model: &File, function: LocalFunction, place: Span) -> Elsewhere {
        let holds = |span: Span| span.holds(place);
        let body = model.function(function).body;
        let end = span_of(model, body).map_or(place.end, |body| body.end);
        let mut out = Vec::new();
        // In its next turn a loop may come to the other arm of a condition in it.
        let mut in_loop = false;
        each_statement(model, body, &mut |id, stmt| match stmt {
            Stmt::If { body, orelse, .. } if !in_loop => {
                let left = |arm: Block| {
                    let last = model.block(arm).last();
                    last.is_some_and(|&last| matches!(model.stmt(last), Stmt::Return(_) | Stmt::Raise(_)))
                };
                let mut arms = [(*body, *orelse), (*orelse, *body)].into_iter();
                let behind = model.stmt_span(id).end;
                match arms.find(|(arm, _)| span_of(model, *arm).is_some_and(holds)) {
                    Some((arm, other)) => {
                        out.extend(span_of(model, other));
                        out.extend(left(arm).then(|| Span::new(behind, end)));
                    }
                    None if behind <= place.start => {
                        out.extend(
                            [*body, *orelse].into_iter().filter(|&arm| left(arm)).filter_map(|arm| span_of(model, arm)),
                        );
                    }
                    None => {}
                }
            }
            Stmt::Match { cases, .. } if !in_loop => {
                let arms = || cases.iter().filter_map(|case| span_of(model, case.body));
                if arms().any(holds) {
                    out.extend(arms().filter(|&arm| !holds(arm)));
                }
            }
            Stmt::For { .. } | Stmt::While { .. } => in_loop |= holds(model.stmt_span(id)),
            _ => {}
        });
        Elsewhere(out)
    }

    pub fn holds(&self, span: Span) -> bool {
        self.0.iter().any(|part| part.holds(span))
    }
}
