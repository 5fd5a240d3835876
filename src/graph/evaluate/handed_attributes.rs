//! Attributes that a caller has set on what it hands over: `args.main = rank == 0`, then `train(args)`.

use crate::base::{FunctionId, Symbol};
use crate::flow::Value;

use super::arguments::Arguments;
use super::{Engine, Frame};

/// An attribute of a parameter, by its position, and what the caller has put there.
pub(super) type HandedAttribute = (u16, Symbol, Value);

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
}
