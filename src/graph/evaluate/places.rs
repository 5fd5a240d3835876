//! Where things stand in the source, and what they are called there.

use super::super::blocks::function_around;
use super::{Engine, Frame};
use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::flow::{Axes, TOO_DEEP, Value};
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction};

impl<'p> Engine<'p> {
    /// Whether the function stands in a file of tests.
    pub(in crate::graph) fn is_test(&self, function: FunctionId) -> bool {
        self.program.file(self.program.locate(function).0).is_test()
    }

    /// Whether one function stands inside another.
    pub(in crate::graph) fn is_nested(&self, inner: FunctionId, outer: FunctionId) -> bool {
        let ((file, mut at), (other_file, other)) = (self.program.locate(inner), self.program.locate(outer));
        while let Some(parent) = self.program.file(file).model.function(at).parent {
            if file == other_file && parent == other {
                return true;
            }
            at = parent;
        }
        false
    }

    /// The innermost function around a place.
    pub(in crate::graph) fn function_at(&self, site: Site) -> Option<LocalFunction> {
        function_around(&self.program.file(site.file).model, site.span)
    }

    /// Whether two places lie in the same outermost function or method, or both outside all of them.
    pub(in crate::graph) fn same_function(&self, one: Site, other: Site) -> bool {
        if one.file != other.file {
            return false;
        }
        let mut outermost = self.memo.outermost.borrow_mut();
        let spans = outermost.entry(one.file).or_insert_with(|| outermost_in(&self.program.file(one.file).model));
        let around = |site: Site| {
            let before = spans.partition_point(|span| span.start <= site.span.start);
            before.checked_sub(1).filter(|&at| site.span.end <= spans[at].end)
        };
        around(one) == around(other)
    }

    /// The expression that is written at a site, the outermost where several are.
    pub(in crate::graph) fn written_at(&self, site: Site) -> Option<(&'p File, ExprId)> {
        // What has become too deep to follow stands nowhere.
        if site.file == TOO_DEEP {
            return None;
        }
        let model = &self.program.file(site.file).model;
        let mut written = self.memo.written.borrow_mut();
        // Parts are kept before what they are parts of, which therefore take their place.
        let by_span = written.entry(site.file).or_insert_with(|| {
            (0..model.expr_count() as u32).map(ExprId).map(|expr| (model.span(expr), expr)).collect()
        });
        by_span.get(&site.span).map(|expr| (&**model, *expr))
    }

    /// Whether a name that could be that of this rank is that of a matrix, by the class or function it is used in.
    pub(super) fn is_of_a_matrix_here(&self, frame: &Frame<'p>, name: Symbol) -> bool {
        let class = frame.class.map(|class| self.program.class(class).name);
        is_of_a_matrix(name, class) || is_of_a_matrix(name, Some(frame.model.function(frame.local).name))
    }

    /// Whether a name conventionally stands for the place of this rank on its node.
    pub(in crate::graph) fn is_place_on_node(&self, name: Symbol) -> bool {
        self.program.catalog.convention(name).is_some_and(|convention| convention.value.is_local_rank())
    }

    /// The text at a site.
    pub(in crate::graph) fn text(&self, site: Site) -> &'p str {
        self.program.text(site.file, site.span)
    }

    /// How many files there are.
    pub(in crate::graph) fn program_files(&self) -> usize {
        self.program.files.len()
    }

    /// A function's name.
    pub(in crate::graph) fn function_name(&self, function: FunctionId) -> Symbol {
        self.program.function(function).name
    }

    /// The axis that a group value is the group of.
    pub(in crate::graph) fn axis_name(&self, group: Value) -> Option<String> {
        self.axes_name(self.values.group_axes(group))
    }

    /// The name of the axis or axes.
    pub(in crate::graph) fn axes_name(&self, axes: Axes) -> Option<String> {
        let known = self.program.catalog.axes().iter().find(|axis| Axes::named(axis.name.as_str()) == axes);
        known.map(|axis| axis.name.as_str().to_owned())
    }

    /// Whether the function bears a decorator that is called so, in whatever module, and is not called itself there.
    pub(in crate::graph) fn has_decorator(&self, file: FileId, function: LocalFunction, last_name: &str) -> bool {
        let model = &self.program.file(file).model;
        model.list(model.function(function).decorators).iter().any(|&decorator| match model.expr(decorator) {
            Expr::Name(name) | Expr::Attribute { name, .. } => name.as_str() == last_name,
            _ => false,
        })
    }
}

/// Where the functions and methods stand that are in no other one, in order.
fn outermost_in(model: &File) -> Box<[Span]> {
    let is_def = |function: LocalFunction| model.function(function).kind == FunctionKind::Def;
    let is_inside = |mut function: LocalFunction| {
        while let Some(parent) = model.function(function).parent {
            if is_def(parent) {
                return true;
            }
            function = parent;
        }
        false
    };
    let functions = (0..model.functions.len() as u32).map(LocalFunction);
    let outermost = functions.filter(|&function| is_def(function) && !is_inside(function));
    let mut spans: Vec<Span> = outermost.map(|function| model.function(function).span).collect();
    spans.sort_unstable_by_key(|span| span.start);
    spans.into()
}

/// Whether `rank` is that of a matrix: of something that is called after a decomposition into small ones.
pub(super) fn is_of_a_matrix(name: Symbol, of: Option<Symbol>) -> bool {
    const WORDS: [&str; 9] = ["lora", "dora", "lokr", "loha", "galore", "lowrank", "low_rank", "svd", "tucker"];
    let of = of.filter(|_| name.as_str() == "rank").map(|of| of.as_str().to_ascii_lowercase());
    of.is_some_and(|of| WORDS.iter().any(|word| of.contains(word)))
}
