//! Groups as operations are handed them.

use super::{Engine, Frame};
use crate::flow::{Axes, Node, Value};
use crate::graph::blocks::binds;
use crate::model::{Expr, ExprId, each_statement};

/// Methods that give another thing each time.
const TAKES_OUT: [&str; 3] = ["pop", "popleft", "get_nowait"];

impl<'p> Engine<'p> {
    /// A group argument as a group, and the axes it reaches across.
    pub(super) fn group_argument(&mut self, group: Value) -> (Value, Axes) {
        match self.values.node(group) {
            Node::None => {
                let world = self.values.make(Node::World);
                (world, Axes::ALL)
            }
            Node::Str(axis) => {
                let axes = self.axes_called(axis.as_str());
                let group = self.values.make(Node::AxisGroup(axes));
                (group, axes)
            }
            Node::Index(_, index) if let Some(axes) = self.axis_index(*index) => {
                let group = self.values.make(Node::AxisGroup(axes));
                (group, axes)
            }
            // The mesh of one element of a container is that of its other elements.
            Node::Attribute(object, name) if matches!(self.values.node(*object), Node::Item(..) | Node::Index(..)) => {
                let name = *name;
                let group = self.values.make(Node::Apply(name, Box::from([])));
                let axes = self.values.group_axes(group);
                (group, axes)
            }
            Node::Mesh(_) => {
                let axes = self.values.group_axes(group);
                let group = self.values.make(Node::AxisGroup(axes));
                (group, axes)
            }
            _ => {
                let axes = self.values.group_axes(group);
                (group, axes)
            }
        }
    }

    /// The group that a call answers of which nothing is known, `state.get_group("dp")`: asked of the same variable, which
    /// the function binds once, in the same words it is the same one.
    pub(super) fn group_by_its_call(&mut self, frame: &Frame<'p>, group: Value, written: Option<ExprId>) -> Value {
        let model = frame.model;
        let Some(Expr::Call(index)) = written.map(|written| model.expr(written)) else { return group };
        let call = model.call(index);
        let is_unknown = matches!(self.values.node(group), Node::Unknown(_));
        let Expr::Attribute { value, name } = model.expr(call.callee) else { return group };
        let Expr::Name(asked) = model.expr(value) else { return group };
        if !is_unknown || !model.keywords(call).is_empty() || TAKES_OUT.contains(&name.as_str()) {
            return group;
        }
        let mut bound = 0;
        each_statement(model, model.function(frame.local).body, &mut |_, stmt| {
            bound += usize::from(binds(model, stmt, asked));
        });
        let mut words = vec![Some(self.values.make(Node::Str(asked)))];
        for &arg in model.list(call.args) {
            words.push(match model.expr(arg) {
                Expr::Str(text) => Some(self.values.make(Node::Str(text))),
                constant => self.literal(constant),
            });
        }
        match words.into_iter().collect::<Option<Vec<Value>>>() {
            Some(words) if bound <= 1 => self.values.make(Node::Apply(name, words.into())),
            _ => group,
        }
    }
}
