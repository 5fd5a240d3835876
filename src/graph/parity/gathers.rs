//! Calls that let ranks see each other's values, and what the functions around them make of these.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::helpers::called;
use super::super::program::Program;
use super::super::resolve::Target;
use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::catalog::Entry;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of};

/// A call that lets ranks see each other's values.
pub(super) struct Gather {
    pub name: &'static str,
    /// Where it takes this rank's value.
    position: usize,
    keyword: &'static str,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
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
pub(super) const BROADCAST: &str = "broadcast_object_list";

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

pub(super) static NAMES: LazyLock<FxHashMap<Symbol, &'static Gather>> =
    LazyLock::new(|| GATHERS.iter().map(|gather| (Symbol::new(gather.name), gather)).collect());

/// This rank's value among the arguments of a gather.
pub(super) fn payload(model: &File, call: Call, gather: &Gather) -> Option<ExprId> {
    let keyword = model.keywords(call).iter().find(|one| one.name.is_some_and(|name| name.as_str() == gather.keyword));
    keyword.map(|one| one.value).or_else(|| model.list(call.args).get(gather.position).copied())
}

/// Whether a function puts bytes into tensors.
pub(super) fn packs_bytes(model: &File, function: LocalFunction) -> bool {
    model
        .function(function)
        .mentions
        .iter()
        .any(|name| matches!(name.as_str(), "frombuffer" | "bytearray" | "ByteStorage"))
}

/// Whether a place stands behind a statement of the body that always leaves it.
pub(super) fn is_dead(model: &File, function: LocalFunction, at: Span) -> bool {
    let mut statements = model.block(model.function(function).body).iter();
    statements
        .any(|&id| matches!(model.stmt(id), Stmt::Return(_) | Stmt::Raise(_)) && model.stmt_span(id).end <= at.start)
}

/// Whether a function compares anything, or refuses to go on.
pub(super) fn judges(model: &File, function: LocalFunction) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        found |= matches!(stmt, Stmt::Raise(_) | Stmt::Assert(_));
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| found |= matches!(expr, Expr::Compare(..)));
        }
    });
    found
}

/// Whether a callee that bears the name of a gather may be one. A function of the program is, where it communicates: one
/// that works out what a gather costs bears the same name. Of what is not found the name is all there is.
pub(super) fn may_gather(program: &Program, file: FileId, function: LocalFunction, callee: ExprId) -> bool {
    let Some(target) = called(program, file, function, callee) else { return true };
    // Which class an object is of says somebody else: one that communicates may stand in for its base.
    let namesakes = match program.function(target).class {
        Some(_) => program.methods_named(program.function(target).name),
        None => &[],
    };
    namesakes.iter().chain([&target]).any(|&one| communicates(program, one))
}

/// How many calls deep an operation is looked for.
const WAY: u32 = 5;

/// Whether a function issues an operation, itself or through the functions of the program that it calls.
fn communicates(program: &Program, function: FunctionId) -> bool {
    let mut seen = FxHashSet::from_iter([function]);
    let mut level = vec![function];
    for _ in 0..WAY {
        let mut next = Vec::new();
        for function in level {
            if program.catalogued(function).is_some() {
                return true;
            }
            let (file, local) = program.locate(function);
            let model = &program.file(file).model;
            for callee in &model.function(local).callees {
                match called(program, file, local, callee.expr) {
                    Some(further) if seen.insert(further) => next.push(further),
                    Some(_) => {}
                    None if is_operation(program, file, local, callee.expr) => return true,
                    None => {}
                }
            }
        }
        level = next;
    }
    false
}

/// Whether a callee that is no function of the program is an operation. Of what is not found the name is all there is.
fn is_operation(program: &Program, file: FileId, function: LocalFunction, callee: ExprId) -> bool {
    let known = match program.target(file, function, callee) {
        Some(Target::External(dotted)) => program.catalog.entry(dotted),
        _ => None,
    };
    match known {
        Some(entry) => matches!(entry, Entry::Operation(_)),
        None => gather_named(&program.file(file).model, callee).is_some(),
    }
}

/// The gather that a callee names; `set` only on something called a store.
pub(super) fn gather_named(model: &File, callee: ExprId) -> Option<&'static Gather> {
    let gather = *NAMES.get(&model.last_name(callee)?)?;
    if gather.kind != Kind::Store {
        return Some(gather);
    }
    let Expr::Attribute { value, .. } = model.expr(callee) else { return None };
    model.last_name(value)?.as_str().to_ascii_lowercase().ends_with("store").then_some(gather)
}
