//! Doubts about who is in the job at all: whoever begins it where it goes on is alone with those who come there too.

use crate::base::{FileId, Site, Symbol};
use crate::flow::{GroupKey, Node, Value, parts};
use crate::model::{
    BinaryOp, Block, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp, blocks_of, each_call, each_statement,
};

use super::super::blocks::function_around;
use super::super::communication::argument;
use super::super::confidence::Evidence;
use super::super::versions::JOINS;
use super::MAX_PARTS;

/// Methods of an MPI communicator that torch has under other names.
const OF_MPI: [&str; 14] = [
    "allgather",
    "Allgather",
    "Allgatherv",
    "allreduce",
    "Allreduce",
    "alltoall",
    "Alltoall",
    "Alltoallv",
    "bcast",
    "Bcast",
    "Barrier",
    "Gather",
    "Scatter",
    "Reduce",
];

impl Evidence<'_, '_> {
    /// Whether the operation is one of MPI, and who asks for the rank knows nothing of MPI: a launcher of torch starts each
    /// process as a job of its own for MPI, unless MPI has started them and each joins as the rank that MPI says it is.
    pub(in crate::graph) fn asks_in_another_world(&self) -> bool {
        let event = self.engine.effects.event(self.main).site;
        let Some(decision) = self.decision.map(|decision| decision.site) else { return false };
        let knows = |file: FileId| self.engine.program.file(file).text.contains("mpi4py");
        let is_of_mpi = self.engine.written_at(event).is_some_and(|(model, expr)| match model.expr(expr) {
            Expr::Call(call) => {
                let name = model.last_name(model.call(call).callee);
                name.is_some_and(|name| OF_MPI.contains(&name.as_str()))
            }
            _ => false,
        });
        is_of_mpi && knows(event.file) && !knows(decision.file) && !self.engine.program.joins_by_mpi(event.file)
    }

    /// Whether a process says of itself which rank it is, in a number, as it joins: the others may join from a place of
    /// their own, `init_rpc("master", rank=0)`.
    pub(in crate::graph) fn says_its_rank_in_a_number(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let is_number = |(model, expr): (&File, ExprId)| {
            let Expr::Call(call) = model.expr(expr) else { return false };
            let rank = argument(model, model.call(call), None, Symbol::new("rank"));
            rank.is_some_and(|rank| matches!(model.expr(rank), Expr::Int(_)))
        };
        self.engine.written_at(event.site).is_some_and(is_number)
    }

    /// Whether those who come to the operation begin a job of their own on the way, and say of how many: who has left
    /// before is not in it.
    pub(in crate::graph) fn begins_a_job_of_its_own(&self) -> bool {
        let event = self.engine.effects.event(self.main).site;
        let Some(decision) = self.decision.map(|decision| decision.site) else { return false };
        let model = &self.engine.program.file(event.file).model;
        let Some(local) = function_around(model, event.span) else { return false };
        let begins = joins_with_numbers(model, local);
        let after = if decision.file == event.file { decision.span.start } else { 0 };
        let is_between = |call: &ExprId| {
            let start = model.span(*call).start;
            start < event.span.start && (start > after || event.span.start < after)
        };
        begins.iter().any(|call| is_between(call) && says_another_size(model, local, *call))
    }

    /// Whether the function says on the way there that it is not run by several ranks: `assert not args.distributed`,
    /// `Trainer(devices=1)`, or it asks a person, `input()`.
    pub(in crate::graph) fn is_said_to_be_alone(&self) -> bool {
        let (file, local) = self.engine.program.locate(self.function);
        let model = &self.engine.program.file(file).model;
        let place = self.calls.first().map_or(self.engine.effects.event(self.main).site, |call| call.0);
        place.file == file && says_to_be_alone(model, model.function(local).body, place)
    }

    /// Whether ranks are told apart by the block that they lie in, of a number of ranks that counts those of the group:
    /// its members lie in one.
    pub(in crate::graph) fn asks_for_the_block(&self) -> bool {
        let (&GroupKey::Axis(along), Some(test)) = (&self.found.group, self.test) else { return false };
        let values = &self.engine.values;
        let counts = |value: Value| {
            values.any_part(value, MAX_PARTS, |part| match *values.node(part) {
                Node::Size(axes) => axes.meets(along),
                _ => false,
            })
        };
        let mut is_block = false;
        let look = |part: Value, further: &mut Vec<Value>| {
            match values.node(part) {
                Node::Binary(BinaryOp::FloorDiv, rank, size) if counts(*size) && !values.vary(*rank).is_empty() => {
                    is_block = true;
                }
                node => further.extend(parts(node)),
            }
            matches!(values.node(part), Node::Rank(_)) && values.vary(part).meets(along)
        };
        values.search(test, MAX_PARTS, look) == Some(false) && is_block
    }
}

/// Whether one of the blocks around the place denies before it that there are several ranks.
fn says_to_be_alone(model: &File, block: Block, place: Site) -> bool {
    let before = model.block(block).iter().take_while(|&&id| model.stmt_span(id).start < place.span.start);
    before.copied().any(|id| {
        let holds = place.span.end <= model.stmt_span(id).end;
        match model.stmt(id) {
            Stmt::Assert(test) if !holds => match model.expr(*test) {
                Expr::Unary(UnaryOp::Not, asked) => {
                    model.last_name(asked).is_some_and(|name| name.as_str().ends_with("distributed"))
                }
                _ => false,
            },
            Stmt::Assign { value, .. } | Stmt::Expr(value) if !holds => is_for_one(model, *value),
            stmt if holds => {
                let around = |block: &Block| {
                    let mut inside = model.block(*block).iter().map(|&id| model.stmt_span(id));
                    inside.any(|at| at.start <= place.span.start && place.span.end <= at.end)
                };
                blocks_of(stmt).into_iter().filter(around).any(|block| says_to_be_alone(model, block, place))
            }
            _ => false,
        }
    })
}

/// Whether a call is one that only a process without peers makes: it asks whoever sits in front of it, or makes a trainer
/// of one device.
fn is_for_one(model: &File, value: ExprId) -> bool {
    let Expr::Call(call) = model.expr(value) else { return false };
    let call = model.call(call);
    let given = |name: &str| {
        let keyword = model.keywords(call).iter().find(|keyword| is_called(keyword.name, name));
        keyword.map(|keyword| model.expr(keyword.value))
    };
    let trains = |name: Symbol| name.as_str().ends_with("Trainer") || name.as_str().ends_with("Fabric");
    let is_one = matches!(given("devices"), Some(Expr::Int(1)))
        && matches!(given("num_nodes"), None | Some(Expr::Int(1)))
        && model.last_name(call.callee).is_some_and(trains);
    let asks = match model.expr(call.callee) {
        Expr::Name(name) => name.as_str() == "input",
        // `input().strip()`
        Expr::Attribute { value, .. } => is_for_one(model, value),
        _ => false,
    };
    is_one || asks
}

/// Calls that begin a job with this process's number and how many there are.
fn joins_with_numbers(model: &File, local: LocalFunction) -> Vec<ExprId> {
    let mut out = Vec::new();
    each_call(model, local, &mut |id, call| {
        let joins = model.last_name(call.callee).is_some_and(|name| JOINS.contains(&name.as_str()));
        let named = |wanted: &str| model.keywords(call).iter().any(|keyword| is_called(keyword.name, wanted));
        if joins && named("rank") && named("world_size") {
            out.push(id);
        }
    });
    out
}

fn is_called(name: Option<Symbol>, wanted: &str) -> bool {
    name.is_some_and(|name| name.as_str() == wanted)
}

/// Whether a job is begun with another number of processes than were started: the function has set it, or works it out.
fn says_another_size(model: &File, local: LocalFunction, call: ExprId) -> bool {
    let mut is_set = false;
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Stmt::Assign { targets, .. } = stmt {
            is_set |= model.list(*targets).iter().any(|&target| match model.expr(target) {
                Expr::Subscript(_, key) => matches!(model.expr(key), Expr::Str(key) if key.as_str() == "WORLD_SIZE"),
                _ => false,
            });
        }
    });
    let Expr::Call(index) = model.expr(call) else { return false };
    let size = model.keywords(model.call(index)).iter().find(|keyword| is_called(keyword.name, "world_size"));
    let is_other = |size: ExprId| match model.expr(size) {
        Expr::Binary(..) => true,
        Expr::Name(name) | Expr::Attribute { name, .. } => !name.as_str().contains("world"),
        _ => false,
    };
    is_set || size.is_some_and(|size| is_other(size.value))
}
