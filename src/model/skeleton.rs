//! What is kept of a file that speaks of nothing distributed: definitions, imports, constants and calls.

use crate::syntax::ast::visitor::{self, Visitor};
use crate::syntax::{ast, span_of};

use super::Detail;
use super::lower::{Lowerer, MAX_DEPTH};
use super::tree::*;

/// Collections of more elements than this are data, not a list of keys.
const MAX_COLLECTION: usize = 200;

impl Lowerer {
    pub(super) fn skeleton_stmt(&mut self, stmt: &ast::Stmt, out: &mut Vec<StmtId>) {
        if self.functions.len() == 1
            && let ast::Stmt::Assign(assign) = stmt
            && is_constant(assign)
        {
            let detail = std::mem::replace(&mut self.detail, Detail::Full);
            self.stmt(stmt, out);
            self.detail = detail;
            return;
        }
        let mut finder = Definitions::default();
        finder.statement(stmt);
        for call in finder.calls {
            let callee = self.full_expr(&call.func);
            let at = self.mark().saturating_sub(1);
            self.scope().callees.push(Callee { expr: callee, at });
            let args = self.file.push_list(&[]);
            let index = self.file.push_call(callee, args, &[]);
            let at = span_of(call);
            let call = self.file.push_expr(Expr::Call(index), at);
            out.push(self.file.push_stmt(Stmt::Expr(call), at));
        }
        for nested in finder.nested {
            self.stmt(nested, out);
        }
    }
}

/// Whether a top-level assignment gives a name a text, a path or a collection, such as other files import: a key, a folder,
/// a list of keys.
fn is_constant(assign: &ast::StmtAssign) -> bool {
    let [ast::Expr::Name(name)] = assign.targets.as_slice() else { return false };
    let short = |elements: &[ast::Expr]| elements.len() <= MAX_COLLECTION;
    !name.id.starts_with("__")
        && match &*assign.value {
            ast::Expr::StringLiteral(_) | ast::Expr::FString(_) | ast::Expr::BinOp(_) => true,
            ast::Expr::Tuple(tuple) => short(&tuple.elts),
            ast::Expr::List(list) => short(&list.elts),
            ast::Expr::Set(set) => short(&set.elts),
            ast::Expr::Dict(dict) => dict.items.len() <= MAX_COLLECTION,
            ast::Expr::Call(call) => {
                let last = match &*call.func {
                    ast::Expr::Name(name) => name.id.as_str(),
                    ast::Expr::Attribute(attribute) => attribute.attr.as_str(),
                    _ => return false,
                };
                matches!(last, "frozenset" | "set" | "tuple" | "list" | "dict" | "sorted" | "Path" | "join")
            }
            _ => false,
        }
}

/// Finds, for a skeleton, the calls of a statement and the definitions nested in its blocks.
#[derive(Default)]
struct Definitions<'a> {
    calls: Vec<&'a ast::ExprCall>,
    nested: Vec<&'a ast::Stmt>,
    depth: u32,
}

impl<'a> Definitions<'a> {
    fn statement(&mut self, stmt: &'a ast::Stmt) {
        visitor::walk_stmt(self, stmt);
    }
}

impl<'a> Visitor<'a> for Definitions<'a> {
    fn visit_stmt(&mut self, stmt: &'a ast::Stmt) {
        match stmt {
            ast::Stmt::FunctionDef(_) | ast::Stmt::ClassDef(_) | ast::Stmt::Import(_) | ast::Stmt::ImportFrom(_) => {
                self.nested.push(stmt);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a ast::Expr) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        if let ast::Expr::Call(call) = expr
            && matches!(*call.func, ast::Expr::Name(_) | ast::Expr::Attribute(_))
        {
            self.calls.push(call);
        }
        self.depth += 1;
        visitor::walk_expr(self, expr);
        self.depth -= 1;
    }

    fn visit_annotation(&mut self, _: &'a ast::Expr) {}
}
