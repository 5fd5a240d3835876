//! Expressions, and what calls and comprehensions are made of.

use super::{ExprId, List, LocalFunction};
use crate::base::Symbol;

/// `not`, `-`, `+`, `~`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not x`
    Not,
    /// `-x`
    Minus,
    /// `+x`
    Plus,
    /// `~x`
    Invert,
}

/// Arithmetic and bit operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are Python's own")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    MatMul,
    Div,
    Mod,
    Pow,
    ShiftLeft,
    ShiftRight,
    BitOr,
    BitXor,
    BitAnd,
    FloorDiv,
}

/// Comparison operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are Python's own")]
pub enum CompareOp {
    Eq,
    NotEq,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Is,
    IsNot,
    In,
    NotIn,
}

/// A call's callee and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub callee: ExprId,
    /// Positional arguments; starred ones are [`Expr::Starred`].
    pub args: List,
    pub(super) keywords: u32,
    pub(super) keyword_count: u32,
}

/// A keyword argument; `name` is absent for `**mapping`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// Name of the parameter.
    pub name: Option<Symbol>,
    /// The argument.
    pub value: ExprId,
}

/// What kind of thing a comprehension builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComprehensionKind {
    /// `[… for …]`
    List,
    /// `{… for …}`
    Set,
    /// `{k: v for …}`
    Dict,
    /// `(… for …)`, evaluated when pulled.
    Generator,
}

/// A comprehension or generator expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// What it builds.
    pub kind: ComprehensionKind,
    /// The element (the value, for a dictionary).
    pub element: ExprId,
    /// The key, for a dictionary.
    pub key: Option<ExprId>,
    /// Its `for` clauses, outermost first.
    pub clauses: Vec<Clause>,
}

/// One `for target in iter if …` of a comprehension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clause {
    /// What is bound.
    pub target: ExprId,
    /// What is iterated.
    pub iter: ExprId,
    /// The filters.
    pub conditions: List,
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expr {
    /// Something of which nothing matters: a float, bytes, an ellipsis, an elided argument.
    Missing,
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// An integer that fits 32 bits; others are [`Expr::Missing`].
    Int(i32),
    /// A string.
    Str(Symbol),
    /// A name that is read or bound.
    Name(Symbol),
    /// `value.name`
    Attribute {
        /// The object.
        value: ExprId,
        /// The attribute.
        name: Symbol,
    },
    /// A call; see [`File::call`].
    Call(u32),
    /// A unary operation.
    Unary(UnaryOp, ExprId),
    /// A binary operation.
    Binary(BinaryOp, ExprId, ExprId),
    /// One comparison; a chained one is an [`Expr::And`] of these.
    Compare(CompareOp, ExprId, ExprId),
    /// `a and b …`
    And(List),
    /// `a or b …`
    Or(List),
    /// `then if test else otherwise`; see [`File::if_else`].
    IfElse(u32),
    /// `value[index]`
    Subscript(ExprId, ExprId),
    /// `lower:upper:step`; absent parts are [`Expr::Missing`].
    Slice(List),
    /// `(a, b)`
    Tuple(List),
    /// `[a, b]`
    ListDisplay(List),
    /// `{a, b}`
    Set(List),
    /// `{k: v}`: keys and values in turn; the key of `**mapping` is [`Expr::Missing`].
    Dict(List),
    /// A comprehension; see [`File::comprehension`].
    Comprehension(u32),
    /// `lambda …`
    Lambda(LocalFunction),
    /// `await value`
    Await(ExprId),
    /// `yield value`
    Yield(ExprId),
    /// `yield from value`
    YieldFrom(ExprId),
    /// `*value`
    Starred(ExprId),
    /// An f-string: literal parts are [`Expr::Str`].
    Format(List),
    /// `(name := value)`
    Walrus(Symbol, ExprId),
}
