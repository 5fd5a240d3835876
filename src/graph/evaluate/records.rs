//! Objects that are made of their fields: data classes and named tuples, which have no constructor to read, and namespaces.

use std::rc::Rc;

use super::Engine;
use super::arguments::Arguments;
use crate::base::{ClassId, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId, Stmt};

/// Functions of libraries that give an object with the attributes that they are handed by name.
const NAMESPACES: [&str; 6] = [
    "types.SimpleNamespace",
    "argparse.Namespace",
    "easydict.EasyDict",
    "addict.Dict",
    "munch.Munch",
    "ml_collections.ConfigDict",
];

impl<'p> Engine<'p> {
    /// The fields of a class without a constructor of its own, in the order in which they are given.
    pub(super) fn fields(&mut self, class: ClassId) -> Rc<[Symbol]> {
        if let Some(known) = self.memo.fields.get(&class) {
            return known.clone();
        }
        let program = self.program;
        let mut out: Vec<Symbol> = Vec::new();
        let has_constructor = program.method(class, Symbol::new("__init__")).is_some();
        let lineage = if has_constructor { &[] } else { program.lineage(class) };
        for &owner in lineage.iter().rev() {
            let (file, local) = program.locate_class(owner);
            let model = &program.file(file).model;
            let body = model.function(model.class(local).body).body;
            for &stmt in model.block(body) {
                let Stmt::Annotated { target, annotation, .. } = model.stmt(stmt) else { continue };
                let Expr::Name(name) = model.expr(*target) else { continue };
                let shared =
                    |annotation: ExprId| model.last_name(annotation).is_some_and(|name| name.as_str() == "ClassVar");
                let of_class = match model.expr(*annotation) {
                    Expr::Subscript(generic, _) => shared(generic),
                    _ => shared(*annotation),
                };
                if !of_class {
                    out.retain(|known| *known != name);
                    out.push(name);
                }
            }
        }
        let out: Rc<[Symbol]> = out.into();
        self.memo.fields.insert(class, out.clone());
        out
    }

    /// What a new object of fields is given: in their order, or by name where a name stands in the call.
    pub(super) fn given_to_fields(&mut self, class: ClassId, arguments: &Arguments) -> Vec<Value> {
        let spread = arguments.starred.is_some() || arguments.mapping.is_some();
        let fields = if spread || arguments.keywords.is_empty() { Rc::from([]) } else { self.fields(class) };
        if fields.is_empty() {
            return arguments.values();
        }
        let in_order = fields.iter().copied().zip(arguments.positional.iter().map(|given| given.0));
        let given = in_order.chain(arguments.keywords.iter().map(|&(name, value, _)| (name, value)));
        let given = given.map(|(name, value)| (self.values.make(Node::Str(name)), value)).collect();
        vec![self.values.make(Node::Mapping(given))]
    }

    /// What a field holds that an object was given when it was made. A constant is only what it begins with.
    pub(super) fn field(&mut self, object: Value, name: Symbol) -> Option<Value> {
        let Some(given) = self.begun_field(object, name) else { return self.group_by_default(object, name) };
        let says_nothing = self.is_constant(given) || matches!(self.values.node(given), Node::Mapping(_));
        (!says_nothing).then_some(given)
    }

    /// The group of all ranks, where a field for a group begins as `None`, is not given and no method sets it.
    fn group_by_default(&mut self, object: Value, name: Symbol) -> Option<Value> {
        let Node::Instance(class, _) = *self.values.node(object) else { return None };
        if !name.as_str().ends_with("group") || !self.fields(class).contains(&name) {
            return None;
        }
        let program = self.program;
        let begins_as_none = |owner: ClassId| {
            let (file, local) = program.locate_class(owner);
            let model = &program.file(file).model;
            let body = model.function(model.class(local).body).body;
            model.block(body).iter().find_map(|&stmt| match *model.stmt(stmt) {
                Stmt::Annotated { target, value, .. } if model.expr(target) == Expr::Name(name) => {
                    Some(value.is_some_and(|value| model.expr(value) == Expr::None))
                }
                _ => None,
            })
        };
        let lineage = program.lineage(class);
        let is_none = lineage.iter().find_map(|&owner| begins_as_none(owner)).unwrap_or(false);
        let is_set = lineage.iter().any(|&owner| self.writers_of(owner).contains_key(&name));
        (is_none && !is_set).then_some(self.none)
    }

    /// What a field was given when the object was made, whatever it holds since.
    pub(super) fn begun_field(&mut self, object: Value, name: Symbol) -> Option<Value> {
        let Node::Instance(class, given) = self.values.node(object) else { return None };
        if given.is_empty() {
            return None;
        }
        let class = *class;
        let at = self.fields(class).iter().position(|field| *field == name)?;
        let Node::Instance(_, given) = self.values.node(object) else { return None };
        if let [by_name] = given[..]
            && let Some(value) = self.entry_named(by_name, name)
        {
            return Some(value);
        }
        given.get(at).copied()
    }

    /// Whether two values are objects of one class that is made of its fields.
    pub(super) fn are_alike_in_fields(&mut self, one: Value, other: Value) -> bool {
        match (self.values.node(one), self.values.node(other)) {
            (&Node::Instance(one, _), Node::Instance(other, _)) => one == *other && !self.fields(one).is_empty(),
            _ => false,
        }
    }

    /// Whether a value is spelled out.
    pub(super) fn is_constant(&self, value: Value) -> bool {
        matches!(self.values.node(value), Node::Int(_) | Node::Bool(_) | Node::None | Node::Str(_))
    }

    /// A namespace of what is given by name, where the function makes one.
    pub(super) fn namespace(&mut self, function: Symbol, arguments: &Arguments) -> Option<Value> {
        let known = NAMESPACES.contains(&function.as_str());
        if !known || !arguments.positional.is_empty() || arguments.starred.is_some() || arguments.mapping.is_some() {
            return None;
        }
        let named = &arguments.keywords;
        let entries = named.iter().map(|&(name, value, _)| (self.values.make(Node::Str(name)), value)).collect();
        Some(self.values.make(Node::Mapping(entries)))
    }

    /// An attribute that a namespace was given. A constant is only what it begins with.
    pub(super) fn entry_named(&self, namespace: Value, name: Symbol) -> Option<Value> {
        let Node::Mapping(entries) = self.values.node(namespace) else { return None };
        let is_it = |key: Value| matches!(self.values.node(key), Node::Str(text) if *text == name);
        let value = entries.iter().find(|(key, _)| is_it(*key))?.1;
        let is_method = matches!(name.as_str(), "items" | "keys" | "values" | "get" | "pop" | "update" | "copy");
        (!is_method && !self.is_constant(value)).then_some(value)
    }
}
