//! Files that deal out data in equal shares: as the sampler of torch does, or filled up or cut to a multiple of the number of
//! ranks.

use crate::base::FileId;
use crate::model::{BinaryOp, CompareOp, Expr, ExprId, File};

use super::program::Program;

/// The sampler of torch that fills up the shares of its ranks until they are as large.
const EVEN: &str = "DistributedSampler";

/// What the number of ranks is called.
const SIZES: [&str; 8] =
    ["world_size", "num_replicas", "num_processes", "get_world_size", "num_shards", "n_ranks", "num_ranks", "world"];

/// Whether the file deals out data in shares that are as large as each other.
pub(super) fn deals_out_evenly(program: &Program, file: FileId) -> bool {
    program.file(file).text.contains(EVEN) || fills_up(program, file)
}

/// Whether the file asks whether what is there comes out even among the ranks, or works out how much is missing or left over:
/// `n % world_size == 0`, `world_size - n % world_size`, `n - n % world_size`.
pub(super) fn fills_up(program: &Program, file: FileId) -> bool {
    let model = &program.file(file).model;
    let is_remainder = |expr: ExprId| match model.expr(expr) {
        Expr::Binary(BinaryOp::Mod, number, size) => is_size(model, size) && counts_data(model, number),
        _ => false,
    };
    let shows_it = |expr: Expr| match expr {
        Expr::Compare(CompareOp::Eq | CompareOp::NotEq, left, right) => {
            is_remainder(left) && model.expr(right) == Expr::Int(0)
        }
        Expr::Binary(BinaryOp::Sub, _, rest) => is_remainder(rest),
        _ => false,
    };
    model.expressions().any(shows_it)
}

fn is_size(model: &File, size: ExprId) -> bool {
    let name = match model.expr(size) {
        Expr::Call(call) => model.last_name(model.call(call).callee),
        _ => model.last_name(size),
    };
    name.is_some_and(|name| SIZES.contains(&name.as_str().trim_start_matches('_')))
}

/// Whether a number counts what is dealt out: a length, or what is called a number of samples. How large a batch is is another
/// matter.
fn counts_data(model: &File, number: ExprId) -> bool {
    let is_length = |callee: ExprId| model.last_name(callee).is_some_and(|name| name.as_str() == "len");
    match model.expr(number) {
        Expr::Call(call) => is_length(model.call(call).callee),
        _ => model.last_name(number).is_some_and(|name| {
            let mut words = name.as_str().split('_');
            words.clone().all(|word| word != "batch") && words.any(|word| COUNTS.contains(&word))
        }),
    }
}

/// Words of what counts the data that there is.
const COUNTS: [&str; 12] =
    ["n", "num", "total", "count", "length", "len", "size", "samples", "examples", "rows", "remainder", "items"];
