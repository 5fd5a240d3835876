//! Variables that one rank alone has: bound, or bound to something, under a question for the rank, and used by all behind
//! it. The others fail there, each for itself, while rank 0 goes on to its next collective and waits.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::model::{
    CompareOp, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, UnaryOp, each_expression, each_statement,
    names_in,
};

use super::blocks::is_test;
use super::communication::Communication;
use super::conduct::bodies;
use super::program::Program;
use super::races::{lets_in_first, may_ask_for_rank, parts_of};
use super::taint::Taint;

mod reads;
mod seen;

use reads::Read;
use seen::{Binding, Seen};

/// Words of questions for whether there are several ranks at all.
const OF_THE_JOB: [&str; 6] = ["initialized", "distributed", "world_size", "num_processes", "gpus", "n_gpu"];

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
    /// What lets that rank in.
    pub asked: Site,
    /// Where it is `None` for the others; absent where they do not have it at all.
    pub without: Option<Site>,
}

/// A condition, and how it has to come out.
type Asked = (ExprId, bool);

/// The variables that one rank alone has in the files.
pub(super) fn held_by_one(program: &Program, taint: &Taint, files: &[FileId]) -> Vec<HeldByOne> {
    let taint = taint.of_ranks(program);
    let mut communication = Communication::new(program);
    let mut out = Vec::new();
    let wanted: FxHashSet<FileId> = files.iter().copied().collect();
    for (file, function) in bodies(program).filter(|(file, _)| wanted.contains(file)) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let asks = || definition.mentions.iter().any(|&name| program.catalog.convention(name).is_some());
        if definition.skeleton
            || !matches!(definition.kind, FunctionKind::Def | FunctionKind::Module)
            || !asks()
            || is_test(&program.file(file).path)
            || !communicates(program, &mut communication, file)
        {
            continue;
        }
        let body = Body { program, taint, file, function };
        if body.lets_in_one() {
            out.extend(body.held_by_one());
        }
    }
    out
}

/// Whether anything in the file leads to a collective: where nothing does, there may be no other rank.
fn communicates(program: &Program, communication: &mut Communication<'_>, file: FileId) -> bool {
    let count = program.file(file).model.functions.len() as u32;
    (0..count).any(|function| communication.may_reach(file, LocalFunction(function)))
}

/// One function.
struct Body<'p> {
    program: &'p Program,
    taint: &'p Taint,
    file: FileId,
    function: LocalFunction,
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

    /// Whether anything in it is asked that lets one rank in.
    fn lets_in_one(&self) -> bool {
        let model = self.model();
        let lets_in = |test: ExprId| [true, false].into_iter().any(|answer| self.lets_in_first((test, answer)));
        let mut found = false;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| match stmt {
            Stmt::If { test, .. } => found |= lets_in(*test),
            Stmt::Assign { value, .. } | Stmt::Annotated { value: Some(value), .. } => {
                if let Expr::IfElse(at) = model.expr(*value) {
                    found |= lets_in(model.if_else(at)[0]);
                }
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
            if let Some((binding, asked, without)) = self.is_missing(bindings, *order, conditions, read)
                && done.insert(asked)
            {
                out.push(HeldByOne {
                    function: self.program.function_id(self.file, self.function),
                    name: read.name,
                    used: self.site(self.model().span(read.expr)),
                    bound: self.site(binding.span),
                    asked: self.site(self.model().span(asked)),
                    without: without.map(|span| self.site(span)),
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
        read: &Read,
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
        let fails = without.is_none() || read.goes_into_it;
        fails.then_some((*of_one, of_one.alone?, without))
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

    /// Whether all ranks come there, as far as the conditions say, whether they have the variable or not.
    fn is_of_all(&self, seen: &Seen, name: Symbol, conditions: &[Asked]) -> bool {
        conditions.iter().all(|&(condition, answer)| {
            let asked = names_in(self.model(), condition);
            let asks_for_job = || {
                let mut found = false;
                each_expression(self.model(), condition, &mut |_, expr| {
                    if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                        found |= OF_THE_JOB.iter().any(|word| name.as_str().contains(word));
                    }
                });
                found
            };
            !self.lets_in_first((condition, answer))
                && !self.lets_in_first((condition, !answer))
                && !asked.iter().any(|asked| {
                    let start = self.model().span(condition).start;
                    *asked == name || seen.told.get(asked).is_some_and(|&told| told < start)
                })
                && !asks_for_job()
                && !parts_of(self.model(), condition).into_iter().any(|part| self.may_ask_for_rank(part))
        })
    }

    /// The same of a part of a question; how large a number is asks for a rank only where it is one.
    fn may_ask_for_rank(&self, part: ExprId) -> bool {
        let model = self.model();
        match model.expr(part) {
            Expr::Compare(CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq, ..) => {
                let is_rank = |name: &Symbol| self.taint.holds(*name) || self.program.catalog.is_rank_by_name(*name);
                let mut found = false;
                each_expression(model, part, &mut |_, expr| {
                    if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                        found |= is_rank(&name);
                    }
                });
                found
            }
            _ => may_ask_for_rank(self.program, self.taint, (self.file, self.function), part),
        }
    }

    /// Whether two lists of conditions cannot both hold: one is asked in both, and answered differently.
    fn contradict(&self, one: &[Asked], other: &[Asked]) -> bool {
        let text = |condition: ExprId| {
            let span = self.model().span(condition);
            self.program.file(self.file).text.get(span.start as usize..span.end as usize)
        };
        one.iter().any(|&asked| {
            let (condition, answer) = self.plain(asked);
            other.iter().map(|&other| self.plain(other)).any(|(other, opposite)| {
                answer != opposite
                    && (condition == other || text(condition).is_some_and(|said| Some(said) == text(other)))
            })
        })
    }

    /// A condition without the `not` in front of it.
    fn plain(&self, (mut condition, mut answer): Asked) -> Asked {
        while let Expr::Unary(UnaryOp::Not, inner) = self.model().expr(condition) {
            (condition, answer) = (inner, !answer);
        }
        (condition, answer)
    }
}
