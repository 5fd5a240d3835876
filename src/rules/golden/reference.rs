//! Imports of goldens: static ones, and those by `importlib`, `__import__`, a path, or a string that is executed.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Span, Symbol};
use crate::graph::Program;
use crate::model::{BinaryOp, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement};
use crate::rules::calls::{CallSite, calls_named, last_name, symbols};
use crate::rules::text::{HOLE, Piece, pieces, written};

use super::{Named, golden_named};

/// How the phase of an imported golden comes about.
pub(super) enum Phase {
    /// The source says which.
    Known(Symbol),
    /// It runs over phases: this expression depends on a loop's variable.
    Loop(ExprId),
    /// It is computed from the selected phase into another one.
    Other(ExprId),
    /// It is whatever was selected.
    Selected,
}

/// One import of a golden.
pub(super) struct Import {
    pub span: Span,
    pub function: LocalFunction,
    pub phase: Phase,
}

static LOADERS: LazyLock<FxHashSet<Symbol>> = LazyLock::new(|| {
    symbols([
        "import_module",
        "__import__",
        "spec_from_file_location",
        "SourceFileLoader",
        "run_path",
        "run_module",
        "exec",
        "eval",
        "load_module",
        "load_source",
        "find_spec",
        "_load_truth_golden",
        "load_truth_golden",
        "_load_golden",
        "load_golden",
    ])
});

/// The goldens a file imports by name: one for each statement and phase.
pub(super) fn static_imports(program: &Program, file: FileId) -> Vec<Named> {
    let model = &program.file(file).model;
    let mut out: Vec<Named> = Vec::new();
    for (function, import) in &model.imports {
        let module = import.module.and_then(|module| golden_named(module.as_str()));
        for alias in &import.names {
            let Some(suffix) = module.or_else(|| golden_named(alias.name.as_str())) else { continue };
            let named = Named { suffix: Symbol::new(suffix), span: alias.span, function: *function };
            let statement = statement_of(model, *function, alias.span).unwrap_or(alias.span);
            if !out.iter().any(|one| one.suffix == named.suffix && one.span == statement) {
                out.push(Named { span: statement, ..named });
            }
        }
    }
    out
}

/// The import statement that holds an alias.
fn statement_of(model: &File, function: LocalFunction, alias: Span) -> Option<Span> {
    let mut found = None;
    each_statement(model, model.function(function).body, &mut |id, stmt| {
        let span = model.stmt_span(id);
        if matches!(stmt, Stmt::Import(_)) && span.start <= alias.start && alias.end <= span.end {
            found = Some(span);
        }
    });
    found
}

/// The goldens a file imports at run time.
pub(super) fn dynamic_imports(program: &Program, file: FileId) -> Vec<Import> {
    let model = &program.file(file).model;
    let mut out: Vec<Import> = Vec::new();
    for call in calls_named(program, file, &LOADERS) {
        let truth = call.last_name(model).is_some_and(|name| name.as_str().ends_with("golden"));
        let args = model.list(call.call.args).iter().copied();
        let args: Vec<ExprId> = args.chain(model.keywords(call.call).iter().map(|keyword| keyword.value)).collect();
        let mut found = None;
        for &arg in &args {
            let parts = pieces(program, call, arg);
            let phase = match truth {
                true => holes(program, call, &parts),
                false => phase_of(program, call, &parts),
            };
            found = match (found, phase) {
                (Some(Phase::Selected) | None, Some(phase)) => Some(phase),
                (found, _) => found,
            };
        }
        let span = model.span(call.expr);
        let inside = |one: &Import| one.span.start <= span.start && span.end <= one.span.end;
        if let Some(phase) = found
            && !out.iter().any(inside)
        {
            out.push(Import { span, function: call.function, phase });
        }
    }
    out
}

/// The phase that a module name, a path or an import string stands for; absent when it names no module's golden.
fn phase_of(program: &Program, call: CallSite, parts: &[Piece]) -> Option<Phase> {
    let text = written(parts);
    if let Some(suffix) = golden_named(&text) {
        return Some(Phase::Known(Symbol::new(suffix)));
    }
    let at = text.find("_module")?;
    let tail = &text[at + "_module".len()..];
    let end = tail.find("_golden")?;
    let between = &tail[..end];
    if !between.contains(HOLE) || between.len() > 40 {
        return None;
    }
    holes(program, call, parts)
}

/// Whether what fills the holes runs over phases or moves away from the selected one.
fn holes(program: &Program, call: CallSite, parts: &[Piece]) -> Option<Phase> {
    let mut phase = None;
    for piece in parts {
        let Piece::Hole(function, expr) = piece else { continue };
        let at = CallSite { function: *function, ..call };
        if let Some(part) = loop_variable(program, at, *expr, 4) {
            return Some(Phase::Loop(part));
        }
        if let Some(part) = moved(program, at, *expr, 4) {
            return Some(Phase::Other(part));
        }
        phase = Some(Phase::Selected);
    }
    phase
}

/// The part of `expr` that is a variable of a loop over numbers, or computed from one.
fn loop_variable(program: &Program, call: CallSite, expr: ExprId, fuel: u32) -> Option<ExprId> {
    let fuel = fuel.checked_sub(1)?;
    let model = &program.file(call.file).model;
    if own_loop(model, expr) {
        return None;
    }
    let mut found = None;
    each_expression(model, expr, &mut |id, part| {
        let Expr::Name(name) = part else { return };
        if found.is_some() {
            return;
        }
        if runs_over_phases(model, call.function, name, id) {
            found = Some(id);
        } else if let Some(value) = program.single_assignment(call.file, call.function, name)
            && !within(model, value, id)
        {
            found = loop_variable(program, call, value, fuel).map(|_| id);
        }
    });
    found
}

/// `"".join(str(i) for i in range(1, k + 1))` has a loop of its own, which is not one over phases.
fn own_loop(model: &File, expr: ExprId) -> bool {
    match model.expr(expr) {
        Expr::Call(index) => {
            let call = model.call(index);
            last_name(model, call.callee).is_some_and(|name| name.as_str() == "join")
                && model.list(call.args).iter().any(|&arg| matches!(model.expr(arg), Expr::Comprehension(_)))
        }
        Expr::Comprehension(_) => true,
        _ => false,
    }
}

/// Whether `name` is bound by a `for`, or a comprehension's `for`, that runs over numbers, suffixes or modules and holds
/// the place where it is used.
fn runs_over_phases(model: &File, function: LocalFunction, name: Symbol, used: ExprId) -> bool {
    let at = model.span(used);
    let binds = |target: ExprId| {
        let mut binds = false;
        each_expression(model, target, &mut |_, part| binds |= part == Expr::Name(name));
        binds
    };
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |id, stmt| {
        let whole = model.stmt_span(id);
        if let Stmt::For { target, iter, .. } = stmt
            && binds(*target)
            && whole.start <= at.start
            && at.end <= whole.end
        {
            found |= is_sequence_of_phases(model, *iter);
        }
    });
    for index in 0..model.expr_count() as u32 {
        let id = ExprId(index);
        let whole = model.span(id);
        if let Expr::Comprehension(index) = model.expr(id)
            && whole.start <= at.start
            && at.end <= whole.end
        {
            let clauses = &model.comprehension(index).clauses;
            found |= clauses.iter().any(|clause| binds(clause.target) && is_sequence_of_phases(model, clause.iter));
        }
    }
    found
}

/// `range(…)`, a display of more than one number or text, or something named after phases, suffixes or modules.
fn is_sequence_of_phases(model: &File, iter: ExprId) -> bool {
    match model.expr(iter) {
        Expr::Tuple(parts) | Expr::ListDisplay(parts) | Expr::Set(parts) | Expr::Dict(parts) => {
            model.list(parts).len() > 1
        }
        Expr::Call(index) => {
            let call = model.call(index);
            let last = last_name(model, call.callee).map_or("", Symbol::as_str);
            last == "range"
                || model.list(call.args).iter().any(|&arg| is_sequence_of_phases(model, arg))
                || named_so(last)
        }
        Expr::Name(name) | Expr::Attribute { name, .. } => named_so(name.as_str()),
        _ => false,
    }
}

fn named_so(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["phase", "suffix", "module", "prefixes"].iter().any(|word| name.contains(word))
}

/// The part of `expr` that leads from the selected phase to another: `k - 1`, `suffix[:-1]`, `total_modules`.
fn moved(program: &Program, call: CallSite, expr: ExprId, fuel: u32) -> Option<ExprId> {
    let fuel = fuel.checked_sub(1)?;
    let model = &program.file(call.file).model;
    match model.expr(expr) {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
            let shifts = |side| matches!(model.expr(side), Expr::Int(value) if value != 0);
            (shifts(left) || shifts(right)).then_some(expr)
        }
        Expr::Subscript(_, index) => matches!(model.expr(index), Expr::Slice(_)).then_some(expr),
        Expr::Call(index) if !own_loop(model, expr) => {
            let inner = model.call(index);
            let last = last_name(model, inner.callee)?;
            let computes = last.as_str() == "str" || last.as_str().contains("suffix");
            let &first = model.list(inner.args).first().filter(|_| computes)?;
            moved(program, call, first, fuel)
        }
        Expr::Name(name) | Expr::Attribute { name, .. } => {
            if matches!(name.as_str(), "total_modules" | "module_count" | "num_modules" | "n_modules" | "N") {
                return Some(expr);
            }
            let Expr::Name(name) = model.expr(expr) else { return None };
            let value = program.single_assignment(call.file, call.function, name)?;
            moved(program, call, value, fuel).map(|_| expr)
        }
        _ => None,
    }
}

fn within(model: &File, outer: ExprId, inner: ExprId) -> bool {
    let (outer, inner) = (model.span(outer), model.span(inner));
    outer.start <= inner.start && inner.end <= outer.end
}
