//! Buffers that are as long as what they hold: an object is serialised and gathered as it is, so that each rank hands over
//! as many bytes as its own object needs.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt};

use super::blocks::is_test;
use super::communication::{Communication, Issue, Wanted, calls_in};
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

/// A gathering of buffers that are as long as what they hold.
#[derive(Clone, Debug)]
pub struct Unpadded {
    /// The function.
    pub function: FunctionId,
    /// The operation.
    pub op: Symbol,
    /// The call of it.
    pub site: Site,
    /// Where the object is serialised.
    pub serialised: Site,
    /// By what.
    pub by: Symbol,
    /// How sure.
    pub confidence: Confidence,
}

/// The gatherings of serialised objects that nobody has padded, in order of files. Whoever has asked for the sizes before
/// has thought of it.
pub(super) fn unpadded(program: &Program, communication: &mut Communication<'_>) -> Vec<Unpadded> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        if !model.names().may_hold_any(&SERIALISES.map(Symbol::new)) || !communication.may_reach(file, function) {
            continue;
        }
        let definition = model.function(function);
        let mentions = |names: &[&str]| definition.mentions.iter().any(|name| names.contains(&name.as_str()));
        if !mentions(&SERIALISES) || mentions(&LENGTHENS) {
            continue;
        }
        let calls = calls_in(model, definition.body);
        let first = calls.into_iter().find_map(|(expr, call)| {
            let issue = communication.issued(file, function, expr, call, Wanted::Collective)?;
            Some((expr, call, issue))
        });
        let gathers_itself =
            |(_, _, issue): &(ExprId, Call, Issue)| issue.calls.is_empty() && gathers(issue.op.as_str());
        let Some((expr, call, issue)) = first.filter(gathers_itself) else { continue };
        let place = Place { program, file, function };
        let mut buffers = model.list(call.args).iter().chain(model.keywords(call).iter().map(|keyword| &keyword.value));
        if let Some((serialised, by)) = buffers.find_map(|&buffer| place.serialised(buffer, FUEL)) {
            let sure = if is_test(&program.file(file).path) { Confidence::Low } else { Confidence::Medium };
            out.push(Unpadded {
                function: program.function_id(file, function),
                op: issue.op,
                site: Site { file, span: model.span(expr) },
                serialised,
                by,
                confidence: sure.min(issue.confidence),
            });
        }
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
    /// Where the bytes of a buffer come from, if they are those of one object, cut at most.
    fn serialised(self, buffer: ExprId, fuel: u32) -> Option<(Site, Symbol)> {
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

    fn made_by(self, expr: ExprId, call: Call, fuel: u32) -> Option<(Site, Symbol)> {
        let Place { program, file, function } = self;
        let model = &program.file(file).model;
        let name = model.last_name(call.callee)?;
        let first = model.list(call.args).first().copied();
        // A text says at most how it is encoded; a model encodes what it is handed, into as many numbers each time.
        let is_of_a_text = || first.is_none_or(|codec| matches!(model.expr(codec), Expr::Str(_)));
        if SERIALISES.contains(&name.as_str()) && (name.as_str() != "encode" || is_of_a_text()) {
            return Some((Site { file, span: model.span(expr) }, name));
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
}
