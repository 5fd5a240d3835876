//! Generators of random numbers that a program seeds with the rank: what they give differs between ranks on purpose.

use crate::base::{FileId, Symbol};
use crate::model::{Expr, File, LocalFunction, each_expression, each_statement, expressions_of};

use super::program::Program;

/// Whether the file seeds some generator with what is made of the rank. What others seed may be another program's.
pub(super) fn seeds_by_rank(program: &Program, file: FileId) -> bool {
    let model = &program.file(file).model;
    (0..model.functions.len() as u32).map(LocalFunction).any(|function| {
        let seeds = model.function(function).mentions.iter().any(|&name| is_seeding(name));
        seeds && hands_the_rank(program, model, function)
    })
}

/// `manual_seed`, `set_seed`, `seed_everything`
fn is_seeding(name: Symbol) -> bool {
    name.as_str().contains("seed") && !name.as_str().contains("worker")
}

/// Whether a call of the function that seeds is handed the rank, or something that was made of it just there.
fn hands_the_rank(program: &Program, model: &File, function: LocalFunction) -> bool {
    let of_rank = |name: Symbol| program.catalog.is_rank_by_name(name) || name.as_str() == "get_rank";
    let mut made: Vec<Symbol> = Vec::new();
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let speaks = |root| {
            let mut speaks = false;
            each_expression(model, root, &mut |_, expr| {
                if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                    speaks |= of_rank(name) || made.contains(&name);
                }
            });
            speaks
        };
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                let Expr::Call(call) = expr else { return };
                let call = model.call(call);
                let seeds = model.last_name(call.callee).is_some_and(is_seeding);
                let named = model.keywords(call).iter().map(|keyword| keyword.value);
                found |= seeds && model.list(call.args).iter().copied().chain(named).any(speaks);
            });
        }
        if let Some((targets, value)) = model.assigned(stmt)
            && speaks(value)
        {
            made.extend(targets.iter().filter_map(|&target| model.last_name(target)));
        }
    });
    found
}
