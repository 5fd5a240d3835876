//! Flags that signal handlers set, and where they are asked for.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::communication::{Communication, Wanted, argument, class_around};
use super::super::conduct::bodies;
use super::super::helpers::called;
use super::super::program::Program;
use super::super::resolve::Scope;
use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, StmtId, UnaryOp, each_call, each_statement};

/// First parameters of handlers, as everybody writes them.
const NUMBERS: [&str; 8] = ["signum", "signo", "sig", "sig_num", "signal_num", "signal_number", "sig_number", "signal"];

/// Parts of names of flags that are a signal's, whatever object has them.
const WORDS: [&str; 5] = ["sig", "interrupt", "preempt", "terminat", "kill"];

/// Where a flag is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kept {
    /// `x.flag`, on whatever object.
    Attribute(Symbol),
    /// A variable of a module, or of the function around the handler.
    Variable(Symbol),
    /// `flags["stop"]`: an entry of such a variable.
    Entry(Symbol, Symbol),
}

impl Kept {
    /// What the flag is called.
    pub fn name(self) -> Symbol {
        match self {
            Kept::Attribute(name) | Kept::Variable(name) | Kept::Entry(_, name) => name,
        }
    }

    /// The name that whoever asks for it must mention.
    fn mentioned(self) -> Symbol {
        match self {
            Kept::Attribute(name) | Kept::Variable(name) | Kept::Entry(name, _) => name,
        }
    }
}

/// A flag and where a handler sets it.
#[derive(Clone, Copy)]
pub(super) struct Flag {
    pub set: Site,
    /// The function that sets it.
    pub handler: FunctionId,
    /// The variable that holds the object it is an attribute of.
    object: Option<Symbol>,
    /// The method of another class that says whether it is set.
    told_by: Option<FunctionId>,
}

/// What signal handlers set.
#[derive(Default)]
pub(super) struct Flags {
    known: FxHashMap<Kept, Vec<Flag>>,
    mentioned: FxHashSet<Symbol>,
}

impl Flags {
    /// The flags that signal handlers set, where no handler communicates itself.
    pub fn of(program: &Program, communication: &mut Communication<'_>) -> Flags {
        let mut flags = Flags::default();
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        for handler in handlers(program) {
            if !seen.insert(handler) || communication.issue_of(handler, Wanted::Any).is_some() {
                continue;
            }
            let (file, function) = program.locate(handler);
            let model = &program.file(file).model;
            each_statement(model, model.function(function).body, &mut |id, stmt| {
                let set = Site { file, span: model.stmt_span(id) };
                for (kept, object) in set_by(program, file, function, stmt) {
                    flags.add(kept, Flag { set, handler, object, told_by: None });
                }
            });
        }
        for (name, flag) in flags.answering(program) {
            flags.add(Kept::Attribute(name), flag);
        }
        for (name, flag) in flags.passed_on(communication) {
            flags.add(Kept::Attribute(name), flag);
        }
        flags
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn add(&mut self, kept: Kept, flag: Flag) {
        self.mentioned.insert(kept.mentioned());
        self.known.entry(kept).or_default().push(flag);
    }

    /// Whether one of the names is that of a flag.
    pub fn are_mentioned(&self, names: &[Symbol]) -> bool {
        names.iter().any(|name| self.mentioned.contains(name))
    }

    /// The flag that decides a test by itself: its truth leads to `truth`.
    pub fn asked_for(
        &self,
        communication: &mut Communication<'_>,
        (file, function): (FileId, LocalFunction),
        test: ExprId,
        truth: bool,
    ) -> Option<(Kept, Flag)> {
        let model = &communication.program().file(file).model;
        match model.expr(test) {
            Expr::Unary(UnaryOp::Not, inner) => self.asked_for(communication, (file, function), inner, !truth),
            Expr::And(parts) | Expr::Or(parts) => {
                let mut parts = model.list(parts).iter();
                parts.find_map(|&part| self.asked_for(communication, (file, function), part, truth))
            }
            _ if !truth => None,
            _ => {
                let kept = kept_in(model, test)?;
                let flags = self.known.get(&kept)?.iter();
                let mut own = flags.filter(|flag| is_the_flag(communication, (file, function), test, kept, **flag));
                own.next().map(|&flag| (kept, flag))
            }
        }
    }

    /// Methods that do nothing but say whether the flag of their own class is set.
    fn answering(&self, program: &Program) -> Vec<(Symbol, Flag)> {
        let mut out = Vec::new();
        let mut known: Vec<(Symbol, Flag)> = Vec::new();
        for (kept, flags) in &self.known {
            if let Kept::Attribute(name) = kept {
                known.extend(flags.iter().map(|&flag| (*name, flag)));
            }
        }
        known.sort_by_key(|(_, flag)| (flag.set.file.index(), flag.set.span.start));
        for (said, flag) in known {
            let (file, handler) = program.locate(flag.handler);
            let model = &program.file(file).model;
            let Some(class) = class_around(program, file, handler) else { continue };
            for &(name, method) in &program.class(class).methods {
                if let Some(value) = only_answer(model, method)
                    && kept_in(model, value) == Some(Kept::Attribute(said))
                    && !self.known.contains_key(&Kept::Attribute(name))
                {
                    out.push((name, flag));
                }
            }
        }
        out
    }

    /// Methods of other classes that do nothing but say whether the flag is set: `return self.guard.requested`.
    fn passed_on(&self, communication: &mut Communication<'_>) -> Vec<(Symbol, Flag)> {
        let program = communication.program();
        let mut out = Vec::new();
        if self.is_empty() {
            return out;
        }
        for (file, local) in bodies(program) {
            let model = &program.file(file).model;
            let definition = model.function(local);
            if definition.class.is_none() || !self.are_mentioned(&definition.mentions) {
                continue;
            }
            let Some(value) = only_answer(model, local) else { continue };
            let name = definition.name;
            if let Some((kept, flag)) = self.asked_for(communication, (file, local), value, true)
                && kept != Kept::Attribute(name)
                && !self.known.contains_key(&Kept::Attribute(name))
            {
                out.push((name, Flag { told_by: Some(program.function_id(file, local)), ..flag }));
            }
        }
        out
    }
}

/// What a function returns that does nothing else but what comes to nothing.
fn only_answer(model: &File, function: LocalFunction) -> Option<ExprId> {
    let (&last, before) = model.block(model.function(function).body).split_last()?;
    let is_plain = |stmt: &StmtId| matches!(model.stmt(*stmt), Stmt::Expr(_) | Stmt::Assign { .. });
    match model.stmt(last) {
        Stmt::Return(value) if before.iter().all(is_plain) => *value,
        _ => None,
    }
}

/// Functions that are called when a signal comes: those that are handed to `signal.signal`, and those that look like it.
fn handlers(program: &Program) -> Vec<FunctionId> {
    let mut out: Vec<FunctionId> = Vec::new();
    let signal = Symbol::new("signal");
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let own: Vec<_> = definition.parameters.iter().skip(usize::from(definition.class.is_some())).collect();
        if definition.kind == FunctionKind::Def
            && own.len() == 2
            && NUMBERS.contains(&own[0].name.as_str().trim_start_matches('_'))
        {
            out.push(program.function_id(file, function));
        }
        if definition.mentions.contains(&signal) {
            each_call(model, function, &mut |_, call| {
                let is_signal =
                    program.resolve(file, function, call.callee).is_some_and(|name| name.as_str() == "signal.signal");
                let given = is_signal.then(|| argument(model, call, Some(1), Symbol::new("handler"))).flatten();
                out.extend(given.and_then(|given| called(program, file, function, given)));
            });
        }
    }
    out
}

/// The flags that a statement of a handler sets; of attributes, with the variable that holds their object.
fn set_by(program: &Program, file: FileId, handler: LocalFunction, stmt: &Stmt) -> Vec<(Kept, Option<Symbol>)> {
    let model = &program.file(file).model;
    let is_shared = |name: Symbol| program.scope_of(file, handler, name) != Scope::Local(handler);
    let place = |target: ExprId| match model.expr(target) {
        Expr::Attribute { value, name } => {
            let object = match model.expr(value) {
                Expr::Name(object) if is_shared(object) => Some(object),
                _ => None,
            };
            Some((Kept::Attribute(name), object))
        }
        Expr::Name(name) if is_shared(name) => Some((Kept::Variable(name), None)),
        Expr::Subscript(whole, key) => match (model.expr(whole), model.expr(key)) {
            (Expr::Name(name), Expr::Str(key)) if is_shared(name) => {
                Some((Kept::Entry(name, Symbol::new(key.as_str())), None))
            }
            _ => None,
        },
        _ => None,
    };
    match stmt {
        Stmt::Assign { targets, value } if !matches!(model.expr(*value), Expr::Bool(false) | Expr::None) => {
            model.list(*targets).iter().filter_map(|&target| place(target)).collect()
        }
        // `self.stop.set()`
        Stmt::Expr(value) => {
            let Expr::Call(call) = model.expr(*value) else { return Vec::new() };
            let call = model.call(call);
            match model.expr(call.callee) {
                Expr::Attribute { value, name } if name.as_str() == "set" && model.list(call.args).is_empty() => {
                    place(value).into_iter().collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// `x.flag`, `x.flag.is_set()`, `x.method()`, `flag`, `flag.is_set()`, `flags["stop"]`
fn kept_in(model: &File, expr: ExprId) -> Option<Kept> {
    match model.expr(expr) {
        Expr::Attribute { name, .. } => Some(Kept::Attribute(name)),
        Expr::Name(name) => Some(Kept::Variable(name)),
        Expr::Subscript(whole, key) => match (model.expr(whole), model.expr(key)) {
            (Expr::Name(name), Expr::Str(key)) => Some(Kept::Entry(name, Symbol::new(key.as_str()))),
            _ => None,
        },
        Expr::Call(call) => match model.expr(model.call(call).callee) {
            Expr::Attribute { value, name } if name.as_str() == "is_set" => kept_in(model, value),
            Expr::Attribute { name, .. } if model.list(model.call(call).args).is_empty() => Some(Kept::Attribute(name)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether what is asked for is what is set: the same variable; an attribute of the same class, or of a name that says
/// what it is.
fn is_the_flag(
    communication: &mut Communication<'_>,
    (file, function): (FileId, LocalFunction),
    at: ExprId,
    kept: Kept,
    flag: Flag,
) -> bool {
    let program = communication.program();
    let (home, handler) = program.locate(flag.handler);
    let name = match kept {
        Kept::Attribute(_) => return is_the_attribute(communication, (file, function), at, flag),
        Kept::Variable(name) | Kept::Entry(name, _) => name,
    };
    is_one_variable(program, (file, function), (home, handler), name)
}

/// Whether a name stands for one variable in both functions.
fn is_one_variable(
    program: &Program,
    (file, function): (FileId, LocalFunction),
    (home, handler): (FileId, LocalFunction),
    name: Symbol,
) -> bool {
    home == file && program.scope_of(file, function, name) == program.scope_of(home, handler, name)
}

fn is_the_attribute(
    communication: &mut Communication<'_>,
    (file, function): (FileId, LocalFunction),
    at: ExprId,
    flag: Flag,
) -> bool {
    let program = communication.program();
    let model = &program.file(file).model;
    let home = program.locate(flag.told_by.unwrap_or(flag.handler));
    let mut object = at;
    while let Expr::Call(call) = model.expr(object) {
        let callee = model.call(call).callee;
        let Expr::Attribute { value, name } = model.expr(callee) else { return false };
        object = if name.as_str() == "is_set" { value } else { callee };
    }
    let Expr::Attribute { value, name } = model.expr(object) else { return false };
    let on_self = matches!(model.expr(value), Expr::Name(name) if name.as_str() == "self");
    if let Expr::Name(object) = model.expr(value)
        && flag.object == Some(object)
        && is_one_variable(program, (file, function), home, object)
    {
        return true;
    }
    let class = class_around(program, home.0, home.1);
    if on_self && class_around(program, file, function) == class
        || class.is_some() && communication.class_of(file, function, value) == class
    {
        return true;
    }
    let text = name.as_str();
    let only = || program.methods_named(name).len() == 1;
    let answers =
        class.is_some_and(|class| program.class(class).methods.iter().any(|&(method, _)| method == name) && only());
    if answers && !on_self {
        return program.same_tree(home.0, file);
    }
    !on_self && WORDS.iter().any(|word| text.contains(word)) && program.same_tree(home.0, file)
}
