//! What is known of a value while a function is run for one rank.

use crate::base::Symbol;
use crate::model::{BinaryOp, CompareOp};

use super::step::StepKind;

/// Elements of one sequence.
pub(super) const MAX_TURNS: usize = 64;

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    None,
    Bool(bool),
    Int(i64),
    Str(Symbol),
    Sequence(Vec<Known>),
    /// A handle of the step of that number.
    Work(usize),
    /// A point-to-point function that is handed over.
    Operation(StepKind),
    /// Nobody knows; whether it may be another thing on another rank.
    Open {
        differs: bool,
    },
}

pub(super) const UNIFORM: Known = Known::Open { differs: false };
pub(super) const DIFFERS: Known = Known::Open { differs: true };

pub(super) fn truth(value: &Known) -> Option<bool> {
    match value {
        Known::None => Some(false),
        Known::Bool(known) => Some(*known),
        Known::Int(known) => Some(*known != 0),
        Known::Str(text) => Some(!text.as_str().is_empty()),
        Known::Sequence(parts) => Some(!parts.is_empty()),
        Known::Work(_) | Known::Operation(_) => Some(true),
        Known::Open { .. } => None,
    }
}

/// Something made of these of which nothing is known.
pub(super) fn open(parts: &[&Known]) -> Known {
    fn differs(value: &Known) -> bool {
        match value {
            // A number may be this rank's: where it came from is not remembered.
            Known::Int(_) | Known::Bool(_) | Known::Open { differs: true } => true,
            Known::Sequence(parts) => parts.iter().any(differs),
            _ => false,
        }
    }
    Known::Open { differs: parts.iter().any(|part| differs(part)) }
}

pub(super) fn range(parts: &[Known]) -> Option<Known> {
    let number = |at: usize| match parts.get(at) {
        Some(Known::Int(known)) => Some(*known),
        _ => None,
    };
    let (from, to, step) = match parts.len() {
        1 => (0, number(0)?, 1),
        2 => (number(0)?, number(1)?, 1),
        3 => (number(0)?, number(1)?, number(2)?),
        _ => return None,
    };
    if step == 0 {
        return None;
    }
    let mut out = Vec::new();
    let mut at = from;
    while (step > 0 && at < to) || (step < 0 && at > to) {
        if out.len() > MAX_TURNS {
            return None;
        }
        out.push(Known::Int(at));
        at += step;
    }
    Some(Known::Sequence(out))
}

fn number(value: &Known) -> Option<i64> {
    match value {
        Known::Int(known) => Some(*known),
        Known::Bool(known) => Some(i64::from(*known)),
        _ => None,
    }
}

pub(super) fn arithmetic(op: BinaryOp, left: Known, right: Known) -> Known {
    if let (Known::Sequence(left), Known::Sequence(right), BinaryOp::Add) = (&left, &right, op) {
        return Known::Sequence(left.iter().chain(right).cloned().collect());
    }
    let (Some(one), Some(other)) = (number(&left), number(&right)) else { return open(&[&left, &right]) };
    let known = match op {
        BinaryOp::Add => one.checked_add(other),
        BinaryOp::Sub => one.checked_sub(other),
        BinaryOp::Mul => one.checked_mul(other),
        BinaryOp::FloorDiv if other > 0 => Some(one.div_euclid(other)),
        BinaryOp::Mod if other > 0 => Some(one.rem_euclid(other)),
        BinaryOp::BitAnd => Some(one & other),
        BinaryOp::BitOr => Some(one | other),
        BinaryOp::BitXor => Some(one ^ other),
        BinaryOp::ShiftLeft if (0..32).contains(&other) => one.checked_shl(other as u32),
        BinaryOp::ShiftRight if (0..63).contains(&other) => Some(one >> other),
        BinaryOp::Pow if (0..32).contains(&other) => one.checked_pow(other as u32),
        _ => None,
    };
    known.map_or(DIFFERS, Known::Int)
}

pub(super) fn compare(op: CompareOp, left: &Known, right: &Known) -> Known {
    let holds = match (op, left, right) {
        (CompareOp::In | CompareOp::NotIn, _, Known::Sequence(parts)) => {
            let unknown = |value: &Known| matches!(value, Known::Open { .. });
            if unknown(left) || parts.iter().any(unknown) {
                return open(&[left, right]);
            }
            parts.contains(left) == (op == CompareOp::In)
        }
        (_, Known::Open { .. }, _) | (_, _, Known::Open { .. }) => return open(&[left, right]),
        (CompareOp::Eq | CompareOp::Is, ..) => same(left, right),
        (CompareOp::NotEq | CompareOp::IsNot, ..) => !same(left, right),
        _ => match (number(left), number(right)) {
            (Some(left), Some(right)) => match op {
                CompareOp::Less => left < right,
                CompareOp::LessEq => left <= right,
                CompareOp::Greater => left > right,
                CompareOp::GreaterEq => left >= right,
                _ => return DIFFERS,
            },
            _ => return DIFFERS,
        },
    };
    Known::Bool(holds)
}

fn same(left: &Known, right: &Known) -> bool {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}
