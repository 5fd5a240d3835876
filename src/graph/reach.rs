//! Which functions can reach a collective: backwards from the catalogue's operations over an over-approximate call graph.
//!
//! Calls are collected by their last name and checked only when a function of that name turns out to reach something,
//! so that the cost is that of the few functions that matter.

mod callers;
mod fired;
mod handed;
mod held;
mod reads;
mod seeds;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Symbol};
use crate::catalog::{Entry, OperationKind};
use crate::model::{Expr, ExprId, FunctionKind, LocalFunction, SOMEWHERE, Stmt};

use super::evaluate::FULLY_SHARD;
use super::evaluate::shown::{SHOWS, TEXTS};
use super::program::Program;
use callers::Callers;
use fired::Fired;

/// A method of an unknown object is taken for one of at most so many of its name in the same tree.
const MAX_NAMESAKES: usize = 2;

/// How autograd functions are called: it runs their `forward`.
const APPLY: &str = "apply";

/// A place where a name is called or handed over.
#[derive(Clone, Copy)]
struct Mention {
    caller: FunctionId,
    callee: ExprId,
    /// Whether it is called there, or handed to a call: not what decorates the caller, or what it keeps under another name.
    is_called: bool,
}

/// The functions from which a collective can be reached.
pub fn reaching(program: &Program) -> FxHashSet<FunctionId> {
    let mut search = Search::new(program);
    search.seed();
    while let Some(function) = search.pending.pop() {
        search.spread(function);
    }
    search.reached
}

struct Search<'p> {
    program: &'p Program,
    mentions: FxHashMap<Symbol, Vec<Mention>>,
    /// How many functions of a tree bear a name.
    definitions: FxHashMap<(Symbol, Symbol), usize>,
    reached: FxHashSet<FunctionId>,
    /// Those that issue something themselves.
    issuing: FxHashSet<FunctionId>,
    /// Those that issue something themselves or in what they call, by calls that can mean nothing else.
    surely: FxHashSet<FunctionId>,
    pending: Vec<FunctionId>,
    callers: FxHashMap<Symbol, Callers>,
    /// Files that import a name.
    importers: FxHashMap<Symbol, Vec<FileId>>,
    types: RefCell<FxHashMap<FileId, Rc<[Symbol]>>>,
    /// Where properties are read, once one of them communicates.
    readers: Option<FxHashMap<Symbol, Vec<FunctionId>>>,
    /// Names by which callers have a function look a method up and call it: where it does.
    fired: FxHashMap<Symbol, Vec<Fired>>,
    /// Methods of which an argument may tell whose they are.
    told_by_arguments: FxHashSet<Symbol>,
    /// Operations that return a model as a sharded one, with what says so where it stands in their file.
    sharding: Vec<(Symbol, Box<[Symbol]>)>,
    /// Objects that were followed to their calls.
    followed: handed::Followed,
    /// By the name of what they hold: variables and attributes under which it may be called.
    held: FxHashMap<Symbol, Vec<held::Held>>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Self {
        let mut search = Search {
            program,
            mentions: FxHashMap::default(),
            definitions: FxHashMap::default(),
            reached: FxHashSet::default(),
            issuing: FxHashSet::default(),
            surely: FxHashSet::default(),
            pending: Vec::new(),
            callers: FxHashMap::default(),
            importers: FxHashMap::default(),
            types: RefCell::default(),
            readers: None,
            fired: FxHashMap::default(),
            told_by_arguments: program.catalog.methods_told_by_arguments(),
            sharding: program.catalog.shards_beside(),
            followed: handed::Followed::default(),
            held: FxHashMap::default(),
        };
        search.name_what_matters();
        search.collect_held();
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for (_, import) in &model.imports {
                for alias in &import.names {
                    if search.mentions.contains_key(&alias.name) {
                        search.importers.entry(alias.name).or_default().push(file);
                    }
                }
            }
            let renamed: Vec<(Symbol, Symbol)> = model
                .imports
                .iter()
                .filter(|(_, import)| import.from)
                .flat_map(|(_, import)| &import.names)
                .filter_map(|alias| alias.alias.map(|bound| (bound, alias.name)))
                .collect();
            for index in 0..model.functions.len() as u32 {
                search.collect(file, LocalFunction(index), &renamed);
            }
        }
        search.fired = search.fired();
        search
    }

    /// Names of functions, classes and operations: mentions of any other lead nowhere.
    fn name_what_matters(&mut self) {
        for file in self.program.file_ids() {
            let model = &self.program.file(file).model;
            for function in model.functions.iter().filter(|function| function.kind == FunctionKind::Def) {
                *self.definitions.entry((self.program.tree_of(file), function.name)).or_default() += 1;
            }
            self.mentions.extend(model.classes.iter().map(|class| (class.name, Vec::new())));
            self.mentions.extend(aliases(model, None).into_iter().map(|name| (name, Vec::new())));
        }
        self.mentions.extend([APPLY, FULLY_SHARD].map(|name| (Symbol::new(name), Vec::new())));
        self.mentions.extend(self.program.catalog.shards_in_place().into_iter().map(|name| (name, Vec::new())));
        self.mentions.extend(self.definitions.keys().map(|&(_, name)| (name, Vec::new())));
        let operations = self.program.catalog.entries().filter(|(_, entry)| communicates(entry));
        self.mentions.extend(operations.map(|(name, _)| (name.last_part(), Vec::new())));
    }

    fn collect(&mut self, file: FileId, local: LocalFunction, renamed: &[(Symbol, Symbol)]) {
        let model = &self.program.file(file).model;
        let caller = self.program.function_id(file, local);
        let definition = model.function(local);
        // With settings, `@only(0)`, it is what the call gives.
        let decorators = model.list(definition.decorators).iter().map(|&expr| match model.expr(expr) {
            Expr::Call(call) => (model.call(call).callee, false),
            _ => (expr, false),
        });
        let called = definition.callees.iter().map(|callee| (callee.expr, callee.at != SOMEWHERE));
        for (callee, is_called) in called.chain(decorators) {
            let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(callee) else { continue };
            if let Some(mentions) = self.mentions.get_mut(&name) {
                mentions.push(Mention { caller, callee, is_called });
            }
            // `import … as`: under the name it has at home too.
            if let Expr::Name(name) = model.expr(callee)
                && let Some((_, original)) = renamed.iter().find(|(bound, _)| *bound == name)
                && let Some(mentions) = self.mentions.get_mut(original)
            {
                mentions.push(Mention { caller, callee, is_called });
            }
        }
    }

    fn reach(&mut self, function: FunctionId) {
        if self.reached.insert(function) {
            self.pending.push(function);
        }
    }

    /// Everything that may call the function reaches what it reaches.
    fn spread(&mut self, function: FunctionId) {
        let program = self.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let definition = model.function(local);
        if let Some(parent) = definition.parent {
            let home = home(program, file, parent);
            self.reach(program.function_id(file, home));
        }
        let class = definition.class.map(|class| program.class_id(file, class));
        let mut names = vec![definition.name];
        if let Some(class) = class
            && matches!(definition.name.as_str(), "__init__" | "__call__" | "__enter__" | "__exit__" | "forward")
        {
            names.push(program.class(class).name);
        }
        if let Some(class) = class
            && definition.name.as_str() == "forward"
            && program.applied(class) == Some(function)
        {
            names.push(Symbol::new(APPLY));
            names.extend(aliases(model, Some(program.class(class).name)));
        }
        for Fired { dispatcher, by } in
            self.fired.get(&definition.name).filter(|_| class.is_some()).cloned().unwrap_or_default()
        {
            if program.same_tree(program.locate(by).0, file) {
                self.reach(dispatcher);
            }
        }
        // What modules are built of would follow from one end of a model to the other: only who issues something there.
        if let Some(class) = class
            && (definition.name.as_str() == "__call__"
                || definition.name.as_str() == "forward" && self.issuing.contains(&function))
        {
            let mut called = Vec::new();
            self.calls_of_instances(class, &mut called);
            called.into_iter().for_each(|caller| self.reach(caller));
        }
        if model.is_property(definition) {
            self.read(file, definition.name);
        }
        if let Some(class) = class
            && TEXTS.contains(&definition.name.as_str())
        {
            self.shown(program.class(class).name, file);
        }
        self.held_and_handed(function).into_iter().for_each(|caller| self.reach(caller));
        for name in names {
            if !self.callers.contains_key(&name) {
                let sorted = self.sorted(name);
                self.callers.insert(name, sorted);
            }
            // Who makes an object does not call it.
            let calls = name == definition.name || definition.name.as_str() == "__init__";
            let is_sure = calls && self.surely.contains(&function);
            for caller in self.sure_callers_of(name, function, class) {
                // Who was reached by a guess before hands on now what a guess does not.
                if is_sure && self.surely.insert(caller) && self.reached.contains(&caller) {
                    self.pending.push(caller);
                }
                self.reach(caller);
            }
            for caller in self.other_callers_of(name, function, file, class) {
                self.reach(caller);
            }
        }
    }
}

/// Names of a module's top level that stand for an autograd function, that one or any: `gather = Gather.apply`.
fn aliases(model: &crate::model::File, class: Option<Symbol>) -> Vec<Symbol> {
    let mut out = Vec::new();
    for &stmt in model.block(model.function(model.module()).body) {
        if let Stmt::Assign { targets, value } = model.stmt(stmt)
            && let Expr::Attribute { value, name } = model.expr(*value)
            && name.as_str() == APPLY
            && matches!(model.expr(value), Expr::Name(name) if class.is_none_or(|class| class == name))
        {
            out.extend(model.list(*targets).iter().filter_map(|&target| match model.expr(target) {
                Expr::Name(name) => Some(name),
                _ => None,
            }));
        }
    }
    out
}

/// Whether an expression is the method's own object: its first parameter, or `super()`.
fn is_self(model: &crate::model::File, definition: &crate::model::Function, value: ExprId) -> bool {
    match model.expr(value) {
        Expr::Name(name) => definition.parameters.first().is_some_and(|first| first.name == name),
        Expr::Call(call) => matches!(model.expr(model.call(call).callee), Expr::Name(name) if name.as_str() == "super"),
        _ => false,
    }
}

fn communicates(entry: &Entry) -> bool {
    let Entry::Operation(operation) = entry else { return false };
    // Who is followed as one that has a sharded model anyway need not be found by what is done to its parameters.
    let is_followed = operation.of_sharded.is_some();
    !is_followed && !matches!(operation.kind, OperationKind::PointToPoint | OperationKind::Teardown)
}

/// The nearest body that is run as a function: a class body belongs to what surrounds it.
fn home(program: &Program, file: FileId, mut function: LocalFunction) -> LocalFunction {
    let model = &program.file(file).model;
    while model.function(function).kind == FunctionKind::ClassBody {
        match model.function(function).parent {
            Some(parent) => function = parent,
            None => break,
        }
    }
    function
}
