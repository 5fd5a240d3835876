//! The compact tree of one file: arenas of expressions and statements, addressed by typed indices.
//!
//! A [`File`] knows names, not what they mean: resolution is `graph`'s. It holds no reference to the source text.

mod definition;
mod expr;
mod names;
mod spans;
mod stmt;

use rustc_hash::FxHashSet;

use crate::base::{Span, Symbol};

pub use definition::*;
pub use expr::*;
pub use names::Names;
use spans::Spans;
pub use stmt::*;

use super::comments::Comment;

/// Index of an expression in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Index of a statement in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub u32);

/// Index of a function in its file. `LocalFunction(0)` is the body of the module itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalFunction(pub u32);

/// Index of a class in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalClass(pub u32);

/// A run of expressions in [`File::lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct List {
    start: u32,
    len: u32,
}

/// A run of statements in [`File::blocks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block {
    start: u32,
    len: u32,
}

impl Block {
    /// Whether there is no statement in it.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// One file, lowered.
#[derive(Clone, Debug, Default)]
pub struct File {
    exprs: Vec<Expr>,
    spans: Spans,
    lists: Vec<ExprId>,
    calls: Vec<Call>,
    keywords: Vec<Keyword>,
    comprehensions: Vec<Comprehension>,
    stmts: Vec<Stmt>,
    stmt_spans: Spans,
    blocks: Vec<StmtId>,
    names: Names,
    called: FxHashSet<Symbol>,
    /// Functions in order of definition; the first is the module's body.
    pub functions: Vec<Function>,
    /// Classes in order of definition.
    pub classes: Vec<Class>,
    /// Comments in order that mention ranklint, for suppressions.
    pub comments: Vec<Comment>,
    /// The module's `__all__`-less public surface is every top-level name; imports anywhere in the file, in order.
    pub imports: Vec<(LocalFunction, Import)>,
    /// Variables and attributes that hold what has another name.
    pub holders: Vec<Holder>,
}

/// A variable or an attribute that something else is assigned to by its name: `reduce = dist.all_reduce`.
#[derive(Clone, Copy, Debug)]
pub struct Holder {
    /// The variable or the attribute.
    pub name: Symbol,
    /// What it holds, or may hold, with some arguments given or not: a name, an attribute or a lambda.
    pub of: ExprId,
    /// The function that assigns it.
    pub home: LocalFunction,
    /// Whether it is one of several things in a list or a table.
    pub is_listed: bool,
}

impl File {
    /// Whether a function of the file, or its top level, uses a name.
    pub fn uses(&self, name: Symbol) -> bool {
        self.names().may_hold(name) && self.functions.iter().any(|function| function.mentions.contains(&name))
    }

    /// The expression behind `id`.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.0 as usize]
    }

    /// All expressions of the file, in no order that matters.
    pub fn expressions(&self) -> impl Iterator<Item = Expr> {
        self.exprs.iter().copied()
    }

    /// Where the expression stands.
    pub fn span(&self, id: ExprId) -> Span {
        self.spans.get(id.0)
    }

    /// The last part of a name or a chain of attributes.
    pub fn last_name(&self, expr: ExprId) -> Option<Symbol> {
        match self.expr(expr) {
            Expr::Name(name) | Expr::Attribute { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The expressions of a list.
    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// Whether the file imports something of a library, by the first part of that one's name.
    pub fn imports_of(&self, is_one: impl Fn(&str) -> bool) -> bool {
        let first = |dotted: Symbol| is_one(dotted.as_str().split('.').next().unwrap_or_default());
        self.imports.iter().filter(|(_, import)| import.level == 0).any(|(_, import)| match import.module {
            Some(module) => first(module),
            None => import.names.iter().any(|alias| first(alias.name)),
        })
    }

    /// Whether a method runs where its name is read.
    pub fn is_property(&self, function: &Function) -> bool {
        let mut names = self.list(function.decorators).iter().filter_map(|&decorator| self.last_name(decorator));
        names.any(|name| matches!(name.as_str(), "property" | "cached_property"))
    }

    /// What a statement assigns, and to what, whether or not it is annotated.
    pub fn assigned<'s>(&'s self, stmt: &'s Stmt) -> Option<(&'s [ExprId], ExprId)> {
        match stmt {
            Stmt::Assign { targets, value } => Some((self.list(*targets), *value)),
            Stmt::Annotated { target, value: Some(value), .. } => Some((std::slice::from_ref(target), *value)),
            _ => None,
        }
    }

    /// The call behind [`Expr::Call`].
    pub fn call(&self, index: u32) -> Call {
        self.calls[index as usize]
    }

    /// The keyword arguments of a call.
    pub fn keywords(&self, call: Call) -> &[Keyword] {
        &self.keywords[call.keywords as usize..(call.keywords + call.keyword_count) as usize]
    }

    /// Every call of the file, in no particular order; a cheap pass for those who look for a few.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Whether a call of the file bears one of the names, as the last part of what is called.
    pub fn calls_one_of(&self, names: &FxHashSet<Symbol>) -> bool {
        let (few, many) = if names.len() < self.called.len() { (names, &self.called) } else { (&self.called, names) };
        few.iter().any(|name| many.contains(name))
    }

    /// The condition behind [`Expr::IfElse`], the value where it holds, and the value where it does not.
    pub fn if_else(&self, index: u32) -> [ExprId; 3] {
        let start = index as usize;
        [self.lists[start], self.lists[start + 1], self.lists[start + 2]]
    }

    /// The comprehension behind [`Expr::Comprehension`].
    pub fn comprehension(&self, index: u32) -> &Comprehension {
        &self.comprehensions[index as usize]
    }

    /// The statement behind `id`.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// Where the statement stands.
    pub fn stmt_span(&self, id: StmtId) -> Span {
        self.stmt_spans.get(id.0)
    }

    /// The statements of a block.
    pub fn block(&self, block: Block) -> &[StmtId] {
        &self.blocks[block.start as usize..(block.start + block.len) as usize]
    }

    /// The function behind `id`.
    pub fn function(&self, id: LocalFunction) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The class behind `id`.
    pub fn class(&self, id: LocalClass) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// The module's own body.
    pub fn module(&self) -> LocalFunction {
        LocalFunction(0)
    }

    /// The function in whose statements the body stands: its own, or what surrounds a lambda.
    pub fn home(&self, function: LocalFunction) -> LocalFunction {
        let mut home = function;
        while self.function(home).kind == FunctionKind::Lambda
            && let Some(parent) = self.function(home).parent
        {
            home = parent;
        }
        home
    }

    /// The names by which a function is called: its own, and its class's where that makes an object.
    pub fn called(&self, function: LocalFunction) -> impl Iterator<Item = Symbol> + use<> {
        let definition = self.function(function);
        let own = (function != self.module()).then_some(definition.name);
        let made =
            definition.class.filter(|_| definition.name.as_str() == "__init__").map(|class| self.class(class).name);
        own.into_iter().chain(made)
    }

    /// Whether the body of `owner`, which is not the module's, defines or imports something of that name: a quick answer,
    /// without walking its statements.
    pub fn defines(&self, owner: LocalFunction, name: Symbol) -> bool {
        let whole = self.function(owner).span;
        let mut nested = self.functions[owner.0 as usize + 1..].iter().take_while(|one| one.span.start < whole.end);
        nested.any(|one| one.name == name && one.parent == Some(owner))
            || self.classes.iter().any(|class| class.name == name && class.parent == owner)
            || self.imports.iter().filter(|(home, _)| *home == owner).any(|(_, import)| {
                import.names.iter().any(|alias| match alias.alias {
                    Some(bound) => bound == name,
                    None if import.from => alias.name == name,
                    None => alias.name.as_str().split('.').next() == Some(name.as_str()),
                })
            })
    }

    /// The dotted name of a function within the module; empty for the module's own body.
    pub fn qualified(&self, function: LocalFunction) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut at = function;
        while let Some(parent) = self.function(at).parent {
            names.push(self.function(at).name.as_str());
            at = parent;
        }
        names.reverse();
        names.join(".")
    }

    /// The dotted name of a class within the module.
    pub fn qualified_class(&self, class: LocalClass) -> String {
        self.qualified(self.class(class).body)
    }

    /// How many expressions there are; for sizing side tables.
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    /// The dotted spelling of a chain of attributes on a name, such as `torch.distributed.get_rank`.
    pub fn dotted(&self, id: ExprId) -> Option<String> {
        match self.expr(id) {
            Expr::Name(name) => Some(name.as_str().to_owned()),
            Expr::Attribute { value, name } => {
                let mut text = self.dotted(value)?;
                text.push('.');
                text.push_str(name.as_str());
                Some(text)
            }
            _ => None,
        }
    }

    /// Names and attributes in expressions, and what imports call by another name, as a set that may hold more.
    pub fn names(&self) -> &Names {
        &self.names
    }

    pub(super) fn speaks_of(&mut self, name: Symbol) {
        self.names.insert(name);
    }

    pub(super) fn push_expr(&mut self, expr: Expr, span: Span) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
            self.names.insert(name);
        }
        self.exprs.push(expr);
        self.spans.push(span);
        id
    }

    pub(super) fn push_list(&mut self, items: &[ExprId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        List { start, len: items.len() as u32 }
    }

    pub(super) fn push_if_else(&mut self, parts: [ExprId; 3]) -> u32 {
        self.push_list(&parts).start
    }

    pub(super) fn push_call(&mut self, callee: ExprId, args: List, keywords: &[Keyword]) -> u32 {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = self.expr(callee) {
            self.called.insert(name);
        }
        let start = self.keywords.len() as u32;
        self.keywords.extend_from_slice(keywords);
        self.calls.push(Call { callee, args, keywords: start, keyword_count: keywords.len() as u32 });
        self.calls.len() as u32 - 1
    }

    pub(super) fn push_comprehension(&mut self, comprehension: Comprehension) -> u32 {
        self.comprehensions.push(comprehension);
        self.comprehensions.len() as u32 - 1
    }

    pub(super) fn push_stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        let id = StmtId(self.stmts.len() as u32);
        self.stmts.push(stmt);
        self.stmt_spans.push(span);
        id
    }

    pub(super) fn push_block(&mut self, stmts: &[StmtId]) -> Block {
        let start = self.blocks.len() as u32;
        self.blocks.extend_from_slice(stmts);
        Block { start, len: stmts.len() as u32 }
    }

    pub(super) fn shrink(&mut self) {
        self.exprs.shrink_to_fit();
        self.spans.shrink();
        self.lists.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.keywords.shrink_to_fit();
        self.stmts.shrink_to_fit();
        self.stmt_spans.shrink();
        self.blocks.shrink_to_fit();
        self.names.shrink();
        self.functions.shrink_to_fit();
        self.holders.shrink_to_fit();
    }
}
