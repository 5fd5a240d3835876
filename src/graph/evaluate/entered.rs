//! What a function knows as it is entered, and what its returns come to.

use crate::base::{FunctionId, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, Node, Value};
use crate::model::FunctionKind;

use super::Engine;
use super::frame::Frame;

/// Returns up to which the value of each is told apart.
const MAX_RETURNS: usize = 8;

impl<'p> Engine<'p> {
    /// What a function knows as it is entered: its parameters.
    pub(super) fn entered(&mut self, function: FunctionId) -> Frame<'p> {
        let program = self.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let definition = model.function(local);
        let class = program.class_of(function);
        let is_method =
            class.is_some() && definition.kind == FunctionKind::Def && !self.has_decorator(file, local, "staticmethod");
        let receiver = is_method.then(|| definition.parameters.first().map(|first| first.name)).flatten();
        let pools = self.taint.pooled().holds(function);
        let mut frame = Frame { class, receiver, pools, ..Frame::empty(function, file, local, model) };
        for (position, parameter) in definition.parameters.iter().enumerate() {
            let meaning = self.parameter_meaning(&frame, parameter.name);
            if meaning.is_none()
                && let Some(axis) = self.taint.started().axis(function, position as u16)
            {
                let rank = self.values.make(Node::Rank(Axes::named(axis)));
                let value = self.values.parameter(function, position as u16, Some(rank));
                let reason = format!("`{}` is the number of this process", parameter.name);
                self.born(value, &frame, parameter.span, &reason, Confidence::Medium);
                frame.set(parameter.name, value);
                continue;
            }
            if meaning.is_none()
                && let Some((data, reason)) =
                    self.data_parameter(&frame, parameter.name, position as u16, parameter.span)
            {
                let value = self.values.parameter(function, position as u16, Some(data));
                self.marks.shares.insert(value);
                self.born(value, &frame, parameter.span, reason, Confidence::Medium);
                frame.set(parameter.name, value);
                continue;
            }
            let value = self.values.parameter(function, position as u16, meaning);
            if meaning.is_some() {
                let reason = format!("`{}` is this rank's own, by its name", parameter.name);
                self.born(value, &frame, parameter.span, &reason, Confidence::Medium);
            }
            frame.set(parameter.name, value);
        }
        self.begin_with_outer(&mut frame);
        if let (Some(class), Some(first)) = (class, receiver)
            && self.has_decorator(file, local, "classmethod")
            && !self.fields(class).is_empty()
        {
            let made = self.values.make(Node::Class(class));
            frame.set(first, made);
        }
        frame
    }

    /// What the function's returns come to, the first that applies winning.
    pub(super) fn result(&mut self, frame: &mut Frame<'p>, is_generator: bool) -> Value {
        if is_generator {
            let parameters = &frame.model.function(frame.local).parameters;
            let args: Vec<Value> = parameters
                .iter()
                .enumerate()
                .map(|(position, _)| self.values.parameter(frame.function, position as u16, None))
                .collect();
            return self.values.make(Node::Generator(frame.function, args.into()));
        }
        let mut result = self.none;
        let mut returns = std::mem::take(&mut frame.returns);
        // Nobody comes to the end: who has not returned before returns there.
        if let Some((guard, _)) = returns.last_mut().filter(|_| frame.dead) {
            *guard = None;
        }
        if returns.len() > MAX_RETURNS {
            let parts: Vec<Value> =
                returns.iter().flat_map(|(guard, value)| guard.iter().copied().chain([*value])).collect();
            return self.values.make(Node::Apply(Symbol::new("result"), parts.into()));
        }
        for (guard, value) in returns.into_iter().rev() {
            let value = self.closed_over(frame, value);
            result = match guard {
                None => value,
                Some(guard) => match self.passed_on(&frame.passed, guard, value, result) {
                    Some(same) => same,
                    None => self.values.make(Node::If(guard, value, result)),
                },
            };
        }
        result
    }
}
