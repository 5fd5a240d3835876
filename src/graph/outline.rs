//! What a function issues, as text: the engine explains itself.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, LineIndex, Site};
use crate::flow::{Axes, ChoiceForm, Effect, EffectId, EventId, Exit, LoopKind, Node, Value};
use crate::model::FunctionKind;

use super::divergence::Prepared;
use super::evaluate::Engine;
use super::origin::{leaf, snippet};
use super::program::Program;
use super::reach::reaching;
use super::taint::Taint;

/// Pending calls that are looked into.
const MAX_LOOKS: u32 = 400;

/// Lines that are printed of one function, unless other is wished.
pub const OUTLINE_LINES: usize = 400;

/// What the function issues, as an indented tree of so many lines at most. None when it cannot be evaluated.
pub fn outline(program: &Program, function: FunctionId, lines: usize) -> Option<String> {
    let (reached, taint) = (reaching(program), Taint::of(program));
    told(program, Engine::new(program, &reached, &taint), function, lines)
}

/// The same, where what an evaluation needs is at hand.
pub fn outline_prepared(program: &Program, prepared: &Prepared, function: FunctionId) -> Option<String> {
    told(program, prepared.engine(program), function, OUTLINE_LINES)
}

fn told(program: &Program, mut engine: Engine<'_>, function: FunctionId, limit: usize) -> Option<String> {
    let summary = engine.summary(function)?;
    let root = engine.looked_through(summary.effects, MAX_LOOKS, true);
    let (file, local) = program.locate(function);
    let span = program.function(function).span;
    let mut printer = Printer { engine: &engine, function, lines: Vec::new(), limit, holes: Vec::new() };
    printer.line(0, format!("{} ({})", dotted(program, function), printer.place(Site { file, span })));
    let summed = engine.effects.summed(root);
    match summed.events || summed.invokes {
        true => printer.tree(root, 1),
        false if program.file(file).model.function(local).skeleton => printer.line(1, "was not read in full"),
        false => printer.line(1, "issues nothing"),
    }
    if printer.lines.len() > limit {
        printer.lines.truncate(limit);
        printer.lines.push("  … and more".to_owned());
    }
    Some(printer.lines.join("\n") + "\n")
}

/// The functions that a dotted name, a part of one from the right, or `path.py::qualified` stands for; a path alone is the
/// top level of that file. Of a path its end is enough.
pub fn functions_called(program: &Program, name: &str) -> Vec<FunctionId> {
    let functions = || (0..program.function_count() as u32).map(FunctionId).filter(|&id| is_shown(program, id));
    let by_path = name.split_once("::").or_else(|| name.ends_with(".py").then_some((name, "")));
    if let Some((path, qualified)) = by_path {
        let path = path.trim_start_matches("./");
        let ends = |whole: &str| whole.strip_suffix(path).is_some_and(|above| above.is_empty() || above.ends_with('/'));
        let in_files = |is_it: &dyn Fn(&str) -> bool| -> Vec<FunctionId> {
            let is_meant = |id: &FunctionId| {
                let (file, local) = program.locate(*id);
                is_it(program.file(file).path.as_ref()) && program.symbol_of(file, local) == qualified
            };
            functions().filter(is_meant).collect()
        };
        let whole = in_files(&|known| known == path);
        return if whole.is_empty() { in_files(&ends) } else { whole };
    }
    let whole: Vec<FunctionId> = functions().filter(|&id| dotted(program, id) == name).collect();
    if !whole.is_empty() {
        return whole;
    }
    let tail = format!(".{name}");
    functions().filter(|&id| dotted(program, id).ends_with(&tail)).collect()
}

/// The function that was probably meant by a name that stands for none.
pub fn function_meant(program: &Program, name: &str) -> Option<String> {
    let name = name.rsplit("::").next().unwrap_or(name);
    let known = (0..program.function_count() as u32).map(FunctionId).filter(|&id| is_shown(program, id));
    known
        .map(|id| {
            let (file, local) = program.locate(id);
            let whole = dotted(program, id);
            let likeness = [whole.as_str(), program.symbol_of(file, local), program.function(id).name.as_str()]
                .map(|known| strsim::jaro_winkler(known, name))
                .into_iter()
                .fold(0.0, f64::max);
            (likeness, whole)
        })
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|left, right| left.0.total_cmp(&right.0).then_with(|| right.1.cmp(&left.1)))
        .map(|(_, known)| known)
}

fn is_shown(program: &Program, function: FunctionId) -> bool {
    program.function(function).kind != FunctionKind::ClassBody
}

/// The function's name behind its module's.
fn dotted(program: &Program, function: FunctionId) -> String {
    let (file, local) = program.locate(function);
    match program.symbol_of(file, local) {
        "" => program.module_name(file).as_str().to_owned(),
        qualified => format!("{}.{qualified}", program.module_name(file)),
    }
}

struct Printer<'e, 'p> {
    engine: &'e Engine<'p>,
    function: FunctionId,
    lines: Vec<String>,
    /// How many lines are printed; one more tells that there are more.
    limit: usize,
    /// Bodies of the `with` statements around, the innermost last.
    holes: Vec<EffectId>,
}

impl Printer<'_, '_> {
    fn line(&mut self, depth: usize, text: impl AsRef<str>) {
        if self.lines.len() <= self.limit {
            self.lines.push(format!("{}{}", "  ".repeat(depth), text.as_ref()));
        }
    }

    fn tree(&mut self, effect: EffectId, depth: usize) {
        let engine = self.engine;
        let is_silent = |part: EffectId| engine.effects.summed(part).silent();
        if self.lines.len() > self.limit {
            return;
        }
        match engine.effects.get(effect) {
            Effect::Nothing => {}
            Effect::Seq(parts) => parts.iter().for_each(|&part| self.tree(part, depth)),
            Effect::Event(event) => self.line(depth, self.event(*event)),
            Effect::Choice { test, site, form, then, otherwise } => {
                if is_silent(effect) {
                    return;
                }
                let word = match form {
                    ChoiceForm::Statement | ChoiceForm::Expression => "if",
                    ChoiceForm::Assertion => "assert",
                    ChoiceForm::Wrapper => "only if the wrapper says so:",
                };
                let varies = engine.values.truth_axes(*test);
                let why = self.why(*test, varies);
                self.line(depth, format!("{word} `{}` ({}): {why}", snippet(engine, *site), self.place(*site)));
                self.arm(*then, depth + 1);
                if *otherwise != crate::flow::Effects::NOTHING {
                    self.line(depth, "else");
                    self.arm(*otherwise, depth + 1);
                }
            }
            Effect::Loop { kind, site, body, orelse } => {
                if is_silent(effect) {
                    return;
                }
                let (word, value, varies) = match kind {
                    LoopKind::For { iter, .. } => ("for each of", *iter, engine.values.shape(*iter)),
                    LoopKind::While { test } => ("while", *test, engine.values.truth_axes(*test)),
                };
                let why = self.why(value, varies);
                self.line(depth, format!("{word} `{}` ({}): {why}", snippet(engine, *site), self.place(*site)));
                self.arm(*body, depth + 1);
                if *orelse != crate::flow::Effects::NOTHING {
                    self.line(depth, "after the last");
                    self.arm(*orelse, depth + 1);
                }
            }
            Effect::Exit(exit, site) => {
                let word = match exit {
                    Exit::Return => "return",
                    Exit::Break => "break",
                    Exit::Continue => "continue",
                    Exit::Raise(_) => "raise",
                    Exit::Abort => "end the process",
                    Exit::Done => "end the process, all well",
                };
                self.line(depth, format!("{word} ({})", self.place(*site)));
            }
            Effect::Try { body, handlers, orelse, finally } => {
                self.line(depth, "try");
                self.arm(*body, depth + 1);
                for handler in handlers.iter().filter(|handler| !is_silent(handler.body)) {
                    let names: Vec<&str> = handler.catches.iter().map(|name| name.as_str()).collect();
                    self.line(depth, format!("except {}", names.join(", ")).trim_end());
                    self.tree(handler.body, depth + 1);
                }
                for (word, part) in [("else", *orelse), ("finally", *finally)] {
                    if !is_silent(part) {
                        self.line(depth, word);
                        self.tree(part, depth + 1);
                    }
                }
            }
            Effect::Scope { manager, body } => {
                self.holes.push(*body);
                self.tree(*manager, depth);
                self.holes.pop();
            }
            Effect::Hole => match self.holes.pop() {
                Some(body) => {
                    self.tree(body, depth);
                    self.holes.push(body);
                }
                None => self.line(depth, "yield"),
            },
            Effect::Call { function, site, body } => {
                let summed = engine.effects.summed(*body);
                if summed.events || summed.invokes || self.may_leave(*body) {
                    self.line(depth, format!("call {} ({})", engine.function_name(*function), self.place(*site)));
                    let caller = std::mem::replace(&mut self.function, *function);
                    self.tree(*body, depth + 1);
                    self.function = caller;
                }
            }
            Effect::Pending { function, site, .. } => {
                let name = engine.function_name(*function);
                self.line(depth, format!("call {name} ({}), not looked into", self.place(*site)));
            }
            Effect::Invoke { site, .. } => {
                self.line(
                    depth,
                    format!("call `{}` ({}), which the caller knows", snippet(engine, *site), self.place(*site)),
                );
            }
        }
    }

    /// One arm or body; something stands there even when nothing is issued.
    fn arm(&mut self, effect: EffectId, depth: usize) {
        let before = self.lines.len();
        self.tree(effect, depth);
        if self.lines.len() == before {
            self.line(depth, "nothing");
        }
    }

    /// Whether the job may end inside: a return is the call's own.
    fn may_leave(&self, effect: EffectId) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![effect];
        while let Some(effect) = pending.pop() {
            if !seen.insert(effect) {
                continue;
            }
            if matches!(self.engine.effects.get(effect), Effect::Exit(Exit::Abort | Exit::Done | Exit::Raise(_), _)) {
                return true;
            }
            pending.extend(self.engine.below(effect));
        }
        false
    }

    fn event(&self, event: EventId) -> String {
        let event = self.engine.effects.event(event);
        let mut text = format!("{} on {}", event.op, self.group(event.group));
        if let Some(root) = event.root {
            text.push_str(&format!(", root {}", self.root(root)));
        }
        if event.implicit {
            text.push_str(&format!(", behind `{}`", snippet(self.engine, event.site)));
        }
        format!("{text} ({})", self.place(event.site))
    }

    fn group(&self, group: Value) -> String {
        match self.engine.values.node(group) {
            Node::World | Node::None => "WORLD".to_owned(),
            Node::MadeGroup(site, _) => format!("the group made at {}", self.place(*site)),
            Node::Parameter(..) => format!("the group `{}`", self.parameter(group)),
            _ => match self.engine.axis_name(group) {
                Some(name) => format!("the {name} group"),
                None => "its group".to_owned(),
            },
        }
    }

    fn root(&self, root: Value) -> String {
        match self.engine.values.node(root) {
            Node::Int(rank) => rank.to_string(),
            Node::Parameter(..) => format!("`{}`", self.parameter(root)),
            _ if !self.engine.values.vary(root).is_empty() => "that differs between ranks".to_owned(),
            _ => "that is computed".to_owned(),
        }
    }

    fn parameter(&self, value: Value) -> &'static str {
        let Node::Parameter(function, position) = *self.engine.values.node(value) else { return "" };
        let parameters = &self.engine.program.function(function).parameters;
        parameters.get(position as usize).map_or("", |parameter| parameter.name.as_str())
    }

    /// Whether a condition or a number of turns differs between ranks, and why.
    fn why(&self, value: Value, varies: Axes) -> String {
        let engine = self.engine;
        if varies.is_empty() {
            return match engine.values.facts(value).open {
                true => "up to the caller".to_owned(),
                false => "the same on every rank".to_owned(),
            };
        }
        let along = match engine.axes_name(varies) {
            Some(axis) if !varies.is_all() => format!("differs along {axis}"),
            _ => "differs between ranks".to_owned(),
        };
        let Some(leaf) = leaf(engine, value, varies) else { return along };
        if let Some(birth) = engine.birth(leaf, self.function, None) {
            return format!("{along}, {} ({})", birth.reason, self.place(birth.site));
        }
        match engine.values.node(leaf) {
            Node::Rank(axes) if axes.is_all() => format!("{along}, it is the rank"),
            Node::Rank(_) => format!("{along}, it is a coordinate of the rank"),
            Node::Parameter(..) => format!("{along}, by the name of the parameter `{}`", self.parameter(leaf)),
            Node::Local(site, _) | Node::Spread(site, ..) if site.file.index() < engine.program_files() => {
                format!("{along}, from {}", self.place(*site))
            }
            _ => along,
        }
    }

    fn place(&self, site: Site) -> String {
        let file = self.engine.program.file(site.file);
        format!("{}:{}", file.path, LineIndex::new(&file.text).line(site.span.start))
    }
}
