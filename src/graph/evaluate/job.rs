//! Processes that leave the job: who tells itself, before it joins, that the job has one process, communicates with nobody.

use super::super::accesses::is_environment;
use super::arguments::Arguments;
use super::{Engine, Frame};
use crate::base::{FunctionId, Symbol};
use crate::flow::{INITIALIZED, Node, Value};
use crate::graph::program::Program;
use crate::model::{
    Block, CompareOp, Expr, ExprId, File, Stmt, blocks_of, each_call, each_expression, each_statement, expressions_of,
};

/// By what torch knows how many processes there are.
const JOB_SIZE: &str = "WORLD_SIZE";

/// Names that a function mentions which asks for little else than whether the job was joined.
const MAX_MENTIONS: usize = 12;

/// What such a function calls, beside what only counts.
const ASKS: [&str; 6] = ["is_available", "is_initialized", "get", "getenv", "get_world_size", "len"];

/// Whether a function is given nothing and answers true at its end, where the job was joined, and false before that for
/// several reasons that it looks for in a loop: whether one key of the environment after the other is there. In a job of
/// several ranks all of them are.
pub(super) fn answers_whether_joined(program: &Program, function: FunctionId) -> bool {
    let definition = program.function(function);
    if !definition.parameters.is_empty()
        || definition.mentions.len() > MAX_MENTIONS
        || definition.skeleton
        || !definition.mentions.iter().any(|name| name.as_str() == INITIALIZED)
    {
        return false;
    }
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let Some((last, before)) = model.block(definition.body).split_last() else { return false };
    let answers = |stmt: &Stmt, truth: bool| matches!(stmt, Stmt::Return(Some(answer)) if model.expr(*answer) == Expr::Bool(truth));
    let (mut loops, mut denies, mut otherwise) = (false, false, false);
    let mut visit = |stmt: &Stmt| match stmt {
        Stmt::For { .. } => loops = true,
        Stmt::Return(_) if answers(stmt, false) => denies = true,
        Stmt::Return(_) => otherwise = true,
        _ => {}
    };
    for &stmt in before {
        visit(model.stmt(stmt));
        for block in blocks_of(model.stmt(stmt)) {
            each_statement(model, block, &mut |_, stmt| visit(stmt));
        }
    }
    // What a key holds may differ; that it is there does not.
    each_call(model, local, &mut |_, call| {
        otherwise |= !model.last_name(call.callee).is_some_and(|name| ASKS.contains(&name.as_str()));
    });
    let asks_more = |name: &Symbol| program.catalog.is_rank_by_name(*name);
    loops
        && denies
        && !otherwise
        && answers(model.stmt(*last), true)
        && !definition.mentions.iter().any(asks_more)
        && !compares(model, definition.body)
}

/// Whether something in a block is compared by what it is, not by whether it is there.
fn compares(model: &File, body: Block) -> bool {
    let mut found = false;
    each_statement(model, body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                found |= matches!(expr, Expr::Compare(CompareOp::Eq | CompareOp::NotEq, ..));
            });
        }
    });
    found
}

/// What a function knows of the job it is in.
#[derive(Clone, Copy, Default)]
pub(super) struct Job {
    /// Whether this process is the only one.
    pub(super) is_of_one: bool,
    /// What is true where it is.
    where_true: Option<Value>,
    /// Whether something has been issued: who has joined stays.
    pub(super) has_begun: bool,
    /// Whether it was the only one at the end of the arm just left.
    at_end_of_arm: bool,
    returned: Returned,
}

/// What has been returned so far.
#[derive(Clone, Copy, Default)]
struct Returned {
    /// By those that are alone, `True`.
    alone_with_true: bool,
    /// By those that are alone, anything else.
    alone: bool,
    /// By the others, `False` or nothing.
    others_with_false: bool,
    /// By the others, anything else.
    others: bool,
}

/// Whether who has called a function is the only one of its job afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// As far as is known it is not.
    Stays,
    /// It is where the answer is true.
    WhereTrue,
    /// It is.
    Always,
}

impl<'p> Engine<'p> {
    /// Whether the job was joined, as torch answers it.
    pub(super) fn whether_joined(&mut self) -> Value {
        self.values.make(Node::Apply(Symbol::new(INITIALIZED), Box::from([])))
    }

    /// Notes what an entry of the environment is set to.
    pub(super) fn entry_set(&mut self, frame: &mut Frame<'p>, container: ExprId, key: Value, value: Value) {
        if self.is_job_size(key) && is_environment(self.program, frame.file, frame.local, container) {
            self.job_size_set(frame, value);
        }
    }

    /// Notes what `os.environ.update({…})` sets.
    pub(super) fn entries_set(&self, frame: &mut Frame<'p>, called: Symbol, arguments: &Arguments) {
        let Some(given) = arguments.at(0).filter(|_| called.as_str() == "os.environ.update") else { return };
        let Node::Mapping(entries) = self.values.node(given) else { return };
        if let Some(&(_, value)) = entries.iter().find(|(key, _)| self.is_job_size(*key)) {
            self.job_size_set(frame, value);
        }
    }

    fn is_job_size(&self, key: Value) -> bool {
        matches!(self.values.node(key), Node::Str(text) if text.as_str() == JOB_SIZE)
    }

    fn job_size_set(&self, frame: &mut Frame<'p>, value: Value) {
        frame.job.is_of_one = self.is_one(value) && !frame.job.has_begun;
        frame.job.where_true = None;
    }

    /// Whoever joins with a number of processes of its own does not ask the environment.
    pub(super) fn joins(&self, frame: &mut Frame<'p>, arguments: &Arguments) {
        let told = |given: &(Symbol, Value, _)| given.0.as_str() == "world_size" && !self.is_one(given.1);
        frame.job.is_of_one &= !arguments.keywords.iter().any(told);
    }

    fn is_one(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::Int(number) => *number == 1,
            Node::Str(text) => text.as_str() == "1",
            Node::Apply(name, parts) => name.as_str() == "str" && parts.len() == 1 && self.is_one(parts[0]),
            _ => false,
        }
    }

    /// Whether a condition says that there is one process.
    fn says_one(&self, test: Value) -> bool {
        match *self.values.node(test) {
            Node::Compare(CompareOp::Eq, left, right) => {
                matches!(self.values.node(left), Node::Size(axes) if axes.is_all()) && self.is_one(right)
            }
            _ => false,
        }
    }

    /// After two arms, each with whether it was left, and whether the process was the only one at its end.
    pub(super) fn after_arms(
        &mut self,
        frame: &mut Frame<'p>,
        test: Value,
        then: (bool, bool),
        otherwise: (bool, bool),
    ) {
        let negated = match *self.values.node(test) {
            Node::Not(inner) => inner,
            _ => self.values.make(Node::Not(test)),
        };
        let holds = |(is_left, is_of_one): (bool, bool), guard| is_left || is_of_one || self.says_one(guard);
        let is_set = then == (false, true) || otherwise == (false, true);
        let is_of_one = is_set && holds(then, test) && holds(otherwise, negated);
        if !(then.0 && otherwise.0) {
            frame.job.is_of_one = is_of_one;
        }
    }

    /// Notes what a function returns.
    pub(super) fn note_returned(&self, frame: &mut Frame<'p>, value: Value) {
        let returned = &mut frame.job.returned;
        match (frame.job.is_of_one, self.values.node(value)) {
            (true, Node::Bool(true)) => returned.alone_with_true = true,
            (true, _) => returned.alone = true,
            (false, Node::Bool(false) | Node::None) => returned.others_with_false = true,
            (false, _) => returned.others = true,
        }
    }

    /// Whether who has called the function is the only one of its job afterwards.
    pub(super) fn leaves_job(&self, frame: &mut Frame<'p>) -> Leaves {
        if !frame.dead {
            self.note_returned(frame, self.none);
        }
        let Returned { alone_with_true, alone, others_with_false, others } = frame.job.returned;
        match (alone_with_true || alone, others_with_false || others) {
            (true, false) => Leaves::Always,
            (true, true) if !alone && !others => Leaves::WhereTrue,
            _ => Leaves::Stays,
        }
    }

    /// After the call of a function that may have taken this process out of the job.
    pub(super) fn after_leaving(&self, frame: &mut Frame<'p>, leaves: Leaves, result: Value) {
        match leaves {
            _ if frame.job.has_begun => {}
            Leaves::Stays => {}
            Leaves::Always => frame.job.is_of_one = true,
            Leaves::WhereTrue => frame.job.where_true = Some(result),
        }
    }
}

impl Job {
    /// Enters an arm; gives the state to come back to.
    pub(super) fn enter(&mut self, guard: Option<Value>) -> bool {
        let before = self.is_of_one;
        self.is_of_one |= guard.is_some() && guard == self.where_true;
        before
    }

    /// Leaves it again.
    pub(super) fn leave(&mut self, before: bool) {
        self.at_end_of_arm = std::mem::replace(&mut self.is_of_one, before);
    }

    /// Whether the process was the only one at the end of the arm just left.
    pub(super) fn was_of_one(self) -> bool {
        self.at_end_of_arm
    }
}
