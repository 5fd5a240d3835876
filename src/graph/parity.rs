//! Which environment keys are compared across ranks: found by following, backwards, what a function hands to a gather.
//!
//! A key counts as compared when its value, or a collection that names it, reaches a collective that lets ranks see each
//! other's values: through local names, comprehensions, loops, functions whose result is handed over, and functions that
//! take what they gather as a parameter.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::model::{
    Call, Constant, Expr, ExprId, File, LocalFunction, Stmt, calls_to, each_expression, each_statement, expressions_of,
};

use super::accesses::is_environment;
use super::bindings::Binding;
use super::environment::EnvironmentReads;
use super::helpers::called;
use super::program::Program;
use super::resolve::{Scope, Target};

/// One place where ranks compare keys.
#[derive(Clone, Debug)]
pub struct ParityCheck {
    /// The collective.
    pub site: Site,
    /// The keys, sorted; a `*` stands for any ending.
    pub keys: Vec<String>,
    /// Whether what is compared was read from the environment, and compared rather than handed out; strings name other things
    /// than settings, too.
    pub of_environment: bool,
}

/// What a search of the program gives.
pub(super) struct Found {
    pub checks: Vec<ParityCheck>,
    pub checkers: FxHashSet<FunctionId>,
}

/// A call that lets ranks see each other's values.
struct Gather {
    name: &'static str,
    /// Where it takes this rank's value.
    position: usize,
    keyword: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Takes any object; followed through wrappers and through functions whose result is handed over.
    Object,
    /// Takes a tensor; followed within its function only, since most tensors carry no flags.
    Tensor,
    /// A key-value store.
    Store,
}

const fn gather(name: &'static str, position: usize, keyword: &'static str, kind: Kind) -> Gather {
    Gather { name, position, keyword, kind }
}

/// Hands the values of one rank to all: what they come to agree on is not what they were started with.
const BROADCAST: &str = "broadcast_object_list";

const GATHERS: [Gather; 10] = [
    gather("all_gather_object", 1, "obj", Kind::Object),
    gather("gather_object", 0, "obj", Kind::Object),
    gather(BROADCAST, 0, "object_list", Kind::Object),
    gather("allgather", 0, "sendobj", Kind::Object),
    gather("all_gather", 1, "tensor", Kind::Tensor),
    gather("all_gather_into_tensor", 1, "input_tensor", Kind::Tensor),
    gather("all_reduce", 0, "tensor", Kind::Tensor),
    gather("allreduce", 0, "sendobj", Kind::Tensor),
    gather("gather_for_metrics", 0, "input_data", Kind::Tensor),
    gather("set", 1, "value", Kind::Store),
];

static NAMES: LazyLock<FxHashMap<Symbol, &'static Gather>> =
    LazyLock::new(|| GATHERS.iter().map(|gather| (Symbol::new(gather.name), gather)).collect());

/// Arguments that say where a value lives or travels, not what it is.
const PLACES: [&str; 7] = ["device", "group", "dtype", "src", "dst", "op", "map_location"];

/// How many calls deep a key is followed.
const DEPTH: u32 = 4;

/// Searches the program.
pub(super) fn checks(program: &Program, reads: &EnvironmentReads) -> Found {
    let mut search = Search { program, reads, found: Found { checks: Vec::new(), checkers: FxHashSet::default() } };
    let mut gatherers: FxHashMap<FunctionId, Gatherer> = FxHashMap::default();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        if !model.names().may_hold_any(NAMES.keys()) {
            continue;
        }
        for (function, expr, call) in calls_to(model, &|callee| gather_called(model, callee).is_some()) {
            let Some(gather) = gather_called(model, call.callee) else { continue };
            let Some(seed) = payload(model, call, gather) else { continue };
            if is_dead(model, function, model.span(expr)) {
                continue;
            }
            // Bytes in a tensor are an object.
            let plain = gather.kind == Kind::Tensor && !packs_bytes(model, function);
            let judged = match (plain || judges(model, function), gather.name) {
                (false, _) => Judged::No,
                (true, BROADCAST) => Judged::HandedOut,
                (true, _) => Judged::Compared,
            };
            let depth = if plain { 1 } else { DEPTH };
            let parameters = search.follow_seeds(file, function, expr, &[seed], depth, judged);
            let special = model.function(function).name.as_str().starts_with("__");
            if gather.kind != Kind::Store && !plain && !parameters.is_empty() && !special {
                let entry = gatherers.entry(program.function_id(file, function)).or_default();
                entry.parameters.extend(parameters);
                entry.judged = entry.judged.max(judged);
                entry.is_broadcast |= gather.name == BROADCAST;
            }
        }
    }
    for _ in 0..2 {
        gatherers = search.wrappers(&gatherers);
        if gatherers.is_empty() {
            break;
        }
    }
    search.found.checks.sort_by_key(|check| (check.site.file, check.site.span.start));
    search.found
}

struct Search<'a> {
    program: &'a Program,
    reads: &'a EnvironmentReads,
    found: Found,
}

/// A function that gathers some of its parameters.
#[derive(Default)]
struct Gatherer {
    parameters: Vec<Symbol>,
    /// What it, or a function on the way, makes of what came back.
    judged: Judged,
    is_broadcast: bool,
}

/// What becomes of values that ranks let each other see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Judged {
    /// Nobody looks at them as values that may differ.
    #[default]
    No,
    /// Those of one rank are taken by all.
    HandedOut,
    /// They are compared.
    Compared,
}

/// What is collected while one collective is followed backwards.
#[derive(Default)]
struct Trail {
    keys: FxHashSet<String>,
    functions: Vec<FunctionId>,
    parameters: Vec<Symbol>,
}

impl Search<'_> {
    /// Follows what is handed to one call; gives the parameters of the function that end up in it. Keys count only where
    /// somebody `judged` what came back.
    fn follow_seeds(
        &mut self,
        file: FileId,
        function: LocalFunction,
        expr: ExprId,
        seeds: &[ExprId],
        depth: u32,
        judged: Judged,
    ) -> Vec<Symbol> {
        let mut trail = Trail::default();
        self.follow(file, function, seeds, depth, &mut trail);
        // Who and where a process is comes from its launcher. That ranks look at it is no comparison of settings.
        trail.keys.retain(|key| !is_identity(key));
        if !trail.keys.is_empty() && judged != Judged::No {
            let mut keys: Vec<String> = trail.keys.into_iter().collect();
            keys.sort();
            let span = self.program.file(file).model.span(expr);
            let reads = |id: FunctionId| {
                let (home, local) = self.program.locate(id);
                self.reads.in_file(home).iter().any(|access| {
                    // A key that is spelled out must be one of those compared: other settings may be read on the way.
                    let is_one = access.key.whole().is_none_or(|key| keys.iter().any(|one| one == key));
                    access.function == local && access.is_read() && is_one
                })
            };
            let of_environment = judged == Judged::Compared && trail.functions.iter().copied().any(reads);
            self.found.checks.push(ParityCheck { site: Site { file, span }, keys, of_environment });
            self.found.checkers.insert(self.program.function_id(file, function));
            self.found.checkers.extend(trail.functions);
        }
        trail.parameters
    }

    /// Calls of functions that gather what they are given.
    fn wrappers(&mut self, gatherers: &FxHashMap<FunctionId, Gatherer>) -> FxHashMap<FunctionId, Gatherer> {
        let names: FxHashSet<Symbol> = gatherers.keys().map(|&id| self.program.function(id).name).collect();
        let mut next: FxHashMap<FunctionId, Gatherer> = FxHashMap::default();
        for file in self.program.file_ids() {
            let model = &self.program.file(file).model;
            if !model.names().may_hold_any(&names) {
                continue;
            }
            for (function, expr, call) in
                calls_to(model, &|callee| last_name(model, callee).is_some_and(|name| names.contains(&name)))
            {
                let Some(target) = called(self.program, file, function, call.callee) else { continue };
                if is_dead(model, function, model.span(expr)) {
                    continue;
                }
                let Some(gatherer) = gatherers.get(&target) else { continue };
                let parameters = gatherer.parameters.iter();
                let seeds: Vec<ExprId> =
                    parameters.filter_map(|&name| passed(self.program, model, target, call, name)).collect();
                let judged = match (judges(model, function), gatherer.is_broadcast) {
                    (false, _) => gatherer.judged,
                    (true, true) => gatherer.judged.max(Judged::HandedOut),
                    (true, false) => Judged::Compared,
                };
                let reached = self.follow_seeds(file, function, expr, &seeds, DEPTH, judged);
                let caller = self.program.function_id(file, function);
                if !reached.is_empty() && !gatherers.contains_key(&caller) {
                    let entry = next.entry(caller).or_default();
                    entry.parameters.extend(reached);
                    entry.judged = entry.judged.max(judged);
                    entry.is_broadcast |= gatherer.is_broadcast;
                }
            }
        }
        next
    }

    /// Collects keys from `seeds` and from whatever their names were given in this function.
    fn follow(&self, file: FileId, function: LocalFunction, seeds: &[ExprId], depth: u32, trail: &mut Trail) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let model = &self.program.file(file).model;
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        let mut roots: Vec<ExprId> = seeds.to_vec();
        let mut at = 0;
        while at < roots.len() && at < 400 {
            let root = roots[at];
            at += 1;
            let mut names = Vec::new();
            let mut places: Vec<Span> = Vec::new();
            each_expression(model, root, &mut |id, expr| match expr {
                _ if within(&places, model.span(id)) => {}
                Expr::Name(name) => names.push((id, name)),
                Expr::Attribute { .. } => self.constants(file, function, id, 6, &mut trail.keys),
                Expr::Tuple(_) | Expr::ListDisplay(_) | Expr::Set(_) | Expr::Dict(_) => {
                    self.constants(file, function, id, 6, &mut trail.keys);
                }
                Expr::Comprehension(index) => self.whole_environment(file, function, index, &mut trail.keys),
                Expr::Call(index) => {
                    let call = model.call(index);
                    let keywords = model.keywords(call).iter();
                    let of_place = keywords.filter(|one| one.name.is_some_and(|name| PLACES.contains(&name.as_str())));
                    places.extend(of_place.map(|one| model.span(one.value)));
                    if let Some(target) = called(self.program, file, function, call.callee) {
                        let reached = self.result_of(target, depth, trail);
                        if !reached.is_empty() {
                            let parameters = self.program.function(target).parameters.iter();
                            let others = parameters.filter(|one| !reached.contains(&one.name));
                            let lost = others.filter_map(|one| passed(self.program, model, target, call, one.name));
                            places.extend(lost.map(|expr| model.span(expr)));
                        }
                    }
                }
                _ => {}
            });
            self.reads_within(file, model.span(root), &places, trail);
            for (id, name) in names {
                if !seen.insert(name) {
                    continue;
                }
                match self.program.scope_of(file, function, name) {
                    Scope::Local(owner) => {
                        let parameters = &model.function(owner).parameters;
                        let object = matches!(name.as_str(), "self" | "cls");
                        if owner == function && !object && parameters.iter().any(|one| one.name == name) {
                            trail.parameters.push(name);
                        }
                        given_to(model, owner, name, &mut roots);
                    }
                    Scope::Global => self.constants(file, function, id, 6, &mut trail.keys),
                }
            }
        }
    }

    fn reads_within(&self, file: FileId, span: Span, places: &[Span], trail: &mut Trail) {
        let reads = self.reads.in_file(file).iter().filter(|access| access.is_read());
        for access in reads.filter(|access| within(&[span], access.span) && !within(places, access.span)) {
            trail.keys.extend(access.key.whole().map(str::to_owned));
            trail.functions.push(self.program.function_id(access.file, access.function));
        }
    }

    /// What a function of the program returns or yields; gives the parameters that end up in it, as far as is known.
    fn result_of(&self, target: FunctionId, depth: u32, trail: &mut Trail) -> Vec<Symbol> {
        if depth == 0 || trail.functions.contains(&target) {
            return Vec::new();
        }
        trail.functions.push(target);
        let (file, function) = self.program.locate(target);
        let model = &self.program.file(file).model;
        let mut results = Vec::new();
        each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
            Stmt::Return(Some(value)) => results.push(*value),
            Stmt::Expr(value) if matches!(model.expr(*value), Expr::Yield(_) | Expr::YieldFrom(_)) => {
                results.push(*value)
            }
            _ => {}
        });
        let parameters = std::mem::take(&mut trail.parameters);
        self.follow(file, function, &results, depth, trail);
        std::mem::replace(&mut trail.parameters, parameters)
    }

    /// The strings of a collection, wherever it is spelled.
    fn constants(&self, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32, keys: &mut FxHashSet<String>) {
        let Some(fuel) = fuel.checked_sub(1) else { return };
        let model = &self.program.file(file).model;
        let mut element = |part: ExprId| match model.expr(part) {
            Expr::Starred(inner) => self.constants(file, function, inner, fuel, keys),
            Expr::Tuple(pair) => {
                for &part in model.list(pair) {
                    if let Some(Constant::Str(text)) = self.program.constant(file, function, part) {
                        keys.insert(text);
                    }
                }
            }
            _ => {
                if let Some(Constant::Str(text)) = self.program.constant(file, function, part) {
                    keys.insert(text);
                }
            }
        };
        match model.expr(expr) {
            Expr::Tuple(parts) | Expr::ListDisplay(parts) | Expr::Set(parts) => {
                model.list(parts).iter().for_each(|&part| element(part));
            }
            Expr::Dict(parts) => model.list(parts).chunks_exact(2).for_each(|pair| element(pair[0])),
            Expr::Binary(_, left, right) => {
                self.constants(file, function, left, fuel, keys);
                self.constants(file, function, right, fuel, keys);
            }
            Expr::Call(index) => {
                for &arg in model.list(model.call(index).args) {
                    self.constants(file, function, arg, fuel, keys);
                }
            }
            Expr::Name(_) | Expr::Attribute { .. } => {
                if let Some(Target::Variable(owner, name)) = self.program.target(file, function, expr)
                    && let Some(Binding::Variable { values, .. }) = self.program.bindings[owner.index()].get(name)
                {
                    for &value in values {
                        self.constants(owner, LocalFunction(0), value, fuel, keys);
                    }
                } else if let Some(value) = class_constant(self.program, file, function, expr) {
                    self.constants(file, function, value, fuel, keys);
                }
            }
            _ => {}
        }
    }

    /// `{k: v for k, v in os.environ.items() if k.startswith("SCOPE_")}` names every key that begins so.
    fn whole_environment(&self, file: FileId, function: LocalFunction, index: u32, keys: &mut FxHashSet<String>) {
        let model = &self.program.file(file).model;
        for clause in &model.comprehension(index).clauses {
            let iterated = match model.expr(clause.iter) {
                Expr::Call(call) => match (model.expr(model.call(call).callee), model.list(model.call(call).args)) {
                    (Expr::Attribute { value, .. }, []) => value,
                    (_, &[inner]) => match model.expr(inner) {
                        Expr::Call(call) => match model.expr(model.call(call).callee) {
                            Expr::Attribute { value, .. } => value,
                            _ => inner,
                        },
                        _ => inner,
                    },
                    _ => clause.iter,
                },
                _ => clause.iter,
            };
            if !is_environment(self.program, file, function, iterated) {
                continue;
            }
            let mut prefixes = Vec::new();
            for &condition in model.list(clause.conditions) {
                each_expression(model, condition, &mut |_, expr| {
                    let Expr::Call(call) = expr else { return };
                    let call = model.call(call);
                    if last_name(model, call.callee).is_some_and(|name| name.as_str() == "startswith")
                        && let Some(&prefix) = model.list(call.args).first()
                    {
                        match model.expr(prefix) {
                            Expr::Tuple(parts) => prefixes.extend(model.list(parts)),
                            _ => prefixes.push(prefix),
                        }
                    }
                });
            }
            for prefix in prefixes {
                if let Some(Constant::Str(prefix)) = self.program.constant(file, function, prefix) {
                    keys.insert(prefix + "*");
                }
            }
            if model.list(clause.conditions).is_empty() {
                keys.insert("*".to_owned());
            }
        }
    }
}

/// `self.KEYS` and `cls.KEYS`: the value in the class body.
fn class_constant(program: &Program, file: FileId, function: LocalFunction, expr: ExprId) -> Option<ExprId> {
    let model = &program.file(file).model;
    let Expr::Attribute { value, name } = model.expr(expr) else { return None };
    let object = match model.expr(value) {
        Expr::Name(object) => object,
        _ => return None,
    };
    let class = match object.as_str() {
        "self" | "cls" => model.function(function).class?,
        _ => match program.target(file, function, value)? {
            Target::Class(class) if program.locate_class(class).0 == file => program.locate_class(class).1,
            _ => return None,
        },
    };
    program.single_assignment(file, model.class(class).body, name)
}

/// Everything that flows into a local name: assignments, loops, stores into it, methods that add to it.
fn given_to(model: &File, function: LocalFunction, name: Symbol, roots: &mut Vec<ExprId>) {
    let is_name = |expr: ExprId| model.expr(expr) == Expr::Name(name);
    let binds = |target: ExprId| match model.expr(target) {
        Expr::Tuple(parts) | Expr::ListDisplay(parts) => model.list(parts).iter().any(|&part| is_name(part)),
        _ => is_name(target),
    };
    let mut add = |expr: ExprId| {
        if !roots.contains(&expr) {
            roots.push(expr);
        }
    };
    each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
        Stmt::Assign { targets, value } => {
            for &target in model.list(*targets) {
                match model.expr(target) {
                    Expr::Subscript(object, key) if is_name(object) => {
                        add(key);
                        add(*value);
                    }
                    _ if binds(target) => add(*value),
                    _ => {}
                }
            }
        }
        Stmt::Annotated { target, value: Some(value), .. } | Stmt::AugAssign { target, value, .. }
            if binds(*target) =>
        {
            add(*value);
        }
        Stmt::For { target, iter, .. } if binds(*target) => add(*iter),
        Stmt::Expr(value) => {
            if let Expr::Call(index) = model.expr(*value) {
                let call = model.call(index);
                if let Expr::Attribute { value: object, name } = model.expr(call.callee)
                    && is_name(object)
                    && matches!(name.as_str(), "append" | "extend" | "add" | "update" | "setdefault" | "insert")
                {
                    model.list(call.args).iter().for_each(|&arg| add(arg));
                }
            }
        }
        _ => {}
    });
}

/// The argument that a call passes for a parameter of the function it runs.
fn passed(program: &Program, model: &File, target: FunctionId, call: Call, name: Symbol) -> Option<ExprId> {
    if let Some(keyword) = model.keywords(call).iter().find(|keyword| keyword.name == Some(name)) {
        return Some(keyword.value);
    }
    let function = program.function(target);
    let position = function.parameters.iter().position(|one| one.name == name)?;
    let bound = function.class.is_some()
        && function.parameters.first().is_some_and(|first| matches!(first.name.as_str(), "self" | "cls"));
    model.list(call.args).get(position.checked_sub(usize::from(bound))?).copied()
}

/// Whether `inner` lies in one of the spans.
fn within(outer: &[Span], inner: Span) -> bool {
    outer.iter().any(|outer| outer.start <= inner.start && inner.end <= outer.end)
}

/// This rank's value among the arguments of a gather.
fn payload(model: &File, call: Call, gather: &Gather) -> Option<ExprId> {
    let keyword = model.keywords(call).iter().find(|one| one.name.is_some_and(|name| name.as_str() == gather.keyword));
    keyword.map(|one| one.value).or_else(|| model.list(call.args).get(gather.position).copied())
}

/// Whether a launcher tells a process by this key who and where it is: no setting that ranks could compare.
fn is_identity(key: &str) -> bool {
    ["RANK", "WORLD_SIZE", "_VISIBLE_DEVICES", "_PROCID", "_NTASKS", "_LOCALID"].iter().any(|tail| key.ends_with(tail))
        || key.starts_with("MASTER_")
}

/// Whether a function puts bytes into tensors.
fn packs_bytes(model: &File, function: LocalFunction) -> bool {
    model
        .function(function)
        .mentions
        .iter()
        .any(|name| matches!(name.as_str(), "frombuffer" | "bytearray" | "ByteStorage"))
}

/// Whether a place stands behind a statement of the body that always leaves it.
fn is_dead(model: &File, function: LocalFunction, at: Span) -> bool {
    let mut statements = model.block(model.function(function).body).iter();
    statements
        .any(|&id| matches!(model.stmt(id), Stmt::Return(_) | Stmt::Raise(_)) && model.stmt_span(id).end <= at.start)
}

/// Whether a function compares anything, or refuses to go on.
fn judges(model: &File, function: LocalFunction) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        found |= matches!(stmt, Stmt::Raise(_) | Stmt::Assert(_));
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| found |= matches!(expr, Expr::Compare(..)));
        }
    });
    found
}

/// The gather that a callee names; `set` only on something called a store.
fn gather_called(model: &File, callee: ExprId) -> Option<&'static Gather> {
    let gather = *NAMES.get(&last_name(model, callee)?)?;
    if gather.kind != Kind::Store {
        return Some(gather);
    }
    let Expr::Attribute { value, .. } = model.expr(callee) else { return None };
    last_name(model, value)?.as_str().to_ascii_lowercase().ends_with("store").then_some(gather)
}

fn last_name(model: &File, expr: ExprId) -> Option<Symbol> {
    match model.expr(expr) {
        Expr::Name(name) | Expr::Attribute { name, .. } => Some(name),
        _ => None,
    }
}
