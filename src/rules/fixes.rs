//! How rules write fixes: edits made from the places of expressions and from the text between them.
//!
//! A fix that cannot be spelled for certain is absent: a comment in the way, arguments that the call does not spell out.

use crate::base::{FileId, Site, Span, Symbol};
use crate::finding::{Edit, Fix};
use crate::graph::Program;
use crate::model::{Alias, Call, ComprehensionKind, Expr, ExprId, File, LocalFunction, Stmt};

use super::calls::{keyword, passes_unseen};

/// Whether a fix keeps what the program does for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Safety {
    /// It does.
    Safe,
    /// It may change more than the finding.
    Unsafe,
}

/// A fix.
pub(super) fn fix(safety: Safety, message: impl Into<String>, edits: Vec<Edit>) -> Fix {
    Fix { message: message.into(), safe: safety == Safety::Safe, edits }
}

/// Puts `content` in the place of a span.
pub(super) fn replacement(file: FileId, span: Span, content: impl Into<String>) -> Edit {
    Edit { site: Site { file, span }, content: content.into() }
}

/// Puts `content` at an offset.
pub(super) fn insertion(file: FileId, at: u32, content: impl Into<String>) -> Edit {
    replacement(file, Span::new(at, at), content)
}

/// Puts something before and behind an expression.
pub(super) fn around(file: FileId, span: Span, before: &str, behind: &str) -> Vec<Edit> {
    vec![insertion(file, span.start, before), insertion(file, span.end, behind)]
}

/// The text at a site.
pub(super) fn text_at(program: &Program, site: Site) -> Option<&str> {
    program.file(site.file).text.get(site.span.start as usize..site.span.end as usize)
}

/// Whether `name` means Python's own function at a place.
pub(super) fn is_builtin(program: &Program, file: FileId, function: LocalFunction, name: &'static str) -> bool {
    use crate::graph::{Scope, Target};
    let name = Symbol::new(name);
    match program.scope_of(file, function, name) {
        Scope::Local(_) => false,
        Scope::Global => match program.global(file, name) {
            None => true,
            Some(Target::External(known)) => known == name,
            Some(_) => false,
        },
    }
}

/// Adds an argument by name behind those that the call passes. `expr` is the call.
pub(super) fn added_argument(
    program: &Program,
    file: FileId,
    expr: ExprId,
    call: Call,
    name: &str,
    value: &str,
) -> Option<Edit> {
    let model = &program.file(file).model;
    if keyword(model, call, name).is_some() || passes_unseen(model, call) {
        return None;
    }
    let args = model.list(call.args);
    let alone = args.len() == 1 && model.keywords(call).is_empty();
    if alone && is_generator(model, args[0]) {
        return None;
    }
    let span = model.span(expr);
    let close = span.end.checked_sub(1)?;
    let keywords = model.keywords(call).iter().map(|keyword| keyword.value);
    let last = args.iter().copied().chain(keywords).map(|arg| model.span(arg).end).max();
    let from = last.unwrap_or(model.span(call.callee).end);
    let text = &*program.file(file).text;
    let between = text.get(from as usize..close as usize)?;
    if between.contains('#') || text.get(close as usize..span.end as usize) != Some(")") {
        return None;
    }
    let at = from + between.trim_end().len() as u32;
    let written = match (last, between.trim_end().ends_with(',')) {
        (None, _) => format!("{name}={value}"),
        (Some(_), true) => format!(" {name}={value},"),
        (Some(_), false) => format!(", {name}={value}"),
    };
    Some(insertion(file, at, written))
}

/// How `name` of a module is written at a place, and the import that this needs where the file has none of it yet. Absent where
/// it cannot be said what the name means there, or where an import would have to stand.
pub(super) fn imported(
    program: &Program,
    file: FileId,
    function: LocalFunction,
    before: u32,
    (module, name): (&'static str, &'static str),
) -> Option<(String, Option<Edit>)> {
    use crate::graph::{Scope, Target};
    let model = &program.file(file).model;
    let means = |name: Symbol| match program.scope_of(file, function, name) {
        Scope::Local(_) => Meaning::Other,
        Scope::Global => match program.global(file, name) {
            None => Meaning::Nothing,
            Some(Target::External(dotted)) => Meaning::External(dotted),
            Some(_) => Meaning::Other,
        },
    };
    let bound = |alias: &Alias| alias.alias.unwrap_or(alias.name);
    // Imports that always run: those on the module's own level, above the place.
    let top = model.block(model.function(LocalFunction(0)).body).iter().copied();
    let imports = top.filter_map(|id| match model.stmt(id) {
        Stmt::Import(import) if model.stmt_span(id).start < before => Some((model.stmt_span(id), import)),
        _ => None,
    });
    let mut place = None;
    for (span, import) in imports {
        let from = import.module.map(|module| module.as_str());
        if import.from && import.level == 0 && from == Some("__future__") {
            continue;
        }
        place = place.or(Some(span.start));
        for alias in &import.names {
            let (wanted, written) = match import.from {
                true if from == Some(module) && import.level == 0 && alias.name.as_str() == name => {
                    (format!("{module}.{name}"), bound(alias).as_str().to_owned())
                }
                false if alias.name.as_str() == module => (module.to_owned(), format!("{}.{name}", bound(alias))),
                _ => continue,
            };
            if matches!(means(bound(alias)), Meaning::External(dotted) if dotted.as_str() == wanted) {
                return Some((written, None));
            }
        }
    }
    let place = place?;
    let text = &*program.file(file).text;
    let line = text[..place as usize].rfind('\n').map_or(0, |at| at + 1);
    if !matches!(means(Symbol::new(name)), Meaning::Nothing) || !text[line..place as usize].is_empty() {
        return None;
    }
    Some((name.to_owned(), Some(insertion(file, place, format!("from {module} import {name}\n")))))
}

/// What a name stands for.
enum Meaning {
    Nothing,
    External(Symbol),
    Other,
}

fn is_generator(model: &File, expr: ExprId) -> bool {
    match model.expr(expr) {
        Expr::Comprehension(index) => model.comprehension(index).kind == ComprehensionKind::Generator,
        _ => false,
    }
}

/// The expression that spans exactly this, the outermost one where there are several.
pub(super) fn expression_at(model: &File, span: Span) -> Option<ExprId> {
    (0..model.expr_count() as u32).rev().map(ExprId).find(|&expr| model.span(expr) == span)
}
