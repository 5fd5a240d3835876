//! Which environment keys are compared across ranks: found by following, backwards, what a function hands to a gather.
//!
//! A key counts as compared when its value, or a collection that names it, reaches a collective that lets ranks see each
//! other's values: through local names, comprehensions, loops, functions whose result is handed over, and functions that
//! take what they gather as a parameter.

mod flows;
mod gathers;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::model::{
    Constant, Expr, ExprId, LocalFunction, Stmt, calls_by_name, calls_to, each_expression, each_statement,
};

use super::accesses::is_environment;
use super::bindings::Binding;
use super::environment::EnvironmentReads;
use super::helpers::called;
use super::program::Program;
use super::resolve::{Scope, Target};

use flows::{class_constant, given_to, is_identity, passed, within};
use gathers::{BROADCAST, Kind, NAMES, gather_named, is_dead, judges, may_gather, packs_bytes, payload};

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

/// Arguments that say where a value lives or travels, not what it is.
const PLACES: [&str; 7] = ["device", "group", "dtype", "src", "dst", "op", "map_location"];

/// How many calls deep a key is followed.
const DEPTH: u32 = 4;

/// Searches the program.
pub(super) fn checks(program: &Program, reads: &EnvironmentReads) -> Found {
    let mut search = Search { program, reads, found: Found { checks: Vec::new(), checkers: FxHashSet::default() } };
    let mut gatherers: FxHashMap<FunctionId, Gatherer> = FxHashMap::default();
    let names: FxHashSet<Symbol> = NAMES.keys().copied().collect();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        if !model.calls_one_of(&names) {
            continue;
        }
        for (function, expr, call) in calls_to(model, &|callee| gather_named(model, callee).is_some()) {
            let Some(gather) = gather_named(model, call.callee) else { continue };
            let Some(seed) = payload(model, call, gather) else { continue };
            if is_dead(model, function, model.span(expr)) || !may_gather(program, file, function, call.callee) {
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
            for (function, expr, call) in calls_by_name(model, &names) {
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
                    // What somebody else's function makes of it is another value.
                    if matches!(model.expr(call.callee), Expr::Name(name)
                        if model.function(function).parameters.iter().any(|one| one.name == name))
                    {
                        places.extend(model.list(call.args).iter().map(|&given| model.span(given)));
                        places.extend(model.keywords(call).iter().map(|one| model.span(one.value)));
                    }
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
                    if model.last_name(call.callee).is_some_and(|name| name.as_str() == "startswith")
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
