//! Attributes: of modules, objects, classes and groups, and the paths they are known by.

use super::super::resolve::{Scope, Target};
use super::places::is_of_a_matrix;
use super::{Engine, Frame};
use crate::base::{FileId, Span, Symbol};
use crate::finding::Confidence;
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId};

impl<'p> Engine<'p> {
    /// The dotted path of a name or a chain of attributes on a name: the key under which its value is kept.
    pub(super) fn path(&mut self, frame: &Frame<'p>, expr: ExprId) -> Option<Symbol> {
        match frame.model.expr(expr) {
            Expr::Name(name) => Some(name),
            Expr::Attribute { value, name } => {
                let base = self.path(frame, value)?;
                self.path_of(base, name)
            }
            Expr::Starred(inner) => self.path(frame, inner),
            _ => None,
        }
    }

    /// The path of an attribute on a path.
    pub(super) fn path_of(&mut self, base: Symbol, name: Symbol) -> Option<Symbol> {
        if let Some(&known) = self.paths.get(&(base, name)) {
            return Some(known);
        }
        if base.as_str().len() > 120 {
            return None;
        }
        let path = Symbol::new(&format!("{base}.{name}"));
        let root = self.roots.get(&base).copied().unwrap_or(base);
        self.paths.insert((base, name), path);
        self.roots.insert(path, root);
        Some(path)
    }

    /// Sets the value of a name or an attribute path.
    pub(super) fn set_path(&mut self, frame: &mut Frame<'p>, path: Symbol, value: Value) {
        let root = self.roots.get(&path).copied().unwrap_or(path);
        frame.set_path(root, path, value);
    }

    pub(super) fn attribute_of(&mut self, frame: &mut Frame<'p>, id: ExprId, object: ExprId, name: Symbol) -> Value {
        if let Some(path) = self.path(frame, id)
            && let Some(value) = frame.get(path)
        {
            return value;
        }
        let span = frame.model.span(id);
        if let Some(applied) = self.applied(frame, object, name, span) {
            return applied;
        }
        if self.rooted_in_module(frame, id)
            && let Some(target) = self.program.target(frame.file, frame.local, id)
        {
            return match target {
                Target::External(dotted) => self.external_value(frame, dotted, span),
                target => self.target_value(target),
            };
        }
        let value = self.expression(frame, object);
        self.member(frame, object, value, name, span)
    }

    /// `apply` of an autograd function: its `forward`, with a context in front.
    pub(super) fn applied(&mut self, frame: &Frame<'p>, object: ExprId, name: Symbol, span: Span) -> Option<Value> {
        if name.as_str() != "apply" {
            return None;
        }
        let Target::Class(class) = self.program.target(frame.file, frame.local, object)? else { return None };
        let forward = self.program.applied(class)?;
        let forward = self.values.make(Node::Function(forward, None));
        let context = self.unknown(frame, span);
        Some(self.values.make(Node::Partial(forward, Box::from([context]), Box::from([]))))
    }

    /// Whether a chain of attributes begins at an imported or global name, not at a variable.
    pub(super) fn rooted_in_module(&mut self, frame: &Frame<'p>, expr: ExprId) -> bool {
        match frame.model.expr(expr) {
            Expr::Name(name) => match frame.get(name) {
                Some(value) => matches!(self.values.node(value), Node::Module(_) | Node::External(_) | Node::Class(_)),
                None => match self.program.scope_of(frame.file, frame.local, name) {
                    Scope::Local(owner) => owner != frame.local,
                    Scope::Global => match self.program.global(frame.file, name) {
                        Some(Target::Variable(file, name)) => self.is_outside(file, name),
                        _ => true,
                    },
                },
            },
            Expr::Attribute { value, .. } => match self.program.target(frame.file, frame.local, expr) {
                Some(Target::Variable(file, name)) => self.is_outside(file, name),
                _ => self.rooted_in_module(frame, value),
            },
            _ => false,
        }
    }

    /// Whether a variable of a module holds what belongs to other modules, or nobody knows what, and no object.
    fn is_outside(&mut self, file: FileId, name: Symbol) -> bool {
        let value = self.global_variable(file, name);
        matches!(self.values.node(value), Node::Module(_) | Node::External(_) | Node::Class(_) | Node::Unknown(_))
    }

    /// An attribute of a value.
    pub(super) fn member(
        &mut self,
        frame: &mut Frame<'p>,
        object: ExprId,
        value: Value,
        name: Symbol,
        span: Span,
    ) -> Value {
        match self.values.node(value).clone() {
            Node::Module(file) => {
                if let Some(target) = self.program.attribute(Target::Module(file), name) {
                    return self.target_value(target);
                }
            }
            Node::External(dotted) if !self.marks.switches.contains_key(&value) => {
                let whole = Symbol::new(&format!("{dotted}.{name}"));
                return self.external_value(frame, whole, span);
            }
            // State that a class keeps for all, asked of the class itself, where it differs between ranks.
            Node::Class(class) if self.program.method(class, name).is_none() => {
                if let Some(kept) = self.attribute(class, name).filter(|&kept| !self.values.vary(kept).is_empty()) {
                    return self.named(frame, name, kept, span);
                }
            }
            Node::If(test, then, otherwise)
                if !matches!(frame.model.expr(object), Expr::Name(_)) || self.are_alike_in_fields(then, otherwise) =>
            {
                let then = self.member(frame, object, then, name, span);
                let otherwise = self.member(frame, object, otherwise, name, span);
                return self.values.make(Node::If(test, then, otherwise));
            }
            _ => {}
        }
        if let Some(entry) = self.entry_named(value, name).or_else(|| self.attribute_of_function(value, name)) {
            return entry;
        }
        // What one of several objects holds need not be what their class gives each: only what it defines is the same.
        let is_element = matches!(self.values.node(value), Node::Item(..) | Node::Index(..));
        let known = self.class_of_value(frame, object, value);
        if let Some(class) = known.filter(|&class| !is_element || self.program.method(class, name).is_some()) {
            if let Some(found) = self.object_attribute(frame, class, value, name, span) {
                // Whether there are several processes is the same question wherever it is asked.
                let asks = matches!(name.as_str(), "is_distributed" | "distributed");
                return match asks && self.values.vary(found).is_empty() {
                    true => self.values.make(Node::Attribute(value, name)),
                    false => found,
                };
            }
        } else if let Some(class) = self.class_behind_a_getter(value, name)
            && let Some(found) = self.object_attribute(frame, class, value, name, span)
        {
            return found;
        } else if let Some(found) = self.typed_attribute(frame, object, value, name, span) {
            return found;
        } else if let Some(found) = self.told_by_owner(frame, object, value, name, span) {
            return found;
        } else if let Some(class) = self.sole_property(frame, value, name)
            && let Some(found) = self.object_attribute(frame, class, value, name, span)
        {
            return found;
        }
        if let Node::AxisGroup(axes) = *self.values.node(value)
            && let Some(found) = self.group_attribute(frame, axes, name, span)
        {
            return found;
        }
        if name.as_str() == "n"
            && let Some(hidden) = self.hidden_bar(value)
        {
            // A bar that is not shown counts nothing, any other what it is told.
            let (zero, one, told) =
                (self.values.make(Node::Int(0)), self.values.make(Node::Int(1)), self.unknown(frame, span));
            let count = self.values.make(Node::Binary(crate::model::BinaryOp::Add, told, one));
            return self.values.make(Node::If(hidden, zero, count));
        }
        match name.as_str() {
            "index" if let Node::Kind(device) = *self.values.node(value) => return device,
            "shape" => return self.values.make(Node::Length(value)),
            "ndim" | "dtype" | "device" | "is_cpu" | "is_cuda" | "requires_grad" | "layout" | "__class__" => {
                return self.values.make(Node::Kind(value));
            }
            _ => {}
        }
        let matrix = is_of_a_matrix(name, frame.model.last_name(object));
        if let Some(convention) = self.program.catalog.convention(name).filter(|_| !matrix) {
            let meaning = convention.value.clone();
            if let Some(meaning) = self.meaning(&meaning, frame, span) {
                let reason = format!("`{name}` is this rank's own, by its name");
                self.born(meaning, frame, span, &reason, Confidence::Medium);
                return meaning;
            }
        }
        self.values.make(Node::Attribute(value, name))
    }

    /// Whether a progress bar is hidden, where that differs between ranks.
    fn hidden_bar(&self, value: Value) -> Option<Value> {
        let mut hidden = None;
        self.values.search(value, 40, |part, further| {
            match self.values.node(part) {
                Node::Apply(name, told) if name.as_str() == super::builtin::BAR => hidden = told.first().copied(),
                // What it has been told since.
                Node::Carried(_, _, parts) => further.extend(parts.iter()),
                Node::Changed(_, parts) | Node::Mapped(_, parts) => further.extend(parts.first()),
                _ => {}
            }
            hidden.is_some()
        });
        hidden.filter(|&hidden| !self.values.vary(hidden).is_empty())
    }

    /// What an object that stands for a group says of this rank's place in it.
    fn group_attribute(
        &mut self,
        frame: &mut Frame<'p>,
        axes: crate::flow::Axes,
        name: Symbol,
        span: Span,
    ) -> Option<Value> {
        let kind = match name.as_str() {
            "is_first_rank" => crate::catalog::ValueKind::First,
            "is_last_rank" => crate::catalog::ValueKind::Last,
            "rank_in_group" | "local_rank" | "group_rank" => crate::catalog::ValueKind::Rank,
            "world_size" | "size" => crate::catalog::ValueKind::Size,
            _ => return None,
        };
        let found = match kind {
            crate::catalog::ValueKind::First => self.is_first(axes),
            crate::catalog::ValueKind::Last => self.is_last(axes),
            crate::catalog::ValueKind::Rank => self.values.make(Node::Rank(axes)),
            _ => self.values.make(Node::Size(axes)),
        };
        let rank = self.values.make(Node::Rank(axes));
        self.born(rank, frame, span, "each member of the group has its own place in it", Confidence::High);
        Some(found)
    }

    /// What an attribute of an object of a class of the program holds.
    pub(super) fn object_attribute(
        &mut self,
        frame: &mut Frame<'p>,
        class: crate::base::ClassId,
        object: Value,
        name: Symbol,
        span: Span,
    ) -> Option<Value> {
        if let Some(method) = self.program.method(class, name) {
            let (file, _) = self.program.locate(method);
            if !self.program.file(file).model.is_property(self.program.function(method)) {
                return Some(self.values.make(Node::Function(method, Some(object))));
            }
            if let Some(entry) = self.program.catalogued(method) {
                let entry = entry.clone();
                return self.catalogued_property(frame, &entry, object, span);
            }
            let call = super::arguments::Arguments { receiver: Some(object), ..Default::default() };
            let value = self.call_function(frame, method, call, span);
            let opaque = matches!(self.values.node(value), Node::None | Node::Unknown(_) | Node::Attribute(..));
            return match opaque && self.program.catalog.convention(name).is_some() {
                true => None,
                false => Some(value),
            };
        }
        if let Some(value) = self.field(object, name) {
            return Some(value);
        }
        let value = self.attribute(class, name)?;
        let value = self.as_seen_by(object, value);
        let matrix = is_of_a_matrix(name, Some(self.program.class(class).name));
        let value = if matrix { value } else { self.named(frame, name, value, span) };
        let says_nothing = matches!(
            self.values.node(value),
            Node::None
                | Node::Unknown(_)
                | Node::Attribute(..)
                | Node::Parameter(..)
                | Node::Carried(..)
                | Node::Int(_)
        );
        let means = !matrix && self.program.catalog.convention(name).is_some();
        if says_nothing && self.values.vary(value).is_empty() && means {
            return None;
        }
        Some(value)
    }
}
