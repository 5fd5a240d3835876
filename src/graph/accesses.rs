//! Finds the accesses to the environment: in each file, under whatever name `os.environ` goes there.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Symbol};
use crate::model::{
    CompareOp, Constant, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_expression, each_statement,
    expressions_of,
};

use super::bindings::Binding;
use super::context::each_in_context;
use super::environment::{Access, Action, Key};
use super::program::Program;
use super::resolve::{Scope, Target};

/// The names by which a file speaks of the environment, unless it gives them others.
static NAMES: LazyLock<FxHashSet<Symbol>> =
    LazyLock::new(|| ["environ", "environb"].into_iter().chain(FUNCTIONS).map(Symbol::new).collect());

const FUNCTIONS: [&str; 3] = ["getenv", "putenv", "unsetenv"];

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
pub(super) fn direct(program: &Program, file: FileId, out: &mut Vec<Access>) {
    let model = &program.file(file).model;
    if !model.names().may_hold_any(&*NAMES) {
        return;
    }
    let spellings = spellings(model);
    let speaks = speakers(model, &spellings);
    for (index, body) in model.functions.iter().enumerate() {
        if body.kind == FunctionKind::Lambda || body.skeleton || !speaks[index] {
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
    let known = &*NAMES;
    let imported = model.imports.iter().filter(|(_, import)| import.from).flat_map(|(_, import)| &import.names);
    let mut out = known.clone();
    out.extend(imported.filter(|alias| known.contains(&alias.name)).filter_map(|alias| alias.alias));
    for function in model.functions.iter().filter(|function| function.mentions.iter().any(|name| known.contains(name)))
    {
        each_statement(model, function.body, &mut |_, stmt| {
            if let Some((targets, value)) = model.assigned(stmt)
                && let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(value)
                && known.contains(&name)
            {
                let names = targets.iter().filter_map(|&target| match model.expr(target) {
                    Expr::Name(name) => Some(name),
                    _ => None,
                });
                out.extend(names);
            }
        });
    }
    out
}

/// The functions whose statements mention one of the names; lambdas stand in the statements of their homes.
fn speakers(model: &File, spellings: &FxHashSet<Symbol>) -> Vec<bool> {
    let mut out = vec![false; model.functions.len()];
    for (index, function) in model.functions.iter().enumerate() {
        if function.mentions.iter().any(|name| spellings.contains(name)) {
            out[model.home(LocalFunction(index as u32)).0 as usize] = true;
        }
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
                Expr::Comprehension(index) => self.sifted(index, out),
                _ => {}
            });
        }
    }

    /// `{key: value for key, value in os.environ.items() if key.startswith("PREFIX_")}` reads all keys that begin so.
    fn sifted(&self, index: u32, out: &mut Vec<Access>) {
        for clause in &self.model.comprehension(index).clauses {
            let mut whole = false;
            each_expression(self.model, clause.iter, &mut |id, _| whole |= self.is_environment(id));
            if !whole {
                continue;
            }
            for &condition in self.model.list(clause.conditions) {
                let Expr::Call(index) = self.model.expr(condition) else { continue };
                let call = self.model.call(index);
                let begins = matches!(self.model.expr(call.callee), Expr::Attribute { name, .. } if name.as_str() == "startswith");
                if let (true, Some(&prefix)) = (begins, self.model.list(call.args).first())
                    && let Some(Constant::Str(text)) = self.program.constant(self.file, self.function, prefix)
                {
                    out.push(self.access(condition, Key::Prefix(text), prefix, Action::Read));
                }
            }
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
        let maybe = match self.model.expr(call.callee) {
            Expr::Name(_) => true,
            Expr::Attribute { name, .. } => NAMES.contains(&name),
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
