//! The compact tree of one file: arenas of expressions and statements, addressed by typed indices.
//!
//! A [`File`] knows names, not what they mean: resolution is `graph`'s. It holds no reference to the source text.

use crate::base::{Span, Symbol};

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
    keywords: u32,
    keyword_count: u32,
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
    /// An integer that fits 64 bits.
    Int(i64),
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
    /// `then if test else otherwise`
    IfElse {
        /// The condition.
        test: ExprId,
        /// Value when it holds.
        then: ExprId,
        /// Value when it does not.
        otherwise: ExprId,
    },
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
        items: Vec<WithItem>,
        /// The body.
        body: Block,
    },
    /// `match`
    Match {
        /// What is matched.
        subject: ExprId,
        /// The cases in order.
        cases: Vec<Case>,
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
    Outer(Vec<Symbol>),
    /// A function definition.
    Function(LocalFunction),
    /// A class definition.
    Class(LocalClass),
    /// An import.
    Import(Import),
}

/// How a parameter takes its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position or by name.
    Normal,
    /// By name only.
    KeywordOnly,
    /// `*args`
    Positionals,
    /// `**kwargs`
    Keywords,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Symbol,
    /// How it takes its argument.
    pub kind: ParameterKind,
    /// Its default.
    pub default: Option<ExprId>,
    /// Its annotation.
    pub annotation: Option<ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// What sort of body a [`Function`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The module's own statements.
    Module,
    /// The statements of a class body.
    ClassBody,
    /// `def`
    Def,
    /// `lambda`
    Lambda,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// It is returned.
    Return,
    /// It is assigned to a name of this function.
    Name(Symbol),
    /// It is assigned to an attribute, of whatever object.
    Attribute(Symbol),
}

/// A value that goes somewhere, as the names it mentions: a range of [`Function::mentions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Where it goes.
    pub to: Sink,
    /// First of the names that the value mentions.
    pub start: u32,
    /// After the last of them.
    pub end: u32,
    /// The innermost condition it stands under: an index into [`Function::guards`] plus one, 0 for none.
    pub guard: u32,
}

/// A condition, as the names it mentions, and the condition around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// First of the names that it mentions.
    pub start: u32,
    /// After the last of them.
    pub end: u32,
    /// The condition around it, counted as [`Flow::guard`] is.
    pub around: u32,
    /// After the last name mentioned in what it decides about.
    pub until: u32,
    /// Whether something that it decides about leaves a block, or may end the process.
    pub exits: bool,
}

/// A name or attribute that is called, or handed to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee {
    /// The expression.
    pub expr: ExprId,
    /// Where its last name stands in [`Function::mentions`].
    pub at: u32,
}

/// A function, or another body that is run as one.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; `<module>`, `<lambda>` and a class's name for the other kinds.
    pub name: Symbol,
    /// What sort of body it is.
    pub kind: FunctionKind,
    /// The function whose body defines it (a class body counts as one); absent for the module.
    pub parent: Option<LocalFunction>,
    /// The class it is a method of, or whose body it is.
    pub class: Option<LocalClass>,
    /// Its parameters in order of declaration.
    pub parameters: Vec<Parameter>,
    /// Its decorators, outermost first.
    pub decorators: List,
    /// The annotation of its result.
    pub returns: Option<ExprId>,
    /// Its statements.
    pub body: Block,
    /// Whether it is `async def`.
    pub is_async: bool,
    /// Whether it yields.
    pub is_generator: bool,
    /// Names that its body binds, parameters included, less `global` and `nonlocal` ones; sorted by text.
    pub locals: Vec<Symbol>,
    /// The whole definition.
    pub span: Span,
    /// Its name in the definition.
    pub name_span: Span,
    /// Every name and attribute that its body mentions, in order; those of nested functions are their own.
    pub mentions: Vec<Symbol>,
    /// Where values go.
    pub flows: Vec<Flow>,
    /// The conditions of its statements and conditional expressions.
    pub guards: Vec<Guard>,
    /// The names that the arguments of each call mention: ranges of [`Function::mentions`].
    pub arguments: Vec<(u32, u32)>,
    /// What it calls, and the names it hands to those calls: each may be a function that runs.
    pub callees: Vec<Callee>,
    /// Whether only its calls were lowered, see [`super::Detail::Skeleton`].
    pub skeleton: bool,
}

impl Function {
    /// Whether the name is one of its own variables.
    pub fn binds(&self, name: Symbol) -> bool {
        // Comparing addresses one after the other beats comparing texts, up to a point.
        match self.locals.len() {
            0..64 => self.locals.contains(&name),
            _ => self.locals.binary_search_by_key(&name.as_str(), |local| local.as_str()).is_ok(),
        }
    }
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: Symbol,
    /// The function (or class body, or module) whose body defines it.
    pub parent: LocalFunction,
    /// Its bases.
    pub bases: List,
    /// Its decorators, outermost first.
    pub decorators: List,
    /// Its body as a function of no parameters.
    pub body: LocalFunction,
    /// Its methods in order of definition; a later one of the same name replaces an earlier one.
    pub methods: Vec<(Symbol, LocalFunction)>,
    /// The whole definition.
    pub span: Span,
}

/// One file, lowered.
#[derive(Clone, Debug, Default)]
pub struct File {
    exprs: Vec<Expr>,
    spans: Vec<Span>,
    lists: Vec<ExprId>,
    calls: Vec<Call>,
    keywords: Vec<Keyword>,
    comprehensions: Vec<Comprehension>,
    stmts: Vec<Stmt>,
    stmt_spans: Vec<Span>,
    blocks: Vec<StmtId>,
    /// Functions in order of definition; the first is the module's body.
    pub functions: Vec<Function>,
    /// Classes in order of definition.
    pub classes: Vec<Class>,
    /// Comments in order that mention ranklint, for suppressions.
    pub comments: Vec<Comment>,
    /// The module's `__all__`-less public surface is every top-level name; imports anywhere in the file, in order.
    pub imports: Vec<(LocalFunction, Import)>,
}

impl File {
    /// The expression behind `id`.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.0 as usize]
    }

    /// Where the expression stands.
    pub fn span(&self, id: ExprId) -> Span {
        self.spans[id.0 as usize]
    }

    /// The expressions of a list.
    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..(list.start + list.len) as usize]
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
        self.stmt_spans[id.0 as usize]
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

    pub(super) fn push_expr(&mut self, expr: Expr, span: Span) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(expr);
        self.spans.push(span);
        id
    }

    pub(super) fn push_list(&mut self, items: &[ExprId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        List { start, len: items.len() as u32 }
    }

    pub(super) fn push_call(&mut self, callee: ExprId, args: List, keywords: &[Keyword]) -> u32 {
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
        self.spans.shrink_to_fit();
        self.lists.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.keywords.shrink_to_fit();
        self.stmts.shrink_to_fit();
        self.stmt_spans.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.functions.shrink_to_fit();
    }
}
