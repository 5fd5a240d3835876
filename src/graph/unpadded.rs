//! Buffers that are as long as what they hold: an object is serialised and gathered as it is, so that each rank hands over
//! as many bytes as its own object needs, or what passes a question is, of which each rank has as many as it has. Who gathers
//! something says that each rank has its own.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::FILTERS;
use crate::model::{BinaryOp, Call, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, each_expression};

use super::communication::{Communication, Wanted, calls_in};
use super::conduct::bodies;
use super::program::Program;
use super::resolve::Target;
use super::shapes::KEEP_SHAPE;

/// How far the making of a buffer is followed.
const FUEL: u32 = 10;

/// Functions and methods that turn an object into bytes, as many as it needs.
const SERIALISES: [&str; 3] = ["dumps", "encode", "getvalue"];

/// Functions that make a tensor of bytes, or hold them for it.
const HOLDS: [&str; 13] = [
    "tensor",
    "as_tensor",
    "asarray",
    "array",
    "from_numpy",
    "frombuffer",
    "from_buffer",
    "ByteTensor",
    "CharTensor",
    "UntypedStorage",
    "bytearray",
    "bytes",
    "list",
];

/// What makes a buffer longer, by its name.
const LENGTHENS: [&str; 4] = ["pad", "resize_", "ljust", "zfill"];

/// What gives a buffer a length of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// An object is serialised by a function of that name.
    Serialised(Symbol),
    /// Elements are picked: those that pass a question, or differ from each other.
    Picked,
}

/// Words of what is the same on all ranks that train one model.
const WEIGHTS: [&str; 11] = [
    "weight",
    "weights",
    "param",
    "params",
    "parameter",
    "parameters",
    "grad",
    "grads",
    "gradients",
    "model",
    "config",
];

/// A gathering of buffers that are as long as what they hold.
#[derive(Clone, Debug)]
pub struct Unpadded {
    /// The function.
    pub function: FunctionId,
    /// The operation.
    pub op: Symbol,
    /// The call of it.
    pub site: Site,
    /// Where the object is serialised, or the elements are picked.
    pub made: Site,
    /// How.
    pub by: Made,
    /// How sure.
    pub confidence: Confidence,
}

/// The gatherings of serialised objects that nobody has padded, in order of files. Whoever has asked for the sizes before
/// has thought of it.
pub(super) fn unpadded(program: &Program, communication: &mut Communication<'_>) -> Vec<Unpadded> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        if !communication.may_reach(file, function) {
            continue;
        }
        let definition = model.function(function);
        if definition.mentions.iter().any(|name| LENGTHENS.contains(&name.as_str())) {
            continue;
        }
        let place = Place { program, file, function };
        let calls = calls_in(model, definition.body);
        let mut suspect = |&(expr, call): &(ExprId, Call)| {
            let issue = communication.itself(file, function, expr, call)?;
            place.gathered(call, issue.op, issue.on_world)
        };
        // Few calls are: what all others issue is asked of those that stand in front of one.
        let Some((at, found)) = calls.iter().enumerate().find_map(|(at, call)| Some((at, suspect(call)?))) else {
            continue;
        };
        let mut first = calls[..=at].iter().enumerate().filter_map(|(at, &(expr, call))| {
            Some((at, communication.issued(file, function, expr, call, Wanted::Collective)?))
        });
        let Some((_, issue)) = first.next().filter(|(first, issue)| *first == at && issue.calls.is_empty()) else {
            continue;
        };
        let (made, by) = found;
        let sure = if program.file(file).is_test() { Confidence::Low } else { Confidence::Medium };
        out.push(Unpadded {
            function: program.function_id(file, function),
            op: issue.op,
            site: issue.site,
            made,
            by,
            confidence: sure.min(issue.confidence),
        });
    }
    out
}

/// Whether each rank hands over something of its own, and gets what the others have: tensors, not objects.
fn gathers(op: &str) -> bool {
    op.contains("gather") && !op.contains("object")
}

#[derive(Clone, Copy)]
struct Place<'p> {
    program: &'p Program,
    file: FileId,
    function: LocalFunction,
}

impl Place<'_> {
    /// What gives a buffer that is gathered, or summed up on the whole world, a length of its own.
    fn gathered(self, call: Call, op: Symbol, on_world: bool) -> Option<(Site, Made)> {
        let model = &self.program.file(self.file).model;
        let named = model.keywords(call).iter().map(|keyword| keyword.value);
        let buffers: Vec<ExprId> = model.list(call.args).iter().copied().chain(named).collect();
        let serialises = || buffers.iter().find_map(|&buffer| self.serialised(buffer, FUEL));
        let picks = || buffers.iter().find_map(|&buffer| self.picked(buffer, FUEL));
        match op.as_str() {
            op if gathers(op) => serialises().or_else(picks),
            // What is summed up in a smaller group may be what its members have alike.
            "all_reduce" if on_world => picks(),
            _ => None,
        }
    }

    /// Where the bytes of a buffer come from, if they are those of one object, cut at most.
    fn serialised(self, buffer: ExprId, fuel: u32) -> Option<(Site, Made)> {
        let fuel = fuel.checked_sub(1)?;
        let Place { program, file, function } = self;
        let model: &File = &program.file(file).model;
        match model.expr(buffer) {
            Expr::Name(name) => self.serialised(program.single_assignment(file, function, name)?, fuel),
            // A piece of it is as long as that at most.
            Expr::Subscript(whole, index) if matches!(model.expr(index), Expr::Slice(_)) => {
                self.serialised(whole, fuel)
            }
            Expr::Call(call) => self.made_by(buffer, model.call(call), fuel),
            _ => None,
        }
    }

    fn made_by(self, expr: ExprId, call: Call, fuel: u32) -> Option<(Site, Made)> {
        let Place { program, file, function } = self;
        let model = &program.file(file).model;
        let name = model.last_name(call.callee)?;
        let first = model.list(call.args).first().copied();
        // A text says at most how it is encoded; a model encodes what it is handed, into as many numbers each time.
        let is_of_a_text = || first.is_none_or(|codec| matches!(model.expr(codec), Expr::Str(_)));
        if SERIALISES.contains(&name.as_str()) && (name.as_str() != "encode" || is_of_a_text()) {
            return Some((Site { file, span: model.span(expr) }, Made::Serialised(name)));
        }
        if let Some(Target::Function(called)) = program.target(file, function, call.callee) {
            let (file, function) = program.locate(called);
            let model = &program.file(file).model;
            let &[.., last] = model.block(model.function(function).body) else { return None };
            let Stmt::Return(Some(made)) = *model.stmt(last) else { return None };
            return Place { program, file, function }.serialised(made, fuel);
        }
        match model.expr(call.callee) {
            _ if HOLDS.contains(&name.as_str()) => self.serialised(first?, fuel),
            Expr::Attribute { value, .. } if KEEP_SHAPE.contains(&name.as_str()) => self.serialised(value, fuel),
            _ => None,
        }
    }

    /// Where the elements of a buffer are picked out of others by what they are.
    fn picked(self, buffer: ExprId, fuel: u32) -> Option<(Site, Made)> {
        let fuel = fuel.checked_sub(1)?;
        let model: &File = &self.program.file(self.file).model;
        let here = Some((Site { file: self.file, span: model.span(buffer) }, Made::Picked));
        match model.expr(buffer) {
            Expr::Name(name) => self.picked(self.assigned(name)?, fuel),
            // What belongs to the model all ranks have alike, and pick alike.
            Expr::Subscript(whole, index) if self.is_mask(index, fuel) && !speaks_of_weights(model, whole) => here,
            Expr::Subscript(found, place) if matches!(model.expr(place), Expr::Int(_)) => self.picked(found, fuel),
            Expr::Call(index) => {
                let call = model.call(index);
                let name = model.last_name(call.callee)?;
                let given = model.list(call.args);
                let value = match model.expr(call.callee) {
                    Expr::Attribute { value, .. } => Some(value),
                    _ => None,
                };
                let weights = given.iter().copied().chain(value).any(|part| speaks_of_weights(model, part));
                let as_many_as_there_are = |keyword: &str| {
                    model.keywords(call).iter().all(|given| given.name.is_some_and(|name| name.as_str() != keyword))
                };
                match name.as_str() {
                    _ if weights => None,
                    name if FILTERS.contains(&name) => here,
                    "bincount" if as_many_as_there_are("minlength") && given.len() < 2 => here,
                    "where" if given.len() == 1 && model.keywords(call).is_empty() => here,
                    name if KEEP_SHAPE.contains(&name) => self.picked(value?, fuel),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether an index says of each element whether it is picked.
    fn is_mask(self, index: ExprId, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let model: &File = &self.program.file(self.file).model;
        match model.expr(index) {
            Expr::Compare(op, ..) => !matches!(op, CompareOp::In | CompareOp::NotIn | CompareOp::Is | CompareOp::IsNot),
            Expr::Binary(BinaryOp::BitAnd | BinaryOp::BitOr, left, right) => {
                self.is_mask(left, fuel) || self.is_mask(right, fuel)
            }
            Expr::Name(name) => self.assigned(name).is_some_and(|made| self.is_mask(made, fuel)),
            _ => false,
        }
    }

    /// What the function gives a name of its own, if it does so once.
    fn assigned(self, name: Symbol) -> Option<ExprId> {
        self.program.single_assignment(self.file, self.function, name)
    }
}

/// Whether it is about what a model is made of: its weights, and their gradients.
fn speaks_of_weights(model: &File, expr: ExprId) -> bool {
    let mut speaks = false;
    each_expression(model, expr, &mut |_, part| {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = part {
            let words = name.as_str().split('_');
            speaks |= words.into_iter().any(|word| WEIGHTS.contains(&word));
        }
    });
    speaks
}
