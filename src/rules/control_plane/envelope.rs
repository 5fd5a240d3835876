//! Which modules own the control-plane envelope: declared, or told by what they do.

use globset::{Glob, GlobSetBuilder};

use crate::base::{FileId, Site, Symbol};
use crate::finding::Confidence;
use crate::graph::Program;
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_call, each_statement};
use crate::rules::calls::{bodies, calls_named, symbols};

/// A module that sends headers, manifests and tensors; everything else goes through it.
pub(super) struct Envelope {
    /// Its file.
    pub file: FileId,
    /// Where it makes the manifest.
    pub manifest: Option<Site>,
    /// How sure it is that it is one.
    pub confidence: Confidence,
}

/// The name of the manifest.
pub(super) const MANIFEST: &str = "tensor_specs";

/// Calls that put something on the wire.
const SENDERS: [&str; 6] =
    ["broadcast", "broadcast_object_list", "send", "isend", "send_object_list", "scatter_object_list"];

/// The envelope modules of a program, in order of their paths.
pub(super) fn envelopes(program: &Program) -> Vec<Envelope> {
    let mut declared = GlobSetBuilder::new();
    for glob in program.facts.envelope_modules.iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        declared.add(glob);
    }
    let declared = declared.build().unwrap_or_default();
    let senders = symbols(SENDERS);
    let protocol = program.protocol();
    let lines = protocol.specs.iter().map(|&class| program.locate_class(class)).min();
    let announced = lines.map(|(file, class)| {
        let model = &program.file(file).model;
        Site { file, span: model.function(model.class(class).body).name_span }
    });
    program
        .file_ids()
        .filter_map(|file| {
            let entry = program.file(file);
            let speaks = memchr::memmem::find(entry.text.as_bytes(), MANIFEST.as_bytes()).is_some();
            let manifest = if speaks { made(&entry.model).map(|id| (file, entry.model.span(id))) } else { None };
            let manifest = manifest.map(|(file, span)| Site { file, span });
            if announced.is_some() && protocol.covers(file) && protocol.owns(program, file) {
                return Some(Envelope { file, manifest: manifest.or(announced), confidence: Confidence::Medium });
            }
            if declared.is_match(&entry.path) {
                return Some(Envelope { file, manifest, confidence: Confidence::High });
            }
            manifest?;
            let sends = calls_named(program, file, &senders)
                .into_iter()
                .filter(|call| {
                    call.callee(program).is_some_and(|callee| callee.as_str().starts_with("torch.distributed."))
                })
                .count();
            (sends >= 2).then_some(Envelope { file, manifest, confidence: Confidence::Medium })
        })
        .collect()
}

/// The first place where the manifest is made: a variable, a field, an entry or an argument of that name gets its value.
/// A module that only takes a manifest from elsewhere does not own it.
fn made(model: &File) -> Option<ExprId> {
    let manifest = Symbol::new(MANIFEST);
    let is_named = |expr: ExprId| match model.expr(expr) {
        Expr::Name(name) | Expr::Attribute { name, .. } => name == manifest,
        Expr::Str(text) => text == manifest,
        Expr::Subscript(_, key) => model.expr(key) == Expr::Str(manifest),
        _ => false,
    };
    let mut found = None;
    for function in bodies(model) {
        // What a function keeps to itself announces nothing to anybody.
        let is_kept = |expr: ExprId| {
            let is_local = model.function(function).kind == FunctionKind::Def;
            is_local && matches!(model.expr(expr), Expr::Name(_)) && !is_handed_on(model, function, manifest)
        };
        let is_made = |expr: ExprId| is_named(expr) && !is_kept(expr);
        each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
            Stmt::Assign { targets, .. } => {
                found = found.or(model.list(*targets).iter().copied().find(|&one| is_made(one)))
            }
            Stmt::Annotated { target, .. } => found = found.or(Some(*target).filter(|&one| is_made(one))),
            _ => {}
        });
    }
    found.or_else(|| {
        (0..model.expr_count() as u32).find_map(|index| match model.expr(ExprId(index)) {
            Expr::Dict(parts) => model.list(parts).chunks_exact(2).map(|pair| pair[0]).find(|&key| is_named(key)),
            Expr::Call(index) => {
                let keywords = model.keywords(model.call(index));
                keywords.iter().find(|keyword| keyword.name == Some(manifest)).map(|keyword| keyword.value)
            }
            _ => None,
        })
    })
}

/// Whether a function hands a variable on as it is, by itself or in a list, or returns it.
fn is_handed_on(model: &File, function: LocalFunction, variable: Symbol) -> bool {
    let holds = |expr: ExprId| match model.expr(expr) {
        Expr::Name(name) => name == variable,
        Expr::ListDisplay(parts) | Expr::Tuple(parts) => {
            model.list(parts).iter().any(|&part| model.expr(part) == Expr::Name(variable))
        }
        _ => false,
    };
    let mut found = false;
    each_call(model, function, &mut |_, call| found |= model.list(call.args).iter().any(|&arg| holds(arg)));
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        found |= matches!(stmt, Stmt::Return(Some(value)) if holds(*value));
    });
    found
}

/// Whether an expression names the manifest.
pub(super) fn names_manifest(model: &File, expr: ExprId) -> bool {
    let manifest = Symbol::new(MANIFEST);
    let mut names = false;
    crate::model::each_expression(model, expr, &mut |_, part| {
        names |= match part {
            Expr::Name(name) | Expr::Attribute { name, .. } => name == manifest,
            Expr::Str(text) => text == manifest,
            _ => false,
        };
    });
    names
}
