//! Statements, with the parts of imports, handlers, contexts and cases.

use super::{BinaryOp, Block, ExprId, List, LocalClass, LocalFunction};
use crate::base::{Span, Symbol};

/// What an `import` statement binds.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The module named after `from`, or absent for `import a` and `from . import a`.
    pub module: Option<Symbol>,
    /// How many leading dots.
    pub level: u32,
    /// Whether it is a `from` import.
    pub from: bool,
    /// Imported names.
    pub names: Vec<Alias>,
}

/// One name of an import.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alias {
    /// The dotted name (`import a.b`) or the name within the module; `*` for all.
    pub name: Symbol,
    /// The name it is bound to when `as` is used.
    pub alias: Option<Symbol>,
    /// Where it stands.
    pub span: Span,
}

/// One `except` clause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handler {
    /// The exception types; absent for a bare `except:`.
    pub kind: Option<ExprId>,
    /// The name the exception is bound to.
    pub name: Option<Symbol>,
    /// What it does.
    pub body: Block,
    /// The `except …:` line.
    pub span: Span,
}

/// `try` with its clauses.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    /// The protected statements.
    pub body: Block,
    /// The handlers in order.
    pub handlers: Vec<Handler>,
    /// Run when nothing was raised.
    pub orelse: Block,
    /// Run in any case.
    pub finally: Block,
}

/// One `context as target` of a `with` statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithItem {
    /// The context manager.
    pub context: ExprId,
    /// What its value is bound to.
    pub target: Option<ExprId>,
}

/// One `case`: the test that its pattern amounts to, names it binds, its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Whether the pattern matches, as an expression over the subject; [`Expr::Missing`] where that cannot be said.
    pub test: ExprId,
    /// Names the pattern binds.
    pub bindings: Vec<Symbol>,
    /// Whether it matches everything.
    pub irrefutable: bool,
    /// What it does.
    pub body: Block,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// An expression evaluated for its effect.
    Expr(ExprId),
    /// `target = … = value`
    Assign {
        /// Targets from left to right.
        targets: List,
        /// What is assigned.
        value: ExprId,
    },
    /// `target op= value`
    AugAssign {
        /// The target, which is read as well.
        target: ExprId,
        /// The operator.
        op: BinaryOp,
        /// The right side.
        value: ExprId,
    },
    /// `target: annotation = value`
    Annotated {
        /// The target.
        target: ExprId,
        /// The annotation.
        annotation: ExprId,
        /// The value, if any.
        value: Option<ExprId>,
    },
    /// `return value`
    Return(Option<ExprId>),
    /// `if`; `elif` is a nested `if` in `orelse`.
    If {
        /// The condition.
        test: ExprId,
        /// Run when it holds.
        body: Block,
        /// Run when it does not.
        orelse: Block,
    },
    /// `while`
    While {
        /// The condition.
        test: ExprId,
        /// The body.
        body: Block,
        /// Run unless left by `break`.
        orelse: Block,
    },
    /// `for`
    For {
        /// What is bound.
        target: ExprId,
        /// What is iterated.
        iter: ExprId,
        /// The body.
        body: Block,
        /// Run unless left by `break`.
        orelse: Block,
    },
    /// `with`
    With {
        /// The context managers, outermost first.
        items: Box<[WithItem]>,
        /// The body.
        body: Block,
    },
    /// `match`
    Match {
        /// What is matched.
        subject: ExprId,
        /// The cases in order.
        cases: Box<[Case]>,
    },
    /// `try`
    Try(Box<Try>),
    /// `raise exception`
    Raise(Option<ExprId>),
    /// `assert test`
    Assert(ExprId),
    /// `del targets`
    Delete(List),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `global` and `nonlocal`
    Outer(Box<[Symbol]>),
    /// A function definition.
    Function(LocalFunction),
    /// A class definition.
    Class(LocalClass),
    /// An import.
    Import(Box<Import>),
}
