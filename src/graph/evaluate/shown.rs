//! Objects as text: an f-string, `str(x)`, `print(x)` and a logger run a method of the object, which may communicate.

use super::arguments::Arguments;
use super::{Engine, Frame};
use crate::base::{ClassId, Span, Symbol};
use crate::flow::{Node, Value};
use crate::model::ExprId;

/// Methods that make a text of an object, in the order in which they are asked.
pub(in crate::graph) const TEXTS: [&str; 3] = ["__format__", "__str__", "__repr__"];

/// Functions and methods that make a text of what they are given.
pub(in crate::graph) const SHOWS: [&str; 12] =
    ["str", "print", "repr", "format", "info", "debug", "warning", "error", "critical", "exception", "log", "write"];

/// Steps from an element to what makes it.
const MAX_STEPS: usize = 8;

impl<'p> Engine<'p> {
    /// Runs what makes a text of an object of the program, where that communicates.
    pub(super) fn shown(&mut self, frame: &mut Frame<'p>, expr: ExprId, value: Value, span: Span) {
        let Some(class) = self.class_of_value(frame, expr, value) else { return };
        let method = TEXTS.iter().find_map(|name| self.program.method(class, Symbol::new(name)));
        if let Some(method) = method.filter(|&method| self.reaches(method)) {
            let arguments = Arguments { receiver: Some(value), ..Arguments::default() };
            self.call_method(frame, method, arguments, span);
        }
    }

    /// Runs what makes texts of the arguments of a call that shows them.
    pub(super) fn shown_by(&mut self, frame: &mut Frame<'p>, name: Symbol, arguments: &Arguments) {
        if !SHOWS.contains(&name.as_str()) {
            return;
        }
        for &(value, expr) in &arguments.positional {
            if let Some(expr) = expr {
                self.shown(frame, expr, value, frame.model.span(expr));
            }
        }
    }

    /// The class of the elements that a dictionary makes when it is asked for them.
    pub(super) fn class_of_element(&mut self, container: Value) -> Option<ClassId> {
        let mut at = container;
        for _ in 0..MAX_STEPS {
            at = match self.values.node(at) {
                Node::Apply(name, parts) if name.last_part().as_str() == "defaultdict" => {
                    let made = *parts.first()?;
                    let made = match *self.values.node(made) {
                        Node::Function(function, None) => self.summary(function)?.result,
                        _ => made,
                    };
                    return match *self.values.node(made) {
                        Node::Class(class) | Node::Instance(class, _) => Some(class),
                        _ => None,
                    };
                }
                Node::Carried(_, _, parts) | Node::Changed(_, parts) | Node::Mapped(_, parts) => *parts.first()?,
                Node::Item(_, inner) => *inner,
                Node::Parameter(..) | Node::Attribute(..) => return self.annotated_element(at),
                _ => return None,
            };
        }
        None
    }
}
