//! Objects of unknown make, known by an attribute that only one class of the program has.

use rustc_hash::FxHashMap;

use super::{Engine, Frame};
use crate::base::{ClassId, FileId, Span, Symbol};
use crate::flow::{Node, Value};
use crate::graph::blocks::holds_settings;
use crate::model::{Expr, ExprId, Flow};

/// Parts of a value that are looked at.
const MAX_PARTS: usize = 100;

/// Names shorter than this are anybody's.
const MIN_NAME: usize = 5;

/// Which class has an attribute of a name, in each tree; none where several have.
pub(super) type Owners = FxHashMap<(Symbol, Symbol), Option<ClassId>>;

impl<'p> Engine<'p> {
    /// What an attribute holds of an object of which nothing is known, where one class of the tree alone has one of that
    /// name and works it out from the rank: `state.is_first`.
    pub(super) fn told_by_owner(
        &mut self,
        frame: &mut Frame<'p>,
        object: ExprId,
        value: Value,
        name: Symbol,
        span: Span,
    ) -> Option<Value> {
        if !self.is_of_unknown_make(value) || name.as_str().len() < MIN_NAME || !self.taint.holds(name) {
            return None;
        }
        let (Expr::Name(called) | Expr::Attribute { name: called, .. }) = frame.model.expr(object) else { return None };
        if holds_settings(called) {
            return None;
        }
        let tree = self.program.tree_of(frame.file);
        let class = (*self.owners().get(&(tree, name))?)?;
        let found = self.object_attribute(frame, class, value, name, span)?;
        let is_place = |part: Value| matches!(self.values.node(part), Node::Rank(_));
        let differs = !self.values.vary(found).is_empty() && self.values.any_part(found, MAX_PARTS, is_place);
        let plain = !matches!(self.values.node(found), Node::Function(..) | Node::Closure(..) | Node::Instance(..));
        if !differs || !plain {
            return None;
        }
        self.marks.inferred.insert(found);
        Some(found)
    }

    fn is_of_unknown_make(&self, value: Value) -> bool {
        matches!(
            self.values.node(value),
            Node::Parameter(..) | Node::Attribute(..) | Node::Capture(..) | Node::Unknown(_)
        )
    }

    /// The class whose property an attribute of an object is of which nothing is known: one that communicates, and of whose
    /// name there is nothing else in the tree.
    pub(super) fn sole_property(&mut self, frame: &Frame<'p>, value: Value, name: Symbol) -> Option<ClassId> {
        if !self.is_of_unknown_make(value) {
            return None;
        }
        let key = (self.program.tree_of(frame.file), name);
        if let Some(known) = self.memo.sole_properties.get(&key) {
            return *known;
        }
        let found = self.find_sole_property(frame, name);
        self.memo.sole_properties.insert(key, found);
        found
    }

    fn find_sole_property(&self, frame: &Frame<'p>, name: Symbol) -> Option<ClassId> {
        let program = self.program;
        let property = program.sole_method(frame.file, name).filter(|&method| self.reaches(method))?;
        let (home, _) = program.locate(property);
        if !program.file(home).model.is_property(program.function(property)) {
            return None;
        }
        // What constructors begin with is in no flow: the text says it.
        let written = [" = ", ": ", " += "].map(|sign| format!(".{name}{sign}"));
        let writes = |file: FileId| {
            let text = program.file(file).text.as_bytes();
            written.iter().any(|written| memchr::memmem::find(text, written.as_bytes()).is_some())
        };
        let mut near = program.file_ids().filter(|&file| program.same_tree(frame.file, file));
        if near.any(writes) { None } else { program.class_of(property) }
    }

    /// Which class has an attribute or a property of a name that may differ between ranks.
    fn owners(&mut self) -> std::rc::Rc<Owners> {
        if let Some(known) = &self.memo.owners {
            return known.clone();
        }
        let program = self.program;
        let mut out = Owners::default();
        for file in program.file_ids() {
            let tree = program.tree_of(file);
            let model = &program.file(file).model;
            for function in &model.functions {
                let Some(class) = function.class.map(|class| program.class_id(file, class)) else { continue };
                let written = function.flows.iter().filter(|flow| !flow.is_constant()).filter_map(Flow::attribute);
                for name in written.chain([function.name]).filter(|&name| self.taint.holds(name)) {
                    let owner = out.entry((tree, name)).or_insert(Some(class));
                    if *owner != Some(class) {
                        *owner = None;
                    }
                }
            }
        }
        let out = std::rc::Rc::new(out);
        self.memo.owners = Some(out.clone());
        out
    }
}
