//! Registries of groups that are asked by a key which names the axis: `context.get_group(ParallelMode.DATA)`.

use crate::base::{FileId, Span, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, Node, Value};
use crate::model::{Call, Expr, ExprId, each_statement};

use super::super::protocol::Types;
use super::super::resolve::Scope;
use super::{Engine, Frame};

/// What such a registry is asked for.
fn is_question(name: &str) -> bool {
    matches!(
        name,
        "get_group" | "get_cpu_group" | "get_local_rank" | "get_world_size" | "is_first_rank" | "is_last_rank"
    )
}

impl<'p> Engine<'p> {
    /// The answer of a registry of groups, when its only argument is a member of an enumeration that is named after an
    /// axis.
    pub(super) fn keyed_by_axis(
        &mut self,
        frame: &mut Frame<'p>,
        name: Symbol,
        call: Call,
        span: Span,
    ) -> Option<Value> {
        if !is_question(name.as_str()) {
            return None;
        }
        let &[key] = frame.model.list(call.args) else { return None };
        let axes = match frame.model.expr(key) {
            // Only a mesh is asked so for a rank, whatever it is called.
            Expr::Str(axis) if name.as_str() == "get_local_rank" => self.axes_called(axis.as_str()),
            _ => self.key_axes(frame, key)?,
        };
        let value = match name.as_str() {
            "get_local_rank" => self.values.make(Node::Rank(axes)),
            "get_world_size" => self.values.make(Node::Size(axes)),
            "is_first_rank" => self.is_first(axes),
            "is_last_rank" => self.is_last(axes),
            _ if axes.is_all() => self.values.make(Node::World),
            _ => self.values.make(Node::AxisGroup(axes)),
        };
        self.born(value, frame, span, "each rank has its own", Confidence::High);
        Some(value)
    }

    /// The axes that `ParallelMode.DATA` names.
    fn key_axes(&self, frame: &Frame<'p>, key: ExprId) -> Option<Axes> {
        let Expr::Attribute { value, name } = frame.model.expr(key) else { return None };
        let (Expr::Name(enumeration) | Expr::Attribute { name: enumeration, .. }) = frame.model.expr(value) else {
            return None;
        };
        if !enumeration.as_str().to_lowercase().contains("parallel") || name.as_str() != name.as_str().to_uppercase() {
            return None;
        }
        let word = name.as_str().to_lowercase();
        if matches!(word.as_str(), "global" | "world") {
            return Some(Axes::ALL);
        }
        let long = format!("{word}_parallel");
        let named = |known: &Symbol| known.as_str() == word || known.as_str() == long;
        let axis = self
            .program
            .catalog
            .axes()
            .iter()
            .find(|axis| axis.words.iter().any(|known| named(&Symbol::new(known))))?;
        Some(Axes::named(axis.name.as_str()))
    }

    /// The class of which every object is that the functions of the file assign to a global variable.
    pub(super) fn class_of_global(&mut self, file: FileId, name: Symbol) -> Option<crate::base::ClassId> {
        if let Some(&known) = self.memo.global_classes.get(&(file, name)) {
            return known;
        }
        let program = self.program;
        let model = &program.file(file).model;
        let types = Types::new(program);
        let mut classes = Vec::new();
        for index in 0..model.functions.len() as u32 {
            let local = crate::model::LocalFunction(index);
            if local == model.module() || program.scope_of(file, local, name) != Scope::Global {
                continue;
            }
            each_statement(model, model.function(local).body, &mut |_, stmt| {
                let Some((targets, value)) = model.assigned(stmt) else { return };
                if matches!(model.expr(value), Expr::Call(_))
                    && targets.iter().any(|&target| model.expr(target) == Expr::Name(name))
                    && let Some(class) = types.class_of(file, local, value)
                    && !classes.contains(&class)
                {
                    classes.push(class);
                }
            });
        }
        // One of several, as the job is configured: the one that issues most speaks for all.
        let issues = |class: &crate::base::ClassId| {
            let methods = &program.class(*class).methods;
            let (file, _) = program.locate_class(*class);
            methods.iter().filter(|(_, method)| self.reaches(program.function_id(file, *method))).count()
        };
        let most = classes.iter().map(issues).max().unwrap_or(0);
        let mut leading = classes.iter().copied().filter(|class| issues(class) == most);
        let found = leading.next().filter(|_| classes.len() == 1 || most > 0 && leading.next().is_none());
        self.memo.global_classes.insert((file, name), found);
        found
    }

    /// The ranks of a group as a mesh tells them: `mesh.get_ranks_in_group(group)`.
    pub(super) fn ranks_of_group(&mut self, name: Symbol, arguments: &[Value]) -> Option<Value> {
        let &[group] = arguments else { return None };
        let meant = self.values.meaning(group).unwrap_or(group);
        let is_group = matches!(self.values.node(meant), Node::AxisGroup(_) | Node::MadeGroup(..) | Node::World);
        (is_group && name.as_str() == "get_ranks_in_group")
            .then(|| self.values.make(Node::Apply(Symbol::new(crate::flow::MEMBERS), Box::from([group]))))
    }
}
