//! Ranks that hold nothing leave before an exchange in which each hands every other its share: the others wait for theirs,
//! empty as it is.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{
    Call, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, StmtId, UnaryOp, each_statement, names_in,
};

use super::blocks::calls_of;
use super::communication::{Communication, Issue, Wanted};
use super::conduct::bodies;
use super::program::Program;

/// A rank that leaves because it has nothing to exchange.
#[derive(Clone, Debug)]
pub struct NothingToSend {
    /// The function.
    pub function: FunctionId,
    /// The question whether there is anything.
    pub test: Site,
    /// The exchange behind it.
    pub issue: Issue,
    /// How sure.
    pub confidence: Confidence,
}

/// Functions that leave so before the first thing that they ask of their peers, in order of files. That a rank exchanges
/// something with others, or gathers it from them, says that each has its own: how much it is they cannot know of each
/// other. Other collectives may be about what all have alike.
pub(super) fn nothing_to_send(program: &Program, communication: &mut Communication<'_>) -> Vec<NothingToSend> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let body = model.block(model.function(function).body);
        let Some((test, behind)) =
            body.iter().zip(1..).find_map(|(&id, behind)| Some((leaves_with_nothing(model, id)?, behind)))
        else {
            continue;
        };
        if !communication.may_reach(file, function) {
            continue;
        }
        let mut first_in = |ids: &[StmtId]| {
            let mut calls = ids.iter().flat_map(|&id| calls_of(model, id));
            calls.find_map(|(expr, call)| {
                Some((call, communication.issued(file, function, expr, call, Wanted::Collective)?))
            })
        };
        let (before, after) = body.split_at(behind);
        let place = Place { program, file, function };
        let exchanges = |(call, issue): &(Call, Issue)| match issue.op.as_str() {
            op if op.starts_with("all_to_all") => asks_for_nothing(model, test),
            op if op.contains("gather") && issue.calls.is_empty() && !issue.implicit => {
                place.gathers_what_is_asked(test, *call, op.contains("object"))
            }
            _ => false,
        };
        let Some((_, issue)) = first_in(after).filter(exchanges) else { continue };
        if first_in(before).is_none() {
            let sure = if program.file(file).is_test() { Confidence::Low } else { Confidence::Medium };
            out.push(NothingToSend {
                function: program.function_id(file, function),
                test: Site { file, span: model.span(test) },
                confidence: sure.min(issue.confidence),
                issue,
            });
        }
    }
    out
}

/// What a statement asks that leaves where there is nothing.
fn leaves_with_nothing(model: &File, id: StmtId) -> Option<ExprId> {
    let Stmt::If { test, body, .. } = *model.stmt(id) else { return None };
    let returns = matches!(model.block(body).last().map(|&last| model.stmt(last)), Some(Stmt::Return(_)));
    let asks = asks_for_nothing(model, test) || none_of(model, test).is_some();
    (returns && asks).then_some(test)
}

/// The list of which a question asks whether there is nothing in it: `not hits`.
fn none_of(model: &File, test: ExprId) -> Option<Symbol> {
    let Expr::Unary(UnaryOp::Not, list) = model.expr(test) else { return None };
    match model.expr(list) {
        Expr::Name(name) => Some(name),
        _ => None,
    }
}

/// Words in the names of what a model is made of.
const OF_MODELS: [&str; 8] = ["param", "weight", "grad", "tensors", "module", "group", "layer", "bucket"];

/// One function.
#[derive(Clone, Copy)]
struct Place<'p> {
    program: &'p Program,
    file: FileId,
    function: LocalFunction,
}

impl Place<'_> {
    /// Whether it is what a question found empty that a call hands over, as it is or put together: who gathers it from all
    /// says that each has its own.
    fn gathers_what_is_asked(self, test: ExprId, call: Call, objects: bool) -> bool {
        let model = &self.program.file(self.file).model;
        let parameters = &model.function(self.function).parameters;
        if let Some(list) = none_of(model, test) {
            // What need not be handed over is handed over by all or by none.
            let optional = parameters.iter().any(|parameter| parameter.name == list && parameter.default.is_some());
            if !self.is_picked(list) && (optional || !objects) {
                return false;
            }
        }
        let asked = names_in(model, test);
        let given = model.list(call.args).iter().copied();
        let given = given.chain(model.keywords(call).iter().map(|keyword| keyword.value));
        let mut handed: Vec<Symbol> = given.flat_map(|value| names_in(model, value)).collect();
        for at in 0..handed.len() {
            let made = self.program.single_assignment(self.file, self.function, handed[at]);
            handed.extend(made.into_iter().flat_map(|made| names_in(model, made)));
        }
        let is_own = |name: &Symbol| {
            let bound = model.function(self.function).binds(*name);
            bound || parameters.iter().any(|parameter| parameter.name == *name)
        };
        // Parts of the model all ranks have alike, or sharded among them in equal numbers.
        let of_model = |name: &Symbol| OF_MODELS.iter().any(|word| name.as_str().contains(word));
        asked.iter().any(|name| name.as_str() != "self" && is_own(name) && !of_model(name) && handed.contains(name))
    }

    /// Whether a list holds what passed a question: `[hit for hit in hits if …]`.
    fn is_picked(self, list: Symbol) -> bool {
        let model = &self.program.file(self.file).model;
        let mut picked = false;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| {
            if let Some((targets, value)) = model.assigned(stmt)
                && targets.iter().any(|&target| model.expr(target) == Expr::Name(list))
                && let Expr::Comprehension(index) = model.expr(value)
            {
                let clauses = &model.comprehension(index).clauses;
                picked |= clauses.iter().any(|clause| !model.list(clause.conditions).is_empty());
            }
        });
        picked
    }
}

/// `tokens.numel() == 0`, `tokens.shape[0] == 0`, `len(tokens) < 1`, `not len(tokens)`
fn asks_for_nothing(model: &File, test: ExprId) -> bool {
    match model.expr(test) {
        Expr::Compare(CompareOp::Eq | CompareOp::LessEq, count, zero) => {
            model.expr(zero) == Expr::Int(0) && is_count(model, count)
        }
        Expr::Compare(CompareOp::Less, count, one) => model.expr(one) == Expr::Int(1) && is_count(model, count),
        Expr::Unary(UnaryOp::Not, count) => is_count(model, count),
        _ => false,
    }
}

/// How many there are in a tensor or a list.
fn is_count(model: &File, count: ExprId) -> bool {
    match model.expr(count) {
        Expr::Call(call) => {
            let called = model.last_name(model.call(call).callee);
            called.is_some_and(|name| matches!(name.as_str(), "len" | "numel" | "nelement" | "size"))
        }
        Expr::Subscript(shape, _) => {
            matches!(model.expr(shape), Expr::Attribute { name, .. } if name.as_str() == "shape")
        }
        _ => false,
    }
}
