//! Parameters that are the rank by where they come from, whatever they are called: `torch.multiprocessing.spawn` hands the
//! number of the process to what it starts, and what is told to `init_process_group` as the rank is it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Symbol};
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of};

use super::communication::{argument, calls_in};
use super::program::Program;
use super::races::assigned;
use super::resolve::Target;

/// Functions that start processes which are handed their number within the node in front of everything else.
pub(super) const SPAWNERS: [&str; 4] = [
    "torch.multiprocessing.spawn",
    "torch.multiprocessing.start_processes",
    "torch.multiprocessing.spawn.spawn",
    "torch_xla.distributed.xla_multiprocessing.spawn",
];

/// Classes of processes that are handed what stands in `args`.
pub(super) const PROCESSES: [&str; 2] = ["torch.multiprocessing.Process", "multiprocessing.Process"];

/// Functions that answer with what has the same functions and classes, for one way to start processes.
const CONTEXTS: [&str; 2] = ["torch.multiprocessing.get_context", "multiprocessing.get_context"];

const INIT: &str = "torch.distributed.init_process_group";

/// The axes along which the number of a process, and what the group is told, are counted.
const WITHIN_NODE: &str = "local";
const OF_JOB: &str = "world";

/// Parameters that are the rank.
#[derive(Default)]
pub(super) struct Started {
    axes: FxHashMap<(FunctionId, u16), &'static str>,
    names: FxHashSet<(Symbol, Symbol)>,
}

impl Started {
    /// Looks through the program.
    pub(super) fn of(program: &Program) -> Started {
        let mut found = Started::default();
        let words = ["spawn", "start_processes", "Process", "init_process_group"].map(Symbol::new);
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for (index, function) in model.functions.iter().enumerate() {
                if !function.mentions.iter().any(|name| words.contains(name)) {
                    continue;
                }
                let local = LocalFunction(index as u32);
                for (_, call) in calls_in(model, function.body) {
                    found.read(program, file, local, call);
                }
            }
        }
        found
    }

    /// The axis along which the parameter is this process's number.
    pub(super) fn axis(&self, function: FunctionId, position: u16) -> Option<&'static str> {
        self.axes.get(&(function, position)).copied()
    }

    /// Whether some function of that name has such a parameter.
    pub(super) fn names(&self, function: Symbol, parameter: Symbol) -> bool {
        self.names.contains(&(function, parameter))
    }

    fn read(&mut self, program: &Program, file: FileId, local: LocalFunction, call: Call) {
        let model = &program.file(file).model;
        let Some(called) = starter(program, file, local, call.callee) else { return };
        let called = called.as_str();
        if called == INIT {
            let rank = argument(model, call, None, Symbol::new("rank")).map(|rank| model.expr(rank));
            let Some(Expr::Name(name)) = rank else { return };
            let parameters = &model.function(local).parameters;
            if let Some(position) = parameters.iter().position(|parameter| parameter.name == name) {
                self.add(program, program.function_id(file, local), position, OF_JOB);
            }
        } else if SPAWNERS.contains(&called) {
            let alone = argument(model, call, Some(2), Symbol::new("nprocs"))
                .is_some_and(|count| model.expr(count) == Expr::Int(1));
            if let Some(function) = started(program, file, local, argument(model, call, Some(0), Symbol::new("fn")))
                && !alone
            {
                self.add(program, function, 0, WITHIN_NODE);
            }
        } else if PROCESSES.contains(&called)
            && let Some(function) = started(program, file, local, argument(model, call, None, Symbol::new("target")))
            && joins_a_group(program, function)
        {
            let counters = counters(model, local);
            let counts = |arg: ExprId| matches!(model.expr(arg), Expr::Name(name) if counters.contains(&name));
            let args = argument(model, call, None, Symbol::new("args")).map(|args| model.expr(args));
            if let Some(Expr::Tuple(args) | Expr::ListDisplay(args)) = args {
                let positions = model.list(args).iter().enumerate().filter(|(_, arg)| counts(**arg));
                positions.for_each(|(position, _)| self.add(program, function, position, WITHIN_NODE));
            }
            let named = argument(model, call, None, Symbol::new("kwargs")).map(|named| model.expr(named));
            if let Some(Expr::Dict(entries)) = named {
                for pair in model.list(entries).chunks_exact(2).filter(|pair| counts(pair[1])) {
                    let is_key = |name: Symbol| model.expr(pair[0]) == Expr::Str(name);
                    let position = program.function(function).parameters.iter().position(|one| is_key(one.name));
                    position.into_iter().for_each(|position| self.add(program, function, position, WITHIN_NODE));
                }
            }
        }
    }

    fn add(&mut self, program: &Program, function: FunctionId, position: usize, axis: &'static str) {
        let definition = program.function(function);
        let Some(parameter) = definition.parameters.get(position) else { return };
        self.names.insert((definition.name, parameter.name));
        // What the group is told counts over what a process is handed.
        let known = self.axes.entry((function, position as u16)).or_insert(axis);
        if axis == OF_JOB {
            *known = axis;
        }
    }
}

/// The name of what is called, for whoever starts processes: a context that a variable holds stands for the module.
pub(super) fn starter(program: &Program, file: FileId, local: LocalFunction, callee: ExprId) -> Option<Symbol> {
    let model = &program.file(file).model;
    let of_context = || {
        let Expr::Attribute { value, name } = model.expr(callee) else { return None };
        let Expr::Name(context) = model.expr(value) else { return None };
        let is_context = |value: ExprId| match model.expr(value) {
            Expr::Call(call) => program
                .resolve(file, local, model.call(call).callee)
                .is_some_and(|called| CONTEXTS.contains(&called.as_str())),
            _ => false,
        };
        let held = [local, model.module()].map(|function| assigned(model, function, context));
        let held = held.into_iter().find(|held| !held.is_empty())?;
        let started = || SPAWNERS.iter().chain(&PROCESSES).find(|known| Symbol::new(known).last_part() == name);
        held.into_iter().all(is_context).then(started).flatten().map(|known| Symbol::new(known))
    };
    program.resolve(file, local, callee).or_else(of_context)
}

/// The function of the program that is handed over to be started.
fn started(program: &Program, file: FileId, local: LocalFunction, handed: Option<ExprId>) -> Option<FunctionId> {
    match program.target(file, local, handed?)? {
        Target::Function(function) => Some(function),
        _ => None,
    }
}

/// Whether processes that run the function may be ranks of a job: the file speaks of a group.
fn joins_a_group(program: &Program, function: FunctionId) -> bool {
    let (file, _) = program.locate(function);
    let names = ["init_process_group", "distributed", "dist"].map(Symbol::new);
    program.file(file).model.functions.iter().flat_map(|function| &function.mentions).any(|name| names.contains(name))
}

/// Variables of the loops and comprehensions of a function that count.
fn counters(model: &File, local: LocalFunction) -> Vec<Symbol> {
    let mut found = Vec::new();
    let mut counted = |target: ExprId, iter: ExprId| {
        let Expr::Call(call) = model.expr(iter) else { return };
        let counter = match (model.expr(model.call(call).callee), model.expr(target)) {
            (Expr::Name(called), Expr::Name(name)) if called.as_str() == "range" => Some(name),
            (Expr::Name(called), Expr::Tuple(targets)) if called.as_str() == "enumerate" => {
                match model.list(targets).first().map(|&first| model.expr(first)) {
                    Some(Expr::Name(name)) => Some(name),
                    _ => None,
                }
            }
            _ => None,
        };
        found.extend(counter);
    };
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Stmt::For { target, iter, .. } = stmt {
            counted(*target, *iter);
        }
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                if let Expr::Comprehension(comprehension) = expr {
                    let clauses = &model.comprehension(comprehension).clauses;
                    clauses.iter().for_each(|clause| counted(clause.target, clause.iter));
                }
            });
        }
    });
    found
}
