//! Whether an expression depends on the rank, by what it names: `rank`, `get_rank()`, `os.environ["LOCAL_RANK"]`.

use crate::base::{FileId, Symbol};
use crate::graph::{Program, Scope};
use crate::model::{Expr, ExprId, LocalFunction, each_expression};

/// The first part of `expr` that speaks of the rank, followed through local names that are assigned once.
pub(in crate::rules) fn mention(
    program: &Program,
    file: FileId,
    function: LocalFunction,
    expr: ExprId,
) -> Option<ExprId> {
    mention_within(program, file, function, expr, 5)
}

fn mention_within(program: &Program, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<ExprId> {
    let fuel = fuel.checked_sub(1)?;
    let model = &program.file(file).model;
    let mut found = None;
    each_expression(model, expr, &mut |id, part| {
        if found.is_some() {
            return;
        }
        let speaks = match part {
            Expr::Name(name) => {
                is_rank(name)
                    || match program.scope_of(file, function, name) {
                        Scope::Local(owner) => program
                            .single_assignment(file, owner, name)
                            .filter(|&value| !is_made(program, file, value))
                            .is_some_and(|value| mention_within(program, file, owner, value, fuel).is_some()),
                        Scope::Global => false,
                    }
            }
            Expr::Attribute { name, .. } => is_rank(name),
            Expr::Str(text) => is_rank_key(text) && is_environment_key(program, file, expr, id),
            _ => false,
        };
        if speaks {
            found = Some(id);
        }
    });
    found
}

/// Whether a value is what a function makes of its arguments, and not one of them in another type: what becomes of a rank
/// there nobody has shown.
pub(super) fn is_made(program: &Program, file: FileId, value: ExprId) -> bool {
    let model = &program.file(file).model;
    let Expr::Call(call) = model.expr(value) else { return false };
    let callee = model.call(call).callee;
    let mut speaks = false;
    each_expression(model, callee, &mut |_, part| {
        speaks |= matches!(part, Expr::Name(name) | Expr::Attribute { name, .. } if is_rank(name));
    });
    let converts = |name: Symbol| matches!(name.as_str(), "int" | "bool" | "str" | "float" | "get" | "getenv");
    !speaks && !model.last_name(callee).is_some_and(converts)
}

/// Whether a name conventionally holds this process's rank.
fn is_rank(name: Symbol) -> bool {
    let name = name.as_str();
    let bare = name.trim_start_matches('_').strip_prefix("get_").unwrap_or(name.trim_start_matches('_'));
    let lower = bare.to_ascii_lowercase();
    lower == "rank"
        || lower == "rank_id"
        || lower == "process_index"
        || lower.ends_with("_rank")
        || matches!(lower.as_str(), "is_main_process" | "is_master" | "is_leader" | "is_rank0" | "is_rank_zero")
}

fn is_rank_key(text: Symbol) -> bool {
    matches!(
        text.as_str(),
        "RANK" | "LOCAL_RANK" | "GLOBAL_RANK" | "NODE_RANK" | "GROUP_RANK" | "SLURM_PROCID" | "OMPI_COMM_WORLD_RANK"
    )
}

/// Whether the string is the key of an access to the environment inside `whole`.
fn is_environment_key(program: &Program, file: FileId, whole: ExprId, key: ExprId) -> bool {
    let model = &program.file(file).model;
    let span = model.span(whole);
    program
        .environment()
        .in_file(file)
        .iter()
        .any(|access| access.key_expr == key && span.start <= access.span.start && access.span.end <= span.end)
}
