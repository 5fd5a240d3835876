//! What a function issues: a tree of events, choices, loops, protected blocks and exits.

use smallvec::{SmallVec, smallvec};

use crate::base::{Arena, FunctionId, Site, Symbol};
use crate::finding::Confidence;

use super::axes::Axes;
use super::value::{Value, Values};

/// An effect; an index into [`Effects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EffectId(pub u32);

/// An event; an index into [`Effects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

/// An operation on a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name.
    pub op: Symbol,
    /// Whether it creates a group.
    pub creates: bool,
    /// Whether it hides behind a call that does not look like it.
    pub implicit: bool,
    /// Whether it communicates only where the model is sharded.
    pub sharded: bool,
    /// The group it runs on.
    pub group: Value,
    /// Its root in global ranks, if it has one.
    pub root: Option<Value>,
    /// The parameter the root was given by.
    pub root_parameter: Option<Symbol>,
    /// Its reduce operator, where it is given.
    pub operator: Option<Value>,
    /// The ranks of a group creation.
    pub members: Option<Value>,
    /// The buffer whose shape every member must agree on, as the function at hand knows it: that it comes from a
    /// parameter does not make the event one of the parameter.
    pub shaped: Option<Value>,
    /// The file or folder that every member must name alike, as the function at hand knows it.
    pub place: Option<Value>,
    /// Where it is issued.
    pub site: Site,
    /// How sure it is that this call is that operation.
    pub confidence: Confidence,
}

/// How the flow leaves a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Exit {
    /// `return`
    Return,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `raise`, with the names of the exception's class and its bases; none when it is not known.
    Raise(Box<[Symbol]>),
    /// The process ends, and its launcher ends the job.
    Abort,
    /// The process ends as if all were well: its launcher waits for the others.
    Done,
}

/// What a choice looks like in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceForm {
    /// `if`, `elif`, `match`
    Statement,
    /// `and`, `or`, a conditional expression, a filter of a comprehension
    Expression,
    /// `assert`
    Assertion,
    /// Decided by a decorator or a dispatcher around the function.
    Wrapper,
}

/// What drives a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoopKind {
    /// `for item in iter`
    For {
        /// What is iterated.
        iter: Value,
        /// Its element inside the body.
        item: Value,
    },
    /// `while test`
    While {
        /// The condition, as it is inside the loop.
        test: Value,
    },
}

/// One `except` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerEffect {
    /// Names of the exception classes it catches; empty for all.
    pub catches: Box<[Symbol]>,
    /// What it does.
    pub body: EffectId,
}

/// Whether who catches these takes an exception of those names; one without a name may be any.
pub fn handles(catches: &[Symbol], raised: &[Symbol]) -> bool {
    catches.is_empty() || raised.is_empty() || catches.iter().any(|caught| raised.contains(caught))
}

/// What is issued.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// One after the other.
    Seq(Box<[EffectId]>),
    /// An operation on a group.
    Event(EventId),
    /// One of two.
    Choice {
        /// What decides.
        test: Value,
        /// Where that stands.
        site: Site,
        /// Its form.
        form: ChoiceForm,
        /// When it holds.
        then: EffectId,
        /// When it does not.
        otherwise: EffectId,
    },
    /// Many times.
    Loop {
        /// What drives it.
        kind: LoopKind,
        /// Where that stands.
        site: Site,
        /// Each turn.
        body: EffectId,
        /// After the last, unless left by `break`.
        orelse: EffectId,
    },
    /// Leaves the block.
    Exit(Exit, Site),
    /// `try`
    Try {
        /// The protected part.
        body: EffectId,
        /// The handlers in order.
        handlers: Box<[HandlerEffect]>,
        /// After the protected part, when nothing was raised.
        orelse: EffectId,
        /// In any case.
        finally: EffectId,
    },
    /// `with`: the body runs where the manager's tree has its hole.
    Scope {
        /// What the context manager does around it.
        manager: EffectId,
        /// The body.
        body: EffectId,
    },
    /// Where the body of a [`Effect::Scope`] runs; a `yield` otherwise.
    Hole,
    /// A call: `return` inside ends here.
    Call {
        /// The function called.
        function: FunctionId,
        /// Where from.
        site: Site,
        /// What it does.
        body: EffectId,
    },
    /// A call whose callee has not been looked into: nothing around it has given reason to.
    Pending {
        /// The function called.
        function: FunctionId,
        /// Where from.
        site: Site,
        /// Its parameters' values.
        args: Box<[Value]>,
    },
    /// A call of something that only the caller knows.
    Invoke {
        /// What is called.
        callee: Value,
        /// With what.
        args: Box<[Value]>,
        /// Where.
        site: Site,
    },
}

/// Facts of an effect, computed once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summed {
    /// How many nodes it has, calls included.
    pub weight: u32,
    /// Whether it issues anything.
    pub events: bool,
    /// Whether it may leave its block.
    pub exits: bool,
    /// Whether it raises explicitly somewhere.
    pub raises: bool,
    /// Whether parameters or captured variables decide anything in it.
    pub open: bool,
    /// Whether a buffer in it is made of parameters or captured variables: what is issued is the same whatever they are.
    pub shaped: bool,
    /// Whether something in it is decided by a value that differs between ranks.
    pub varies: Axes,
    /// The same, and whatever else classes of ranks may answer differently: without any, it goes alike for all of them.
    pub answers: Axes,
    /// Whether it has a hole.
    pub hole: bool,
    /// Whether it calls something that only its callers know.
    pub invokes: bool,
    /// Whether it holds calls that have not been looked into.
    pub pending: bool,
}

impl Summed {
    /// Whether nothing that anybody could observe happens in it.
    pub fn silent(self) -> bool {
        !(self.events || self.exits || self.hole || self.invokes)
    }
}

/// The arena of effects.
pub struct Effects {
    effects: Arena<(Effect, Summed)>,
    events: Arena<Event>,
}

impl Default for Effects {
    fn default() -> Self {
        let mut effects = Arena::default();
        effects.push((Effect::Nothing, Summed::default()));
        Effects { effects, events: Arena::default() }
    }
}

impl Effects {
    /// The effect of doing nothing.
    pub const NOTHING: EffectId = EffectId(0);

    /// The parts of an effect, in order.
    pub fn below(&self, effect: EffectId) -> SmallVec<[EffectId; 4]> {
        match self.get(effect) {
            Effect::Seq(parts) => parts.iter().copied().collect(),
            Effect::Choice { then, otherwise, .. } => smallvec![*then, *otherwise],
            Effect::Loop { body, orelse, .. } => smallvec![*body, *orelse],
            Effect::Try { body, handlers, orelse, finally } => {
                let mut out: SmallVec<[EffectId; 4]> = smallvec![*body];
                out.extend(handlers.iter().map(|handler| handler.body));
                out.extend([*orelse, *finally]);
                out
            }
            Effect::Scope { manager, body } => smallvec![*manager, *body],
            Effect::Call { body, .. } => smallvec![*body],
            Effect::Nothing
            | Effect::Event(_)
            | Effect::Exit(..)
            | Effect::Hole
            | Effect::Invoke { .. }
            | Effect::Pending { .. } => SmallVec::new(),
        }
    }

    /// What the effect is.
    pub fn get(&self, id: EffectId) -> &Effect {
        &self.effects.get(id.0).0
    }

    /// The facts of an effect.
    pub fn summed(&self, id: EffectId) -> Summed {
        self.effects.get(id.0).1
    }

    /// The event behind `id`.
    pub fn event(&self, id: EventId) -> &Event {
        self.events.get(id.0)
    }

    /// Adds an event.
    pub fn issue(&mut self, event: Event, values: &Values) -> EffectId {
        let id = EventId(self.events.push(event));
        self.make(Effect::Event(id), values)
    }

    /// One after the other, flattened.
    pub fn seq(&mut self, parts: &[EffectId], values: &Values) -> EffectId {
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            match self.get(part) {
                Effect::Nothing => {}
                Effect::Seq(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        match flat[..] {
            [] => Effects::NOTHING,
            [one] => one,
            _ => self.make(Effect::Seq(flat.into()), values),
        }
    }

    /// Adds an effect; one that does nothing at all becomes [`Effects::NOTHING`].
    pub fn make(&mut self, effect: Effect, values: &Values) -> EffectId {
        let of = |id: EffectId| self.summed(id);
        let join = |a: Summed, b: Summed| Summed {
            weight: a.weight.saturating_add(b.weight),
            events: a.events || b.events,
            exits: a.exits || b.exits,
            raises: a.raises || b.raises,
            open: a.open || b.open,
            shaped: a.shaped || b.shaped,
            varies: a.varies | b.varies,
            answers: a.answers | b.answers,
            hole: a.hole || b.hole,
            invokes: a.invokes || b.invokes,
            pending: a.pending || b.pending,
        };
        let mut summed = match &effect {
            Effect::Nothing => return Effects::NOTHING,
            Effect::Seq(parts) => parts.iter().map(|&part| of(part)).fold(Summed::default(), join),
            Effect::Event(id) => {
                let event = self.events.get(id.0);
                let mut sum = Summed { events: true, ..Summed::default() };
                for value in [Some(event.group), event.root, event.operator, event.members].into_iter().flatten() {
                    let facts = values.facts(value);
                    sum.open |= facts.open;
                    sum.varies |= facts.vary;
                    sum.answers |= facts.vary | facts.shape;
                }
                if event.members.is_some_and(|members| values.part_of_the_job_in(members).is_some()) {
                    (sum.varies, sum.answers) = (Axes::ALL, Axes::ALL);
                }
                // Ranks that name another place still issue the same.
                sum.open |= event.place.is_some_and(|place| values.facts(place).open);
                sum.shaped = event.shaped.is_some_and(|shaped| values.facts(shaped).open);
                sum
            }
            Effect::Choice { test, then, otherwise, .. } => {
                let mut sum = join(of(*then), of(*otherwise));
                if sum.silent() {
                    return Effects::NOTHING;
                }
                let facts = values.facts(*test);
                sum.open |= facts.open;
                sum.varies |= facts.vary;
                sum.answers |= facts.vary | facts.shape;
                sum
            }
            Effect::Loop { kind, body, orelse, .. } => {
                let mut sum = join(of(*body), of(*orelse));
                if sum.silent() {
                    return Effects::NOTHING;
                }
                let (facts, vary) = match kind {
                    LoopKind::For { iter, .. } => (values.facts(*iter), values.shape(*iter)),
                    LoopKind::While { test } => (values.facts(*test), values.vary(*test)),
                };
                sum.open |= facts.open;
                sum.varies |= vary;
                sum.answers |= facts.vary | facts.shape;
                sum
            }
            Effect::Exit(exit, _) => {
                Summed { exits: true, raises: matches!(exit, Exit::Raise(_)), ..Summed::default() }
            }
            Effect::Try { body, handlers, orelse, finally } => {
                let rest = join(of(*orelse), of(*finally));
                handlers.iter().map(|handler| of(handler.body)).fold(join(of(*body), rest), join)
            }
            Effect::Scope { manager, body } => {
                let sum = join(of(*manager), of(*body));
                Summed { hole: of(*body).hole, ..sum }
            }
            Effect::Hole => Summed { hole: true, ..Summed::default() },
            Effect::Call { body, .. } => {
                let sum = of(*body);
                if !sum.events && !sum.raises && !sum.hole && !sum.invokes {
                    return Effects::NOTHING;
                }
                Summed { exits: sum.raises, ..sum }
            }
            Effect::Pending { args, .. } => {
                let mut sum = Summed { events: true, pending: true, ..Summed::default() };
                for &arg in args {
                    let facts = values.facts(arg);
                    sum.open |= facts.open;
                    sum.varies |= facts.vary | facts.shape;
                }
                sum
            }
            Effect::Invoke { callee, args, .. } => {
                let open = values.facts(*callee).open || args.iter().any(|&arg| values.facts(arg).open);
                Summed { open, invokes: true, ..Summed::default() }
            }
        };
        summed.weight = summed.weight.saturating_add(1);
        EffectId(self.effects.push((effect, summed)))
    }
}
