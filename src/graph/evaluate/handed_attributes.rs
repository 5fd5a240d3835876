//! Attributes that a caller has set on what it hands over, `args.main = rank == 0`, then `train(args)`; and those that a function
//! sets on what it is handed: `prepare(args)`, then `args.main`.

use crate::base::{FunctionId, Symbol};
use crate::flow::{Node, Value};

use super::arguments::Arguments;
use super::substitute::Substitution;
use super::{Engine, Frame};

/// An attribute of a parameter, by its position, and what the caller has put there.
pub(super) type HandedAttribute = (u16, Symbol, Value);

/// Parts of what an attribute is set to that are looked at.
const MAX_PARTS: usize = 40;

impl<'p> Engine<'p> {
    /// The attributes of its arguments which differ between ranks since the caller has set them, and which the function asks
    /// for.
    pub(super) fn handed_attributes(
        &mut self,
        frame: &Frame<'p>,
        function: FunctionId,
        arguments: &Arguments,
    ) -> Vec<HandedAttribute> {
        if frame.paths.is_empty() {
            return Vec::new();
        }
        let definition = self.program.function(function);
        let bound = usize::from(arguments.receiver.is_some());
        let by_position = arguments.positional.iter().enumerate();
        let by_position = by_position.filter_map(|(at, &(_, expr))| Some((at + bound, expr?)));
        let named = |name: Symbol| definition.parameters.iter().position(|parameter| parameter.name == name);
        let by_name = arguments.keywords.iter().filter_map(|&(name, _, expr)| Some((named(name)?, expr?)));
        let mut out = Vec::new();
        for (position, expr) in by_position.chain(by_name) {
            let Some(path) = self.path(frame, expr) else { continue };
            let root = self.roots.get(&path).copied().unwrap_or(path);
            for &whole in frame.paths.get(&root).map_or(&[][..], Vec::as_slice) {
                let name = whole.as_str().strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix('.'));
                let Some(name) = name.map(Symbol::new).filter(|name| definition.mentions.contains(name)) else {
                    continue;
                };
                let set = frame.get(whole).filter(|&value| !self.values.vary(value).is_empty());
                out.extend(set.map(|value| (position as u16, name, value)));
            }
        }
        out
    }

    /// The attributes of its parameters which a function has set, where they differ between ranks. Those of its own object are
    /// the business of its class.
    pub(super) fn set_on_given(&self, frame: &Frame<'p>) -> Vec<HandedAttribute> {
        let mut out = Vec::new();
        if frame.paths.is_empty() {
            return out;
        }
        let parameters = &frame.model.function(frame.local).parameters;
        for (position, parameter) in parameters.iter().enumerate() {
            let is_given = matches!(
                frame.get(parameter.name).map(|value| self.values.node(value)),
                Some(&Node::Parameter(function, of)) if function == frame.function && usize::from(of) == position
            );
            if Some(parameter.name) == frame.receiver || !is_given {
                continue;
            }
            for &path in frame.paths.get(&parameter.name).map_or(&[][..], Vec::as_slice) {
                let name = path.as_str().strip_prefix(parameter.name.as_str()).and_then(|rest| rest.strip_prefix('.'));
                let Some(name) = name.filter(|name| !name.contains('.')).map(Symbol::new) else { continue };
                let set = frame.get(path).filter(|&value| self.differs_unsettled(value));
                out.extend(set.map(|value| (position as u16, name, value)));
            }
        }
        out
    }

    /// Whether a value differs between ranks, and nothing of it was agreed on.
    fn differs_unsettled(&self, value: Value) -> bool {
        let agreed = |part: Value| matches!(self.values.node(part), Node::Agreed(..));
        !self.values.vary(value).is_empty() && !self.values.any_part(value, MAX_PARTS, agreed)
    }

    /// What a call has set on what it was handed.
    pub(super) fn after_setting(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: &Arguments,
        set: &[HandedAttribute],
        substitution: &mut Substitution,
    ) {
        let skipped = usize::from(arguments.receiver.is_some());
        for &(position, name, value) in set {
            let position = usize::from(position);
            let parameter = self.program.function(function).parameters[position].name;
            let by_position = position.checked_sub(skipped).and_then(|at| arguments.positional.get(at)?.1);
            let by_name = || arguments.keywords.iter().find(|keyword| keyword.0 == parameter)?.2;
            let Some(given) = by_position.or_else(by_name).and_then(|expr| self.path(frame, expr)) else { continue };
            let Some(path) = self.path_of(given, name) else { continue };
            frame.prepared = Some(given);
            let value = self.replaced(value, substitution);
            self.set_path(frame, path, value);
        }
    }
}
