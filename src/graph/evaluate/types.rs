//! Types that annotations, assignments and the catalogue give to objects, and what follows for their methods.

use super::super::resolve::Target;
use super::arguments::Arguments;
use super::mesh::MESH;
use super::operation::{COMMUNICATOR, COORDINATOR, GROUP};
use super::{Engine, Frame};
use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::catalog::Entry;
use crate::finding::Confidence;
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId, LocalFunction};

impl<'p> Engine<'p> {
    /// An object of the type that an annotation names, where it is one worth knowing.
    pub(super) fn annotated_type(&mut self, frame: &Frame<'p>, annotation: ExprId) -> Option<Value> {
        let kind = self.annotated_kind(frame.file, frame.local, annotation)?;
        Some(self.values.make(Node::Typed(kind)))
    }

    /// The catalogued type that an annotation names, through `Optional` and string annotations of one word.
    fn annotated_kind(&self, file: FileId, function: LocalFunction, annotation: ExprId) -> Option<Symbol> {
        let model = &self.program.file(file).model;
        let target = match model.expr(annotation) {
            Expr::Subscript(generic, inner) => {
                let Target::External(generic) = self.program.target(file, function, generic)? else { return None };
                return match generic.last_part().as_str() {
                    "Optional" => self.annotated_kind(file, function, inner),
                    _ => None,
                };
            }
            Expr::Binary(_, left, right) => {
                let kind = self.annotated_kind(file, function, left);
                return kind.or_else(|| self.annotated_kind(file, function, right));
            }
            Expr::Str(text) => self.program.global(file, text)?,
            _ => self.program.target(file, function, annotation)?,
        };
        let Target::External(dotted) = target else { return None };
        Some(self.program.catalog.type_named(dotted)?.name)
    }

    /// The catalogued type of a value: by its construction, its annotation, or the usual name of its variable.
    fn catalogued_type(&mut self, frame: &Frame<'p>, object: ExprId, value: Value) -> Option<(Symbol, Confidence)> {
        match self.values.node(value) {
            Node::Typed(kind) => return Some((*kind, Confidence::High)),
            Node::Mesh(_) => return Some((Symbol::new(MESH), Confidence::High)),
            _ => {}
        }
        if let Node::Parameter(function, position) = *self.values.node(value)
            && let Some(kind) = self.kind_of_parameter(function, position)
        {
            return Some((kind, Confidence::High));
        }
        let known_otherwise = matches!(
            self.values.node(value),
            Node::Sequence(_)
                | Node::Mapping(_)
                | Node::Instance(..)
                | Node::Int(_)
                | Node::Str(_)
                | Node::Function(..)
        );
        let name = match frame.model.expr(object) {
            Expr::Name(name) | Expr::Attribute { name, .. } => name,
            _ => return None,
        };
        if known_otherwise {
            return None;
        }
        if let Some(kind) = self.held_type(frame, object) {
            return Some((kind, Confidence::High));
        }
        Some((self.program.catalog.type_of_variable(name)?, Confidence::Medium))
    }

    /// The catalogued type that the annotation of a parameter names.
    fn kind_of_parameter(&self, function: FunctionId, position: u16) -> Option<Symbol> {
        let (file, local) = self.program.locate(function);
        let definition = self.program.file(file).model.function(local);
        let annotation = definition.parameters.get(usize::from(position))?.annotation?;
        self.annotated_kind(file, local, annotation)
    }

    /// The catalogued type of what a function is handed, by the parameter's annotation or its usual name.
    pub(super) fn kind_of_handed(&self, function: FunctionId, position: u16) -> Option<(Symbol, Confidence)> {
        if let Some(kind) = self.kind_of_parameter(function, position) {
            return Some((kind, Confidence::High));
        }
        let name = self.program.function(function).parameters.get(usize::from(position))?.name;
        Some((self.program.catalog.type_of_variable(name)?, Confidence::Medium))
    }

    /// The catalogued type of an attribute that objects of another catalogued type hold: `self.args` of a trainer.
    fn held_type(&mut self, frame: &Frame<'p>, object: ExprId) -> Option<Symbol> {
        let Expr::Attribute { value: holder, name: field } = frame.model.expr(object) else { return None };
        let catalog = &self.program.catalog;
        match frame.model.expr(holder) {
            Expr::Name(name) if Some(name) == frame.receiver => {
                let bases = self.program.external_bases(frame.class?);
                bases.into_iter().find_map(|base| catalog.type_of_field(base, field))
            }
            Expr::Name(name) => {
                let value = frame.get(name)?;
                let (kind, _) = self.catalogued_type(frame, holder, value)?;
                self.program.catalog.type_of_field(kind, field)
            }
            _ => {
                let kind = self.held_type(frame, holder)?;
                self.program.catalog.type_of_field(kind, field)
            }
        }
    }

    pub(super) fn typed_method(
        &mut self,
        frame: &mut Frame<'p>,
        object: ExprId,
        value: Value,
        name: Symbol,
        arguments: &Arguments,
        span: Span,
    ) -> Option<Value> {
        if self.is_alone(value) {
            return Some(self.unknown(frame, span));
        }
        if let Node::Index(_, index) = *self.values.node(value)
            && let Some(axes) = self.axis_index(index)
            && let Some(entry) = self.program.catalog.entry(Symbol::new(&format!("{MESH}.{name}")))
        {
            let entry = entry.clone();
            let part = self.values.make(Node::AxisGroup(axes));
            let arguments = Arguments { receiver: Some(part), ..arguments.clone() };
            return Some(self.catalogued(frame, &entry, name, arguments, span, Confidence::Medium));
        }
        // A part of a mesh answers as a mesh, and as the group of its ranks.
        if matches!(self.values.node(value), Node::AxisGroup(_) | Node::MadeGroup(..) | Node::World) {
            for kind in [MESH, GROUP, COMMUNICATOR, COORDINATOR] {
                let dotted = Symbol::new(&format!("{kind}.{name}"));
                if let Some(entry) = self.program.catalog.entry(dotted) {
                    let entry = entry.clone();
                    return Some(self.catalogued(frame, &entry, name, arguments.clone(), span, Confidence::High));
                }
            }
        }
        let (kind, confidence) = match self.catalogued_type(frame, object, value) {
            Some(found) => found,
            None => (self.told_by_call(frame, name, arguments)?, Confidence::Medium),
        };
        let dotted = Symbol::new(&format!("{kind}.{name}"));
        let entry = match self.program.catalog.entry(dotted) {
            Some(entry) => entry.clone(),
            // A method that gives an object of another type.
            None => {
                let given = self.program.catalog.type_named(dotted)?.name;
                return Some(self.values.make(Node::Typed(given)));
            }
        };
        let guessed = confidence == Confidence::Medium && !matches!(self.values.node(value), Node::Typed(_));
        // An operation that may be another one is worth a word, a value is not.
        if guessed && matches!(entry, Entry::Value(_)) && self.is_named_in_tree(frame, name) {
            return None;
        }
        let own = guessed && self.is_own(frame, kind, name);
        let confidence = if own { Confidence::Low } else { confidence };
        Some(self.catalogued(frame, &entry, name, arguments.clone(), span, confidence))
    }

    /// The type of an object of unknown make that has a method which only one type has, or hands it what only that takes.
    fn told_by_call(&self, frame: &Frame<'p>, method: Symbol, arguments: &Arguments) -> Option<Symbol> {
        let program = self.program;
        if let Some(kind) = program.catalog.type_of_method(method) {
            return Some(kind);
        }
        // `mesh.get_local_rank("tp")`: nobody else is asked for an axis by its name.
        let asks_for_axis = arguments.at(0).is_some_and(|first| self.axis_index(first).is_some());
        let of_mesh = || program.catalog.entry(Symbol::new(&format!("{MESH}.{method}")));
        if asks_for_axis && arguments.values().len() == 1 && of_mesh().is_some() {
            return Some(Symbol::new(MESH));
        }
        let keywords: Vec<Symbol> = arguments.keywords.iter().map(|keyword| keyword.0).collect();
        let kind = program.catalog.type_of_call(method, keywords.iter().copied())?;
        // A wrapper of the program's own takes the same.
        let own = program.methods_named(method).iter().any(|&own| {
            let parameters = &program.function(own).parameters;
            let takes = parameters.iter().any(|parameter| keywords.contains(&parameter.name));
            takes && program.same_tree(program.locate(own).0, frame.file)
        });
        (!own).then_some(kind)
    }

    /// Remembers of which type the variable is that a function is handed which a class has for its objects.
    pub(super) fn remember_type(&mut self, frame: &mut Frame<'p>, function: Symbol, arguments: &Arguments) {
        let Some(kind) = self.program.catalog.type_taken_first(function) else { return };
        let Some(&(value, Some(handed))) = arguments.positional.first() else { return };
        let is_made = matches!(self.values.node(value), Node::Typed(_) | Node::Instance(..));
        if !is_made && let Some(path) = self.path(frame, handed) {
            let object = self.values.make(Node::Typed(kind));
            self.set_path(frame, path, object);
        }
    }

    /// Whether an object that is only called as one of a library's may as well be one of the program's: that has a method of
    /// the name, and the file imports nothing of the library.
    fn is_own(&self, frame: &Frame<'p>, kind: Symbol, method: Symbol) -> bool {
        let program = self.program;
        let root = |name: Symbol| name.as_str().split('.').next().map(str::to_owned);
        let known = program.catalog.types().find(|known| known.name == kind);
        let names = known.into_iter().flat_map(|known| known.aliases.iter().chain(&known.first_of)).copied();
        let roots: Vec<Option<String>> = names.chain([kind]).map(root).collect();
        let imports = || {
            let imported = frame.model.imports.iter();
            let modules = |import: &crate::model::Import| match import.from {
                true => vec![import.module],
                false => import.names.iter().map(|alias| Some(alias.name)).collect(),
            };
            imported.flat_map(|(_, import)| modules(import)).flatten().collect::<Vec<_>>()
        };
        self.is_named_in_tree(frame, method) && !imports().into_iter().any(|module| roots.contains(&root(module)))
    }

    /// Whether a class of this tree has a method of the name.
    fn is_named_in_tree(&self, frame: &Frame<'p>, method: Symbol) -> bool {
        let program = self.program;
        program.methods_named(method).iter().any(|&own| program.same_tree(program.locate(own).0, frame.file))
    }

    pub(super) fn typed_attribute(
        &mut self,
        frame: &mut Frame<'p>,
        object: ExprId,
        value: Value,
        name: Symbol,
        span: Span,
    ) -> Option<Value> {
        let kind = match self.catalogued_type(frame, object, value) {
            Some((kind, _)) => kind,
            // What holds the ranks of the whole job: all that is asked of it is their business.
            None if *self.values.node(value) == Node::World => Symbol::new(COORDINATOR),
            None => return None,
        };
        let dotted = Symbol::new(&format!("{kind}.{name}"));
        let entry = self.program.catalog.entry(dotted)?.clone();
        match entry {
            Entry::Value(_) => self.catalogued_property(frame, &entry, value, span),
            // A bound method that is kept is called later.
            Entry::Operation(operation) if !matches!(operation.group, crate::catalog::GroupOf::Operand(_)) => {
                Some(self.values.make(Node::External(dotted)))
            }
            _ => None,
        }
    }
}

/// Methods whose result is a fact of the receiver's shape.
pub(super) fn tells_shape(name: &str) -> bool {
    matches!(name, "numel" | "size" | "nelement" | "qsize" | "__len__")
}

/// Methods of tensors that make another one, of the size that is given.
pub(super) fn makes_tensor(name: &str) -> bool {
    matches!(name, "new_empty" | "new_zeros" | "new_ones" | "new_full")
}

/// Methods whose result is a fact of the receiver's type.
pub(super) fn tells_kind(name: &str) -> bool {
    matches!(name, "dim" | "ndimension" | "element_size" | "is_floating_point" | "is_complex")
}

/// Methods of modules that give back the module.
pub(super) fn moves(name: &str) -> bool {
    matches!(
        name,
        "to" | "cuda" | "cpu" | "float" | "double" | "half" | "bfloat16" | "eval" | "train" | "requires_grad_"
    )
}

/// Methods that hand on what they are called on, as far as variance goes.
pub(super) fn hands_on(name: &str) -> bool {
    matches!(
        name,
        "item"
            | "cpu"
            | "cuda"
            | "to"
            | "to_empty"
            | "clone"
            | "detach"
            | "contiguous"
            | "float"
            | "double"
            | "half"
            | "long"
            | "int"
            | "bool"
            | "wait"
            | "tolist"
            | "numpy"
            | "squeeze"
            | "view"
            | "reshape"
            | "flatten"
            | "copy"
            | "npu"
            | "type"
    )
}
