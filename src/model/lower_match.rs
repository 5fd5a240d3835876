//! From the syntax tree to the compact tree: `match`, as tests over its subject.

use crate::base::Symbol;
use crate::syntax::{ast, span_of};

use super::lower::Lowerer;
use super::tree::*;

impl Lowerer {
    pub(super) fn match_statement(&mut self, stmt: &ast::StmtMatch) -> Stmt {
        let start = self.mark();
        let subject = self.expr(&stmt.subject);
        let cases = self.under(start, |lowerer| lowerer.cases(&stmt.cases, subject));
        Stmt::Match { subject, cases: cases.into() }
    }

    fn cases(&mut self, cases: &[ast::MatchCase], subject: ExprId) -> Vec<Case> {
        cases
            .iter()
            .map(|case| {
                let at = span_of(&case.pattern);
                let mut bindings = Vec::new();
                let mut test = self.pattern(&case.pattern, subject, &mut bindings);
                let mut irrefutable = case.pattern.is_irrefutable();
                for &name in &bindings {
                    self.bind(name);
                }
                if let Some(guard) = case.guard.as_deref() {
                    let guard = self.expr(guard);
                    let parts = self.file.push_list(&[test, guard]);
                    test = self.file.push_expr(Expr::And(parts), at);
                    irrefutable = false;
                }
                Case { test, bindings, irrefutable, body: self.body(&case.body) }
            })
            .collect()
    }

    /// The test a pattern amounts to, over `subject`.
    fn pattern(&mut self, pattern: &ast::Pattern, subject: ExprId, bindings: &mut Vec<Symbol>) -> ExprId {
        let at = span_of(pattern);
        match pattern {
            ast::Pattern::MatchValue(value) => {
                let value = self.expr(&value.value);
                self.file.push_expr(Expr::Compare(CompareOp::Eq, subject, value), at)
            }
            ast::Pattern::MatchSingleton(singleton) => {
                let value = match singleton.value {
                    ast::Singleton::None => Expr::None,
                    ast::Singleton::True => Expr::Bool(true),
                    ast::Singleton::False => Expr::Bool(false),
                };
                let value = self.file.push_expr(value, at);
                self.file.push_expr(Expr::Compare(CompareOp::Is, subject, value), at)
            }
            ast::Pattern::MatchOr(alternatives) => {
                let tests: Vec<ExprId> =
                    alternatives.patterns.iter().map(|pattern| self.pattern(pattern, subject, bindings)).collect();
                let tests = self.file.push_list(&tests);
                self.file.push_expr(Expr::Or(tests), at)
            }
            ast::Pattern::MatchAs(capture) => {
                if let Some(name) = &capture.name {
                    bindings.push(Symbol::new(name.as_str()));
                }
                match capture.pattern.as_deref() {
                    Some(inner) => self.pattern(inner, subject, bindings),
                    None => self.file.push_expr(Expr::Bool(true), at),
                }
            }
            ast::Pattern::MatchStar(_)
            | ast::Pattern::MatchSequence(_)
            | ast::Pattern::MatchMapping(_)
            | ast::Pattern::MatchClass(_) => {
                collect_bindings(pattern, &mut |name| bindings.push(Symbol::new(name)));
                let kind = self.file.push_expr(Expr::Missing, at);
                self.file.push_expr(Expr::Compare(CompareOp::Is, subject, kind), at)
            }
        }
    }
}

fn collect_bindings(pattern: &ast::Pattern, found: &mut dyn FnMut(&str)) {
    match pattern {
        ast::Pattern::MatchStar(star) => {
            if let Some(name) = &star.name {
                found(name.as_str());
            }
        }
        ast::Pattern::MatchSequence(sequence) => {
            sequence.patterns.iter().for_each(|part| collect_bindings(part, found))
        }
        ast::Pattern::MatchMapping(mapping) => {
            mapping.patterns.iter().for_each(|part| collect_bindings(part, found));
            if let Some(rest) = &mapping.rest {
                found(rest.as_str());
            }
        }
        ast::Pattern::MatchClass(class) => {
            class.arguments.patterns.iter().for_each(|part| collect_bindings(part, found));
            class.arguments.keywords.iter().for_each(|part| collect_bindings(&part.pattern, found));
        }
        ast::Pattern::MatchOr(alternatives) => {
            alternatives.patterns.iter().for_each(|part| collect_bindings(part, found));
        }
        ast::Pattern::MatchAs(capture) => {
            if let Some(name) = &capture.name {
                found(name.as_str());
            }
            if let Some(inner) = capture.pattern.as_deref() {
                collect_bindings(inner, found);
            }
        }
        ast::Pattern::MatchValue(_) | ast::Pattern::MatchSingleton(_) => {}
    }
}
