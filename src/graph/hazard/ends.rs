//! Blocks that nobody comes back from: they raise, or end the process.

use super::super::communication::Communication;
use super::super::program::Program;
use crate::base::FileId;
use crate::catalog::Entry;
use crate::model::{Block, Call, Expr, File, LocalFunction, Stmt, StmtId, each_statement};

/// Whether the block never comes back: every way through it raises or ends the process.
pub fn never_returns(
    communication: &mut Communication<'_>,
    program: &Program,
    file: FileId,
    function: LocalFunction,
    block: Block,
    depth: u32,
) -> bool {
    let model = &program.file(file).model;
    // A way that has left before comes back elsewhere: `if "out of memory" in str(error): continue`, and then `raise`.
    let reached = model.block(block).iter().take_while(|&&id| !may_leave(model, id));
    reached.copied().collect::<Vec<_>>().into_iter().any(|id| match model.stmt(id) {
        Stmt::Raise(_) => true,
        Stmt::If { body, orelse, .. } => {
            !orelse.is_empty()
                && never_returns(communication, program, file, function, *body, depth)
                && never_returns(communication, program, file, function, *orelse, depth)
        }
        Stmt::With { body, .. } => never_returns(communication, program, file, function, *body, depth),
        Stmt::Try(parts) => {
            never_returns(communication, program, file, function, parts.finally, depth)
                || never_returns(communication, program, file, function, parts.body, depth)
        }
        Stmt::Expr(value) => {
            let Expr::Call(call) = model.expr(*value) else { return false };
            ends(communication, program, file, function, model.call(call), depth)
        }
        _ => false,
    })
}

/// Whether a statement goes on elsewhere under a condition: back to the loop around, or to the caller.
fn may_leave(model: &File, id: StmtId) -> bool {
    let Stmt::If { body, orelse, .. } = model.stmt(id) else { return false };
    let mut leaves = false;
    for block in [*body, *orelse] {
        each_statement(model, block, &mut |_, stmt| {
            leaves |= matches!(stmt, Stmt::Return(_) | Stmt::Break | Stmt::Continue);
        });
    }
    leaves
}

/// Whether a call ends the process, or says by its name that it does.
fn ends(
    communication: &mut Communication<'_>,
    program: &Program,
    file: FileId,
    function: LocalFunction,
    call: Call,
    depth: u32,
) -> bool {
    let model = &program.file(file).model;
    if let Some(dotted) = program.resolve(file, function, call.callee) {
        if matches!(program.catalog.entry(dotted), Some(Entry::Exit)) {
            return true;
        }
        if matches!(
            dotted.as_str(),
            "os.kill" | "os.killpg" | "pytest.fail" | "pytest.skip" | "traceback.print_exception"
        ) {
            return dotted.as_str() != "traceback.print_exception";
        }
    }
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { return false };
    const WORDS: [&str; 14] = [
        "kill",
        "abort",
        "terminate",
        "exit",
        "send_signal",
        "crash",
        "fatal",
        "fail",
        "panic",
        "reraise",
        "skipTest",
        "shutdown",
        "raise",
        "rethrow",
    ];
    let name = name.as_str();
    if WORDS.iter().any(|word| name.split('_').any(|part| part == *word) || name == *word) || name.starts_with("kill") {
        return true;
    }
    let Some(next) = depth.checked_sub(1) else { return false };
    let Some((called, _)) = communication.callee(file, function, call) else { return false };
    let (file, local) = program.locate(called);
    let body = program.file(file).model.function(local).body;
    never_returns(communication, program, file, local, body, next)
}
