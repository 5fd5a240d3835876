//! Environment keys: where the program reads and writes them, through aliases and one level of helpers, and which of
//! them are compared across ranks before anything starts.

use std::ops::Range;
use std::sync::LazyLock;

use globset::{Glob, GlobSet, GlobSetBuilder};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::model::{
    CompareOp, Constant, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_expression, each_statement,
    expressions_of,
};

use super::bindings::Binding;
use super::context::each_in_context;
use super::parity::{self, ParityCheck};
use super::program::Program;
use super::resolve::{Scope, Target};

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// All of it.
    Whole(String),
    /// Its beginning.
    Prefix(String),
    /// Nothing.
    Unknown,
}

impl Key {
    /// The key, when all of it is known.
    pub fn whole(&self) -> Option<&str> {
        match self {
            Key::Whole(text) => Some(text),
            _ => None,
        }
    }

    /// What is known of its beginning.
    pub fn prefix(&self) -> Option<&str> {
        match self {
            Key::Whole(text) | Key::Prefix(text) => Some(text),
            Key::Unknown => None,
        }
    }
}

/// What is done with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its value is read.
    Read,
    /// Its presence is asked for.
    Test,
    /// It is set, to that value where the source shows one.
    Write(Option<ExprId>),
    /// It is removed.
    Remove,
}

/// One access to the environment.
#[derive(Clone, Debug)]
pub struct Access {
    /// The file.
    pub file: FileId,
    /// The function in whose body it stands.
    pub function: LocalFunction,
    /// Where.
    pub span: Span,
    /// The key.
    pub key: Key,
    /// The key as an expression; for a keyword argument, its value.
    pub key_expr: ExprId,
    /// What is done.
    pub action: Action,
    /// Whether it stands in a loop of its function.
    pub in_loop: bool,
    /// The conditions it stands under, see [`super::Context`].
    pub conditions: Box<[ExprId]>,
    /// The helper that does it, when the key is handed to one.
    pub through: Option<FunctionId>,
}

impl Access {
    /// Whether the value or presence of the key is learnt.
    pub fn is_read(&self) -> bool {
        matches!(self.action, Action::Read | Action::Test)
    }

    /// Where it stands.
    pub fn site(&self) -> Site {
        Site { file: self.file, span: self.span }
    }
}

/// Every access of a program, and its parity checks.
#[derive(Debug, Default)]
pub struct EnvironmentReads {
    accesses: Vec<Access>,
    by_file: Vec<Range<usize>>,
    test_keys: GlobSet,
    test_heads: Vec<String>,
    checked: GlobSet,
    checked_keys: FxHashSet<String>,
    checks: Vec<ParityCheck>,
    checkers: FxHashSet<FunctionId>,
}

impl EnvironmentReads {
    /// Reads the whole program.
    pub fn of(program: &Program) -> EnvironmentReads {
        let patterns = &program.facts.test_keys;
        let head = |pattern: &String| pattern.split(['*', '?', '[', '{']).next().unwrap_or_default().to_owned();
        let mut out = EnvironmentReads {
            test_keys: globs(patterns),
            test_heads: patterns.iter().map(head).collect(),
            ..Default::default()
        };
        let mut accesses = Vec::new();
        for file in program.file_ids() {
            direct(program, file, &mut accesses);
        }
        through_helpers(program, &mut accesses);
        accesses.sort_by_key(|access| (access.file, access.span.start, access.span.end));
        out.accesses = accesses;
        let mut start = 0;
        for file in program.file_ids() {
            let length = out.accesses[start..].partition_point(|access| access.file == file);
            out.by_file.push(start..start + length);
            start += length;
        }
        let found = parity::checks(program, &out);
        let mut patterns = program.facts.parity_keys.clone();
        for check in &found.checks {
            for key in &check.keys {
                match key.contains('*') {
                    true => patterns.push(key.clone()),
                    false => drop(out.checked_keys.insert(key.clone())),
                }
            }
        }
        out.checked = globs(&patterns);
        out.checks = found.checks;
        out.checkers = found.checkers;
        out
    }

    /// The accesses of a file, in source order.
    pub fn in_file(&self, file: FileId) -> &[Access] {
        self.by_file.get(file.index()).map_or(&[], |range| &self.accesses[range.clone()])
    }

    /// Whether only tests set this key, by the project's patterns.
    pub fn is_test_key(&self, key: &str) -> bool {
        self.test_keys.is_match(key)
    }

    /// Whether a text may spell a test key; a cheap question to ask first.
    pub fn may_name_test_keys(&self, text: &str) -> bool {
        self.test_heads.iter().any(|head| memchr::memmem::find(text.as_bytes(), head.as_bytes()).is_some())
    }

    /// Whether every key that begins so may be a test key: `SCOPE_TEST_` of `f"SCOPE_TEST_{name}"`.
    pub fn is_test_prefix(&self, prefix: &str) -> bool {
        !prefix.is_empty() && self.test_keys.is_match(format!("{prefix}X"))
    }

    /// Whether the key is compared across ranks, in the source or by declaration.
    pub fn is_parity_checked(&self, key: &str) -> bool {
        self.checked_keys.contains(key) || self.checked.is_match(key)
    }

    /// Whether the function takes part in comparing keys across ranks.
    pub fn is_checker(&self, function: FunctionId) -> bool {
        self.checkers.contains(&function)
    }

    /// The parity checks found in the source.
    pub fn checks(&self) -> &[ParityCheck] {
        &self.checks
    }
}

fn globs(patterns: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        builder.add(glob);
    }
    builder.build().unwrap_or_default()
}

struct Names {
    environ: Symbol,
    getenv: Symbol,
    others: FxHashSet<Symbol>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    environ: Symbol::new("environ"),
    getenv: Symbol::new("getenv"),
    others: ["environb", "putenv", "unsetenv"].map(Symbol::new).into_iter().collect(),
});

/// Whether the file speaks of the environment at all.
fn mentions_environment(model: &File) -> bool {
    let names = &*NAMES;
    let known = |name: Symbol| name == names.environ || name == names.getenv || names.others.contains(&name);
    (0..model.expr_count() as u32).any(|id| match model.expr(ExprId(id)) {
        Expr::Name(name) | Expr::Attribute { name, .. } => known(name),
        _ => false,
    }) || model.imports.iter().any(|(_, import)| import.from && import.names.iter().any(|alias| known(alias.name)))
}

/// Whether an expression is the environment itself, under whatever name.
pub(super) fn is_environment(program: &Program, file: FileId, function: LocalFunction, expr: ExprId) -> bool {
    environment_within(program, file, function, expr, 4)
}

fn environment_within(program: &Program, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    let model = &program.file(file).model;
    match program.target(file, function, expr) {
        Some(Target::External(dotted)) => matches!(dotted.as_str(), "os.environ" | "os.environb"),
        Some(Target::Variable(owner, name)) => match program.bindings[owner.index()].get(name) {
            Some(Binding::Variable { values, other_writes: false }) if values.len() == 1 => {
                environment_within(program, owner, LocalFunction(0), values[0], fuel)
            }
            _ => false,
        },
        Some(_) => false,
        None => match model.expr(expr) {
            Expr::Name(name) => match program.scope_of(file, function, name) {
                Scope::Local(owner) => program
                    .single_assignment(file, owner, name)
                    .is_some_and(|value| environment_within(program, file, owner, value, fuel)),
                Scope::Global => false,
            },
            _ => false,
        },
    }
}

/// The accesses that a file makes itself.
fn direct(program: &Program, file: FileId, out: &mut Vec<Access>) {
    let model = &program.file(file).model;
    if !mentions_environment(model) {
        return;
    }
    let spellings = spellings(model);
    for (index, body) in model.functions.iter().enumerate() {
        if body.kind == FunctionKind::Lambda || body.skeleton {
            continue;
        }
        let function = LocalFunction(index as u32);
        let reader = Reader { program, model, file, function, spellings: &spellings };
        each_in_context(model, function, &mut |_, stmt, context| {
            let from = out.len();
            reader.statement(stmt, out);
            for access in &mut out[from..] {
                access.in_loop = context.in_loop;
                access.conditions = context.conditions.into();
            }
        });
    }
}

/// Every name under which the file may speak of the environment.
fn spellings(model: &File) -> FxHashSet<Symbol> {
    let known = ["environ", "environb"].map(Symbol::new);
    let imported = model.imports.iter().filter(|(_, import)| import.from).flat_map(|(_, import)| &import.names);
    let mut out: FxHashSet<Symbol> =
        imported.filter(|alias| known.contains(&alias.name)).filter_map(|alias| alias.alias).chain(known).collect();
    for function in &model.functions {
        each_statement(model, function.body, &mut |_, stmt| {
            if let Stmt::Assign { targets, value } = stmt
                && let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(*value)
                && known.contains(&name)
            {
                let names = model.list(*targets).iter().filter_map(|&target| match model.expr(target) {
                    Expr::Name(name) => Some(name),
                    _ => None,
                });
                out.extend(names);
            }
        });
    }
    out
}

struct Reader<'a> {
    program: &'a Program,
    model: &'a File,
    file: FileId,
    function: LocalFunction,
    spellings: &'a FxHashSet<Symbol>,
}

impl Reader<'_> {
    fn statement(&self, stmt: &Stmt, out: &mut Vec<Access>) {
        let mut written: Vec<(ExprId, Option<ExprId>)> = Vec::new();
        let mut removed: Vec<ExprId> = Vec::new();
        let mut dropped = None;
        match stmt {
            Stmt::Assign { targets, value } => {
                written.extend(self.model.list(*targets).iter().map(|&target| (target, Some(*value))));
            }
            Stmt::AugAssign { target, value, .. } => {
                if self.is_environment(*target) {
                    self.pairs(*value, out);
                }
                written.push((*target, None));
            }
            Stmt::Delete(targets) => removed.extend(self.model.list(*targets)),
            Stmt::Expr(value) => dropped = Some(*value),
            _ => {}
        }
        for root in expressions_of(self.model, stmt) {
            each_expression(self.model, root, &mut |id, expr| match expr {
                Expr::Subscript(object, key) if self.is_environment(object) => {
                    let action = match written.iter().find(|(target, _)| *target == id) {
                        Some((_, value)) => Action::Write(*value),
                        None if removed.contains(&id) => Action::Remove,
                        None => Action::Read,
                    };
                    self.push(id, key, action, out);
                }
                Expr::Compare(CompareOp::In | CompareOp::NotIn, key, object) if self.is_environment(object) => {
                    self.push(id, key, Action::Test, out);
                }
                Expr::Call(index) => self.call(id, index, dropped == Some(id), out),
                _ => {}
            });
        }
    }

    fn is_environment(&self, expr: ExprId) -> bool {
        let named = match self.model.expr(expr) {
            Expr::Name(name) | Expr::Attribute { name, .. } => self.spellings.contains(&name),
            _ => false,
        };
        named && is_environment(self.program, self.file, self.function, expr)
    }

    fn call(&self, id: ExprId, index: u32, dropped: bool, out: &mut Vec<Access>) {
        let call = self.model.call(index);
        let args = self.model.list(call.args);
        let (key, value) = (args.first().copied(), args.get(1).copied());
        if let Expr::Attribute { value: object, name } = self.model.expr(call.callee)
            && let Some(action) = method_action(name.as_str(), value, dropped)
            && self.is_environment(object)
        {
            match (name.as_str(), key) {
                ("update", _) => {
                    args.iter().for_each(|&arg| self.pairs(arg, out));
                    for keyword in self.model.keywords(call) {
                        if let Some(key) = keyword.name {
                            let action = Action::Write(Some(keyword.value));
                            out.push(self.access(id, Key::Whole(key.to_string()), keyword.value, action));
                        }
                    }
                }
                (_, Some(key)) => self.push(id, key, action, out),
                _ => {}
            }
            return;
        }
        let Some(key) = key.or_else(|| self.model.keywords(call).first().map(|keyword| keyword.value)) else { return };
        let names = &*NAMES;
        let maybe = match self.model.expr(call.callee) {
            Expr::Name(_) => true,
            Expr::Attribute { name, .. } => name == names.getenv || names.others.contains(&name),
            _ => false,
        };
        if !maybe {
            return;
        }
        let Some(Target::External(dotted)) = self.program.target(self.file, self.function, call.callee) else { return };
        match dotted.as_str() {
            "os.getenv" | "os.getenvb" => self.push(id, key, Action::Read, out),
            "os.putenv" => self.push(id, key, Action::Write(value), out),
            "os.unsetenv" => self.push(id, key, Action::Remove, out),
            _ => {}
        }
    }

    /// `{"KEY": value}` handed to `os.environ.update`.
    fn pairs(&self, dict: ExprId, out: &mut Vec<Access>) {
        if let Expr::Dict(parts) = self.model.expr(dict) {
            for pair in self.model.list(parts).chunks_exact(2) {
                if self.model.expr(pair[0]) != Expr::Missing {
                    self.push(pair[0], pair[0], Action::Write(Some(pair[1])), out);
                }
            }
        }
    }

    fn push(&self, at: ExprId, key: ExprId, action: Action, out: &mut Vec<Access>) {
        let known = match self.program.constant(self.file, self.function, key) {
            Some(Constant::Str(text)) => Key::Whole(text),
            Some(Constant::Prefix(text)) => Key::Prefix(text),
            _ => Key::Unknown,
        };
        out.push(self.access(at, known, key, action));
    }

    fn access(&self, at: ExprId, key: Key, key_expr: ExprId, action: Action) -> Access {
        Access {
            file: self.file,
            function: self.function,
            span: self.model.span(at),
            key,
            key_expr,
            action,
            in_loop: false,
            conditions: Box::default(),
            through: None,
        }
    }
}

fn method_action(name: &str, value: Option<ExprId>, dropped: bool) -> Option<Action> {
    match name {
        "get" | "__getitem__" => Some(Action::Read),
        "pop" if dropped => Some(Action::Remove),
        "pop" => Some(Action::Read),
        "__delitem__" => Some(Action::Remove),
        "__contains__" => Some(Action::Test),
        "setdefault" | "__setitem__" | "update" => Some(Action::Write(value)),
        _ => None,
    }
}

/// A function that reads the key it is given: `prefix` + parameter + `suffix`.
struct Helper {
    position: usize,
    parameter: Symbol,
    prefix: String,
    suffix: String,
    action: Action,
}

/// Names so common that a helper of that name is not looked for.
const COMMON: [&str; 4] = ["get", "pop", "__getitem__", "__contains__"];

fn through_helpers(program: &Program, accesses: &mut Vec<Access>) {
    let mut helpers: FxHashMap<FunctionId, Helper> = FxHashMap::default();
    for access in accesses.iter().filter(|access| access.is_read()) {
        let model = &program.file(access.file).model;
        let function = model.function(access.function);
        if COMMON.contains(&function.name.as_str()) {
            continue;
        }
        let Some((prefix, parameter, suffix)) = template(model, access.key_expr) else { continue };
        let Some(position) = function.parameters.iter().position(|one| one.name == parameter) else { continue };
        let bound = function.class.is_some()
            && function.parameters.first().is_some_and(|first| matches!(first.name.as_str(), "self" | "cls"));
        let position = position.saturating_sub(usize::from(bound));
        let id = program.function_id(access.file, access.function);
        helpers.entry(id).or_insert(Helper { position, parameter, prefix, suffix, action: access.action });
    }
    if helpers.is_empty() {
        return;
    }
    let names: FxHashSet<Symbol> = helpers.keys().map(|&id| program.function(id).name).collect();
    for file in program.file_ids() {
        helper_calls(program, file, &helpers, &names, accesses);
    }
}

/// `name`, `"PREFIX_" + name`, `f"PREFIX_{name}_SUFFIX"`, `name.upper()`: what stands before the name, the name, what stands after it.
fn template(model: &File, key: ExprId) -> Option<(String, Symbol, String)> {
    let text = |expr: ExprId| match model.expr(expr) {
        Expr::Str(text) => Some(text.as_str().to_owned()),
        _ => None,
    };
    match model.expr(key) {
        Expr::Name(name) => Some((String::new(), name, String::new())),
        Expr::Binary(crate::model::BinaryOp::Add, left, right) => match (text(left), text(right)) {
            (Some(prefix), None) => template(model, right).map(|(more, name, suffix)| (prefix + &more, name, suffix)),
            (None, Some(suffix)) => template(model, left).map(|(prefix, name, more)| (prefix, name, more + &suffix)),
            _ => None,
        },
        Expr::Format(parts) => {
            let (mut prefix, mut suffix, mut found) = (String::new(), String::new(), None);
            for &part in model.list(parts) {
                match (text(part), found) {
                    (Some(text), None) => prefix += &text,
                    (Some(text), Some(_)) => suffix += &text,
                    (None, None) => found = Some(template(model, part)?.1),
                    (None, Some(_)) => return None,
                }
            }
            Some((prefix, found?, suffix))
        }
        Expr::Call(index) => match model.expr(model.call(index).callee) {
            Expr::Attribute { value, name } if name.as_str() == "upper" => template(model, value),
            _ => None,
        },
        _ => None,
    }
}

fn helper_calls(
    program: &Program,
    file: FileId,
    helpers: &FxHashMap<FunctionId, Helper>,
    names: &FxHashSet<Symbol>,
    out: &mut Vec<Access>,
) {
    let model = &program.file(file).model;
    let renamed = |name: Symbol| {
        let mut aliases = model.imports.iter().flat_map(|(_, import)| &import.names);
        aliases.any(|alias| alias.alias == Some(name) && names.contains(&alias.name))
    };
    let wanted = |callee: ExprId| match model.expr(callee) {
        Expr::Name(name) => names.contains(&name) || renamed(name),
        Expr::Attribute { name, .. } => names.contains(&name),
        _ => false,
    };
    let any = (0..model.expr_count() as u32).any(|id| match model.expr(ExprId(id)) {
        Expr::Call(index) => wanted(model.call(index).callee),
        _ => false,
    });
    if !any {
        return;
    }
    for (index, body) in model.functions.iter().enumerate() {
        if body.kind == FunctionKind::Lambda || body.skeleton {
            continue;
        }
        let function = LocalFunction(index as u32);
        each_in_context(model, function, &mut |_, stmt, context| {
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |id, expr| {
                    let Expr::Call(index) = expr else { return };
                    let call = model.call(index);
                    if !wanted(call.callee) {
                        return;
                    }
                    let Some(target) = called(program, file, function, call.callee) else { return };
                    let Some(helper) = helpers.get(&target) else { return };
                    let named = model.keywords(call).iter().find(|keyword| keyword.name == Some(helper.parameter));
                    let given = named.map(|keyword| keyword.value);
                    let Some(key) = given.or_else(|| model.list(call.args).get(helper.position).copied()) else {
                        return;
                    };
                    let (prefix, suffix) = (&helper.prefix, &helper.suffix);
                    let known = match program.constant(file, function, key) {
                        Some(Constant::Str(text)) => Key::Whole(format!("{prefix}{text}{suffix}")),
                        Some(Constant::Prefix(text)) => Key::Prefix(format!("{prefix}{text}")),
                        _ if !prefix.is_empty() => Key::Prefix(prefix.clone()),
                        _ => Key::Unknown,
                    };
                    out.push(Access {
                        file,
                        function,
                        span: model.span(id),
                        key: known,
                        key_expr: key,
                        action: helper.action,
                        in_loop: context.in_loop,
                        conditions: context.conditions.into(),
                        through: Some(target),
                    });
                });
            }
        });
    }
}

/// The program's function that a call runs: by name, or `self.method` of the same class.
pub(super) fn called(program: &Program, file: FileId, function: LocalFunction, callee: ExprId) -> Option<FunctionId> {
    let model = &program.file(file).model;
    if let Some(Target::Function(found)) = program.target(file, function, callee) {
        return Some(found);
    }
    let Expr::Attribute { value, name } = model.expr(callee) else { return None };
    let Expr::Name(object) = model.expr(value) else { return None };
    if !matches!(object.as_str(), "self" | "cls") {
        return None;
    }
    let mut at = Some(function);
    while let Some(id) = at {
        if let Some(class) = model.function(id).class {
            return program.method(program.class_id(file, class), name);
        }
        at = model.function(id).parent;
    }
    None
}
