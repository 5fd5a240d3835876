//! Variables that one rank alone has: bound, or bound to something, under a question for the rank, and used by all behind
//! it. The others fail there, each for itself, while rank 0 goes on to its next collective and waits.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_statement, names_in};

use super::conduct::bodies;
use super::left_over::is_left_over;
use super::program::Program;
use super::races::{Common, lets_in_first, serves};
use super::taint::Taint;

mod answered;
mod asked;
mod handed;
mod objects;
mod reads;
mod seen;

use handed::Failing;
use objects::guard_of_callers;
pub(super) use objects::held_by_objects;
use seen::Binding;

/// A variable that one rank alone has where all use it.
#[derive(Clone, Debug)]
pub struct HeldByOne {
    /// The function.
    pub function: FunctionId,
    /// The variable.
    pub name: Symbol,
    /// Where all use it.
    pub used: Site,
    /// Where one rank binds it.
    pub bound: Site,
    /// What lets that rank in, or the call that answers to it.
    pub asked: Site,
    /// Whether it is a call that answers `None` to the others.
    pub answered: bool,
    /// Where it is `None` for the others; absent where they do not have it at all.
    pub without: Option<Site>,
    /// Where it is handed to the function that uses it, if it was bound in another one.
    pub handed: Option<Site>,
}

impl HeldByOne {
    /// Whether it is what a call answers, used where it is answered, and bound to nothing.
    pub fn is_answer(&self) -> bool {
        self.answered && self.bound == self.asked
    }
}

/// A condition, and how it has to come out.
type Asked = (ExprId, bool);

/// The variables that one rank alone has in the files.
pub(super) fn held_by_one(common: &mut Common<'_>, files: &[FileId]) -> Vec<HeldByOne> {
    let (program, taint) = (common.program, common.taint);
    let mut out = Vec::new();
    let wanted: FxHashSet<FileId> = files.iter().copied().collect();
    let Some(&home) = files.first() else { return out };
    let answering: FxHashSet<Symbol> = bodies(program)
        .filter(|&(file, _)| program.same_tree(home, file))
        .map(|(file, function)| Body { program, taint, file, function, object: None, is_below: true })
        .filter(|body| {
            let definition = body.model().function(body.function);
            !definition.skeleton
                && (body.asks() || !body.model().list(definition.decorators).is_empty())
                && (body.answers_one() || body.answers_one_in_parts())
        })
        .map(|body| body.model().function(body.function).name)
        .collect();
    for (file, function) in bodies(program).filter(|(file, _)| wanted.contains(file)) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let body = Body { program, taint, file, function, object: None, is_below: false };
        let is_answered = definition.mentions.iter().any(|name| answering.contains(name));
        if definition.skeleton
            || !matches!(definition.kind, FunctionKind::Def | FunctionKind::Module)
            || !body.asks() && !is_answered
            || program.file(file).is_test()
            || !communicates(common, file)
        {
            continue;
        }
        let before = out.len();
        if is_answered {
            out.extend(body.answers_gone_into(&answering));
        }
        if body.lets_in_one() && guard_of_callers(common, &body).is_none() {
            out.extend(body.held_by_one());
        }
        // What answers requests does so on the first rank, and the others follow it.
        if serves(model) {
            let found = out.split_off(before);
            out.extend(found.into_iter().filter(|held| !held.answered));
        }
    }
    out.retain(|held| !is_left_over(program, held.function));
    out
}

/// What shares a data set out among the ranks, which are there then.
const SHARES_OUT: &str = "DistributedSampler";

/// Whether anything in the file leads to a collective, or shares data out: where nothing does, there may be no other rank.
fn communicates(common: &mut Common<'_>, file: FileId) -> bool {
    let sampler = Symbol::new(SHARES_OUT);
    if common.program.file(file).model.functions.iter().any(|function| function.mentions.contains(&sampler)) {
        return true;
    }
    let count = common.program.file(file).model.functions.len() as u32;
    (0..count).any(|function| common.communication.may_reach(file, LocalFunction(function)))
}

/// One function.
#[derive(Clone, Copy)]
struct Body<'p> {
    program: &'p Program,
    taint: &'p Taint,
    file: FileId,
    function: LocalFunction,
    /// The object whose attributes are looked for, `self`; none where the variables of the function are.
    object: Option<Symbol>,
    /// Whether it is looked at for the sake of another one: what it calls is not looked into.
    is_below: bool,
}

impl Body<'_> {
    fn model(&self) -> &File {
        &self.program.file(self.file).model
    }

    fn site(&self, span: Span) -> Site {
        Site { file: self.file, span }
    }

    fn lets_in_first(&self, (condition, answer): Asked) -> bool {
        lets_in_first(self.program, self.model(), condition, answer)
    }

    /// Whether it names anything that asks for the rank.
    fn asks(&self) -> bool {
        let mentions = &self.model().function(self.function).mentions;
        mentions.iter().any(|&name| self.program.catalog.convention(name).is_some())
    }

    /// Whether anything in it is asked that lets one rank in, or answered to one.
    fn lets_in_one(&self) -> bool {
        let model = self.model();
        let lets_in = |test: ExprId| [true, false].into_iter().any(|answer| self.lets_in_first((test, answer)));
        let mut found = false;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| match stmt {
            Stmt::If { test, .. } => found |= lets_in(*test),
            Stmt::Assign { value, .. } | Stmt::Annotated { value: Some(value), .. } => {
                found |= match model.expr(*value) {
                    Expr::IfElse(at) => lets_in(model.if_else(at)[0]),
                    _ => self.is_answered_alone(*value),
                };
            }
            _ => {}
        });
        found
    }

    fn held_by_one(&self) -> Vec<HeldByOne> {
        let seen = self.seen();
        let mut by_name: FxHashMap<Symbol, Vec<&Binding>> = FxHashMap::default();
        for binding in &seen.bindings {
            by_name.entry(binding.name).or_default().push(binding);
        }
        by_name.retain(|_, bindings| bindings.iter().any(|binding| binding.alone.is_some() && !binding.is_none));
        let mut done = FxHashSet::default();
        let mut out = Vec::new();
        for (order, conditions, read) in &seen.reads {
            let Some(bindings) = by_name.get(&read.name).filter(|_| !seen.ends) else { continue };
            if seen.odd.contains(&read.name) || !self.is_of_all(&seen, read.name, conditions) {
                continue;
            }
            let Some((binding, asked, without)) = self.is_missing(bindings, *order, conditions) else { continue };
            let used = self.site(self.model().span(read.expr));
            let here = Failing { function: self.program.function_id(self.file, self.function), name: read.name, used };
            let (failing, handed) = match without.is_none() || read.goes_into_it {
                true => (Some(here), None),
                false => (self.fails_below(read.expr), Some(used)),
            };
            if let Some(failing) = failing
                && done.insert(asked)
            {
                out.push(HeldByOne {
                    function: failing.function,
                    name: failing.name,
                    used: failing.used,
                    bound: self.site(binding.span),
                    asked: self.site(self.model().span(asked)),
                    answered: self.is_answered_alone(asked),
                    without: without.map(|span| self.site(span)),
                    handed,
                });
            }
        }
        out
    }

    /// The binding that one rank alone has run where a variable is read, and where the others have bound it to `None`.
    fn is_missing<'b>(
        &self,
        bindings: &[&'b Binding],
        order: usize,
        conditions: &[Asked],
    ) -> Option<(&'b Binding, ExprId, Option<Span>)> {
        let of_one = bindings.iter().find(|binding| {
            let is_here = binding.alone.is_some() && !binding.is_none && binding.order < order;
            is_here && !self.contradict(&binding.under, conditions) && !self.asks_for_elements(binding)
        })?;
        let mut without = None;
        let beside = |other: &&&Binding| other.alone.is_none() && !self.contradict(&other.under, &of_one.under);
        for other in bindings.iter().filter(beside) {
            if !other.is_none || other.order >= order {
                return None;
            }
            without = Some(other.span);
        }
        Some((*of_one, of_one.alone?, without))
    }

    /// Whether the question is for an element that a loop of the function hands out, a rank among results.
    fn asks_for_elements(&self, binding: &Binding) -> bool {
        let model = self.model();
        let Some(asked) = binding.alone else { return true };
        let names = names_in(model, asked);
        let mut of_loop = false;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| {
            if let Stmt::For { target, .. } = stmt {
                of_loop |= names_in(model, *target).iter().any(|name| names.contains(name));
            }
        });
        of_loop
    }
}
