//! Methods of an object whose attributes the caller has changed: `if rank == 0: stopper.update(loss)`, then `stopper.finish()`.
//!
//! What the class says of an attribute is what its own methods leave there, whoever calls them. A method that is called where
//! an attribute is known to differ between ranks is evaluated with it once more.

use std::rc::Rc;

use super::arguments::Arguments;
use super::substitute::MAX_STEPS;
use super::{Engine, Frame, Summary};
use crate::base::{FunctionId, Symbol};
use crate::flow::Value;

/// Bytes of a method up to which it is evaluated once more.
const MAX_BYTES: u32 = 8_000;

/// Attributes of an object and what they hold.
pub(super) type Held = Box<[(Symbol, Value)]>;

impl<'p> Engine<'p> {
    /// Attributes of the object whose method is called which differ between ranks since this function has changed them, and
    /// which the method asks for. Of its own object a method's class knows.
    pub(super) fn held_by_receiver(&self, frame: &Frame<'p>, function: FunctionId, arguments: &Arguments) -> Held {
        let holder = arguments.holder.filter(|&holder| arguments.receiver.is_some() && frame.receiver != Some(holder));
        let Some(holder) = holder else { return Box::default() };
        let root = self.roots.get(&holder).copied().unwrap_or(holder);
        let Some(paths) = frame.paths.get(&root) else { return Box::default() };
        let definition = self.program.function(function);
        let mut held: Vec<(Symbol, Value)> = Vec::new();
        for &path in paths {
            let name = path.as_str().strip_prefix(holder.as_str()).and_then(|rest| rest.strip_prefix('.'));
            let Some(name) = name.map(Symbol::new).filter(|name| definition.mentions.contains(name)) else { continue };
            held.extend(
                frame.get(path).filter(|&value| !self.values.vary(value).is_empty()).map(|value| (name, value)),
            );
        }
        held.into()
    }

    /// What a method does on an object that holds this in its attributes.
    pub(super) fn summary_holding(&mut self, method: FunctionId, held: Held) -> Option<Rc<Summary>> {
        let span = self.program.function(method).span;
        let is_known = self.cycles.is_active(method) || span.end - span.start > MAX_BYTES;
        if held.is_empty() || is_known || self.is_given_up() {
            return self.summary(method);
        }
        let key = (method, held);
        if let Some(known) = self.memo.holding.get(&key) {
            return known.clone().or_else(|| self.summary(method));
        }
        self.memo.holding.insert(key.clone(), None);
        let budget = std::mem::replace(&mut self.budget, MAX_STEPS);
        let summary = self.on_behalf_of(method, |engine| {
            let mut frame = engine.entered(method);
            for &(name, value) in &key.1 {
                if let Some(path) = frame.receiver.and_then(|receiver| engine.path_of(receiver, name)) {
                    engine.set_path(&mut frame, path, value);
                }
            }
            Rc::new(engine.evaluate_in(frame))
        });
        self.budget = budget;
        self.memo.holding.insert(key, Some(summary.clone()));
        Some(summary)
    }
}
