//! One function alone: symbolic values and how they vary, what the function issues, and whether two classes of
//! ranks can issue different sequences.
//!
//! Knows nothing of files or of the catalogue: names were resolved and calls summarised by `graph`, which builds the
//! values and effects of this layer.

mod axes;
mod bearing;
mod concrete;
mod effect;
mod region;
mod trace;
mod value;

pub use axes::Axes;
pub use bearing::Bearing;
pub use concrete::{Answers, Assignment, Concrete, Evaluator, GroupKey, Missing, Truth, World};
pub use effect::{
    ChoiceForm, Effect, EffectId, Effects, Event, EventId, Exit, HandlerEffect, LoopKind, Summed, handles,
};
pub use region::{Standing, disputed, standings};
pub use trace::{Asked, Decided, Difference, Heal, Healed, Parting, Reached, Tracer};
pub use value::{
    COLLECTED, COMPREHENSION, DEVICE_COUNT, DISPATCH, FILTERS, Facts, GIVEN, HANDED_ON, INITIALIZED, IS_MEMBER,
    MEMBERS, MERGED, Node, ONCE, POOLED, REPEAT, SPREAD, STORE, TELLING, TOO_DEEP, UNSET, UPDATE, Value, Values,
    WITHOUT, parts,
};
