//! What annotations say of fields and of the elements of containers: `meter: Meter`, `meters: dict[str, Meter]`.

use super::Engine;
use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::flow::Node;
use crate::flow::Value;
use crate::model::{Expr, ExprId, LocalFunction, Stmt, each_statement};

/// Containers of one sort of elements, by the last part of their names.
const OF_ELEMENTS: [&str; 18] = [
    "List",
    "list",
    "Sequence",
    "MutableSequence",
    "Iterable",
    "Iterator",
    "Collection",
    "Tuple",
    "tuple",
    "Set",
    "set",
    "FrozenSet",
    "frozenset",
    "Deque",
    "deque",
    "Generator",
    "ModuleList",
    "Reversible",
];

/// Mappings, whose elements are what stands under their keys.
const OF_VALUES: [&str; 9] = [
    "Dict",
    "dict",
    "Mapping",
    "MutableMapping",
    "DefaultDict",
    "defaultdict",
    "OrderedDict",
    "ModuleDict",
    "ChainMap",
];

/// Words around an annotation that leave what it says.
const LEAVE: [&str; 5] = ["Optional", "Union", "Annotated", "Final", "ClassVar"];

impl<'p> Engine<'p> {
    /// The class of the elements of a container, as the annotation of the parameter or the field that holds it says.
    pub(super) fn annotated_element(&mut self, container: Value) -> Option<ClassId> {
        match *self.values.node(container) {
            Node::Parameter(function, position) => self.element_of_parameter(function, position),
            Node::Attribute(object, name) => {
                let class = self.class_of_known(object)?;
                if let Some(known) = self.memo.elements_of_fields.get(&(class, name)) {
                    return *known;
                }
                let found = self.said_of_field(class, name, &|file, local, said| self.element(file, local, said));
                self.memo.elements_of_fields.insert((class, name), found);
                found
            }
            _ => None,
        }
    }

    fn element_of_parameter(&self, function: FunctionId, position: u16) -> Option<ClassId> {
        let (file, local) = self.program.locate(function);
        let definition = self.program.file(file).model.function(local);
        let annotation = definition.parameters.get(usize::from(position))?.annotation?;
        self.element(file, local, annotation)
    }

    /// The class of an object that a field of another one holds, as its annotation says.
    pub(super) fn annotated_field(&mut self, class: ClassId, name: Symbol) -> Option<ClassId> {
        if let Some(known) = self.memo.kinds_of_fields.get(&(class, name)) {
            return *known;
        }
        let found = self.said_of_field(class, name, &|file, local, said| self.annotated_class(file, local, said));
        self.memo.kinds_of_fields.insert((class, name), found);
        found
    }

    /// What the annotation of a field says: `field: dict[str, Meter]` in the class, `self.field: …` in a method, or that of
    /// the parameter in `self.field = parameter`.
    fn said_of_field(
        &self,
        class: ClassId,
        field: Symbol,
        read: &dyn Fn(FileId, LocalFunction, ExprId) -> Option<ClassId>,
    ) -> Option<ClassId> {
        let program = self.program;
        program.lineage(class).iter().find_map(|&owner| {
            let (file, local) = program.locate_class(owner);
            let model = &program.file(file).model;
            let class = model.class(local);
            let methods = class.methods.iter().map(|&(_, method)| method);
            std::iter::once(class.body).chain(methods).find_map(|function| {
                let definition = model.function(function);
                let mut said = None;
                each_statement(model, definition.body, &mut |_, stmt| {
                    let is_it = |target: ExprId| match model.expr(target) {
                        Expr::Name(name) => name == field && function == class.body,
                        Expr::Attribute { name, .. } => name == field && function != class.body,
                        _ => false,
                    };
                    let annotation = match stmt {
                        Stmt::Annotated { target, annotation, .. } if is_it(*target) => Some(*annotation),
                        Stmt::Assign { targets, value } if model.list(*targets).iter().any(|&target| is_it(target)) => {
                            let given = match model.expr(*value) {
                                Expr::Name(given) => given,
                                _ => return,
                            };
                            let mut parameters = definition.parameters.iter();
                            parameters.find(|parameter| parameter.name == given).and_then(|given| given.annotation)
                        }
                        _ => None,
                    };
                    said = said.or_else(|| read(file, function, annotation?));
                });
                said
            })
        })
    }

    /// The class of the program that an annotation of a container names for its elements.
    fn element(&self, file: FileId, function: LocalFunction, annotation: ExprId) -> Option<ClassId> {
        let model = &self.program.file(file).model;
        match model.expr(annotation) {
            Expr::Subscript(generic, inner) => {
                let name = model.last_name(generic)?;
                let parts: Vec<ExprId> = match model.expr(inner) {
                    Expr::Tuple(parts) => model.list(parts).to_vec(),
                    _ => vec![inner],
                };
                let (first, last) = (*parts.first()?, *parts.last()?);
                match name.as_str() {
                    name if OF_ELEMENTS.contains(&name) => self.annotated_class(file, function, first),
                    name if OF_VALUES.contains(&name) => self.annotated_class(file, function, last),
                    name if LEAVE.contains(&name) => parts.iter().find_map(|&part| self.element(file, function, part)),
                    _ => None,
                }
            }
            Expr::Binary(_, left, right) => {
                self.element(file, function, left).or_else(|| self.element(file, function, right))
            }
            _ => None,
        }
    }
}

/// Whether an annotation is one of a container: it says what the elements are, not what the object is.
pub(super) fn is_of_container(name: Symbol) -> bool {
    OF_ELEMENTS.contains(&name.as_str()) || OF_VALUES.contains(&name.as_str())
}
