//! Comparisons and arithmetic over what is known.

use super::{Concrete, Evaluator, MAX_SPELLED, Truth, is_definition};
use crate::flow::value::{Node, Value};
use crate::model::{BinaryOp, CompareOp};

/// The answers to a comparison with something that a question chooses.
pub enum Cases {
    /// The one answer.
    Settled(bool),
    /// What decides, and the answers where that holds and where it does not.
    Chosen(Value, Box<[Cases; 2]>),
}

/// Parts of a comparison of sizes that are looked at.
const MAX_SIZES: usize = 12;

/// Choices within choices that are told apart.
const MAX_CASES: u32 = 5;

impl Evaluator<'_> {
    /// The answers to a comparison one side of which is chosen by questions that ranks share, where these leave nothing else
    /// open: `rank if distributed else -1` is no less known than the rank.
    pub fn cases(&self, value: Value) -> Option<Cases> {
        let Node::Compare(op, left, right) = *self.values.node(value) else { return None };
        self.cases_of(op, left, right, MAX_CASES)
    }

    fn cases_of(&self, op: CompareOp, left: Value, right: Value, fuel: u32) -> Option<Cases> {
        if let Some(answer) = self.comparison(op, left, right) {
            return Some(Cases::Settled(answer));
        }
        let fuel = fuel.checked_sub(1)?;
        let (test, sides) = match (self.values.node(left), self.values.node(right)) {
            (&Node::If(test, then, otherwise), _) => (test, [(then, right), (otherwise, right)]),
            (_, &Node::If(test, then, otherwise)) => (test, [(left, then), (left, otherwise)]),
            _ => return None,
        };
        let case = |(left, right)| self.cases_of(op, left, right, fuel);
        match self.truth(test) {
            Truth::Known(known) => case(sides[usize::from(!known)]),
            Truth::Same(_) => Some(Cases::Chosen(test, Box::new([case(sides[0])?, case(sides[1])?]))),
        }
    }

    /// What the cases come to.
    pub(super) fn truth_of(&self, cases: &Cases) -> Truth {
        match cases {
            Cases::Settled(answer) => Truth::Known(*answer),
            Cases::Chosen(test, arms) => {
                self.either(self.truth(*test), || self.truth_of(&arms[0]), || self.truth_of(&arms[1]))
            }
        }
    }

    /// What the class says the value equals, when that is the same on every member of the group.
    pub(super) fn equal_to(&self, value: Value) -> Option<Value> {
        if !self.values.vary(value).meets(self.world.axes) {
            return None;
        }
        let shared = |other: Value| !self.values.vary(other).meets(self.world.axes);
        self.class.atoms.iter().find_map(|(atom, holds)| match self.values.node(*atom) {
            Node::Compare(CompareOp::Eq, left, right) if *holds => match (*left == value, *right == value) {
                (true, false) if shared(*right) => Some(*right),
                (false, true) if shared(*left) => Some(*left),
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether sizes along different axes are compared with each other, by arithmetic alone: those that are assumed of a
    /// job need not fit together, so that nothing follows from them.
    fn compares_sizes(&self, left: Value, right: Value) -> bool {
        let mut sizes = Vec::new();
        let meant = |value: Value| self.values.node(self.values.meaning(value).unwrap_or(value));
        let mut is_other = |value: Value, further: &mut Vec<Value>| match meant(value) {
            Node::Size(axes) => {
                sizes.push(*axes);
                false
            }
            Node::Int(_) => false,
            Node::Binary(_, left, right) => {
                further.extend([*left, *right]);
                false
            }
            _ => true,
        };
        let plain =
            [left, right].into_iter().all(|side| self.values.search(side, MAX_SIZES, &mut is_other) == Some(false));
        plain && sizes.windows(2).any(|pair| pair[0] != pair[1])
    }

    pub(super) fn comparison(&self, op: CompareOp, left: Value, right: Value) -> Option<bool> {
        if self.compares_sizes(left, right) {
            return None;
        }
        let (left, right) = (self.value(left), self.value(right));
        match op {
            CompareOp::Eq | CompareOp::Is if self.are_of_two_kinds(&left, &right) => Some(false),
            CompareOp::Eq => equal(&left, &right),
            CompareOp::Is => match (&left, &right) {
                (Concrete::None, Concrete::None) => Some(true),
                (Concrete::Opaque(_), _) | (_, Concrete::Opaque(_)) => None,
                (Concrete::None, _) | (_, Concrete::None) => Some(false),
                _ => equal(&left, &right),
            },
            CompareOp::Less => match (integer(&left), integer(&right)) {
                (Some(left), Some(right)) => Some(left < right),
                _ => None,
            },
            CompareOp::In => match right {
                Concrete::Tuple(parts) | Concrete::Keys(parts) => {
                    let answers: Vec<Option<bool>> = parts.iter().map(|part| equal(&left, part)).collect();
                    if answers.contains(&Some(true)) {
                        return Some(true);
                    }
                    answers.iter().all(|answer| *answer == Some(false)).then_some(false)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether one is a function, a class or a module and the other something that the source spells out.
    fn are_of_two_kinds(&self, left: &Concrete, right: &Concrete) -> bool {
        let defined = |value: &Concrete| match value {
            Concrete::Opaque(value) => Some(is_definition(self.values.node(*value))),
            Concrete::Group(_) => None,
            _ => Some(false),
        };
        let spelled = |value: &Concrete| !matches!(value, Concrete::Opaque(_) | Concrete::Group(_));
        defined(left) == Some(true) && spelled(right) || defined(right) == Some(true) && spelled(left)
    }

    /// How many numbers a range has, where its bounds are known.
    pub fn length_of_range(&self, value: Value) -> Option<i64> {
        let Node::Range(parts) = self.values.node(value) else { return None };
        let (start, stop, step) = self.bounds(parts)?;
        let (way, step) = if step > 0 { (stop.checked_sub(start)?, step) } else { (start.checked_sub(stop)?, -step) };
        Some(way.max(0).checked_add(step - 1)? / step)
    }

    fn bounds(&self, parts: &[Value]) -> Option<(i64, i64, i64)> {
        let bounds: Option<Vec<i64>> = parts.iter().map(|&part| integer(&self.value(part))).collect();
        match bounds?[..] {
            [stop] => Some((0, stop, 1)),
            [start, stop] => Some((start, stop, 1)),
            [start, stop, step] if step != 0 && step != i64::MIN => Some((start, stop, step)),
            _ => None,
        }
    }

    pub(super) fn range(&self, parts: &[Value]) -> Option<Concrete> {
        let (start, stop, step) = self.bounds(parts)?;
        let mut out = Vec::new();
        let mut at = start;
        while (step > 0 && at < stop) || (step < 0 && at > stop) {
            if out.len() as i64 >= MAX_SPELLED {
                return None;
            }
            out.push(Concrete::Int(at));
            at = at.checked_add(step)?;
        }
        Some(Concrete::Tuple(out))
    }
}

pub(super) fn integer(value: &Concrete) -> Option<i64> {
    match value {
        Concrete::Int(known) => Some(*known),
        Concrete::Bool(known) => Some(i64::from(*known)),
        _ => None,
    }
}

pub(super) fn equal(left: &Concrete, right: &Concrete) -> Option<bool> {
    match (left, right) {
        (Concrete::Opaque(left), Concrete::Opaque(right)) => (left == right).then_some(true),
        (Concrete::Opaque(_), _) | (_, Concrete::Opaque(_)) => None,
        (Concrete::Tuple(left), Concrete::Tuple(right)) => {
            if left.len() != right.len() {
                return Some(false);
            }
            let answers: Vec<Option<bool>> = left.iter().zip(right).map(|(left, right)| equal(left, right)).collect();
            if answers.contains(&Some(false)) {
                return Some(false);
            }
            answers.iter().all(Option::is_some).then_some(true)
        }
        _ => match (integer(left), integer(right)) {
            (Some(left), Some(right)) => Some(left == right),
            _ => Some(left == right),
        },
    }
}

pub(super) fn arithmetic(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        BinaryOp::FloorDiv if right > 0 => Some(left.div_euclid(right)),
        BinaryOp::Mod if right > 0 => Some(left.rem_euclid(right)),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        BinaryOp::ShiftLeft if (0..32).contains(&right) => left.checked_shl(right as u32),
        BinaryOp::ShiftRight if (0..64).contains(&right) => Some(left >> right),
        BinaryOp::Pow if (0..32).contains(&right) => left.checked_pow(right as u32),
        _ => None,
    }
}
