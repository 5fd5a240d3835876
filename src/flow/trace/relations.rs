//! What one answer says of another question about the same thing: what is one thing is no other, and what is at least two
//! is more than nothing.

use crate::flow::value::{DEVICE_COUNT, Node, Value, Values};
use crate::model::CompareOp;

/// How something stands to a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Relation {
    /// It is this.
    Is(Value),
    /// It is more than this.
    Above(i64),
    /// It is less than this.
    Below(i64),
}

/// A question of how something stands to a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    /// What is asked about.
    pub subject: Value,
    /// How it stands where the answer is `yes`.
    pub relation: Relation,
    /// The answer that says so.
    pub yes: bool,
}

impl Compared {
    /// The question as such a one; `yes` is the answer by which it holds.
    pub fn of(values: &Values, question: Value, yes: bool) -> Option<Compared> {
        let &Node::Compare(op, left, right) = values.node(question) else { return None };
        let (subject, relation) = match (op, values.node(left), values.node(right)) {
            (CompareOp::Eq | CompareOp::Is, ..) => (left, Relation::Is(right)),
            (CompareOp::Less, Node::Int(number), _) => (right, Relation::Above(*number)),
            (CompareOp::Less, _, Node::Int(number)) => (left, Relation::Below(*number)),
            _ => return None,
        };
        Some(Compared { subject, relation, yes })
    }
}

/// Between which numbers something lies; the ends count where they are not `open`.
#[derive(Clone, Copy)]
struct Range {
    least: i64,
    most: i64,
    open: [bool; 2],
}

impl Range {
    const ALL: Range = Range { least: i64::MIN, most: i64::MAX, open: [false; 2] };

    /// Where something lies of which nothing has been asked: who computes has a device.
    fn of(values: &Values, subject: Value) -> Range {
        match values.node(subject) {
            Node::Apply(name, parts) if parts.is_empty() && name.last_part().as_str() == DEVICE_COUNT => {
                Range { least: 1, ..Range::ALL }
            }
            _ => Range::ALL,
        }
    }

    /// What is left of it where the relation holds, or does not.
    fn narrowed(self, values: &Values, relation: Relation, holds: bool) -> Range {
        let at_least = |least: i64, open: bool| match least >= self.least {
            true => Range { least, open: [open || least == self.least && self.open[0], self.open[1]], ..self },
            false => self,
        };
        let at_most = |most: i64, open: bool| match most <= self.most {
            true => Range { most, open: [self.open[0], open || most == self.most && self.open[1]], ..self },
            false => self,
        };
        match (relation, holds) {
            (Relation::Above(number), true) => at_least(number, true),
            (Relation::Below(number), false) => at_least(number, false),
            (Relation::Above(number), false) => at_most(number, false),
            (Relation::Below(number), true) => at_most(number, true),
            (Relation::Is(constant), true) => match *values.node(constant) {
                Node::Int(number) => Range { least: number, most: number, open: [false; 2] },
                _ => self,
            },
            (Relation::Is(constant), false) => match *values.node(constant) {
                Node::Int(number) if number == self.least => at_least(number, true),
                Node::Int(number) if number == self.most => at_most(number, true),
                _ => self,
            },
        }
    }

    fn is_just(self, number: i64) -> bool {
        (self.least, self.most, self.open) == (number, number, [false; 2])
    }

    fn is_above(self, number: i64) -> bool {
        self.least > number || self.least == number && self.open[0]
    }

    fn is_below(self, number: i64) -> bool {
        self.most < number || self.most == number && self.open[1]
    }
}

/// Whether the subject stands so to a constant if it is known to stand, or not to stand, so to others.
pub(super) fn settled(
    values: &Values,
    (subject, asked): (Value, Relation),
    known: impl Iterator<Item = (Relation, bool)>,
) -> Option<bool> {
    let mut range = Range::of(values, subject);
    for (relation, holds) in known {
        if let (Relation::Is(constant), Relation::Is(other), true) = (asked, relation, holds)
            && values.are_distinct(other, constant)
        {
            return Some(false);
        }
        range = range.narrowed(values, relation, holds);
    }
    match asked {
        Relation::Is(constant) => match *values.node(constant) {
            Node::Int(number) if range.is_above(number) || range.is_below(number) => Some(false),
            Node::Int(number) if range.is_just(number) => Some(true),
            _ => None,
        },
        Relation::Above(number) if range.is_above(number) => Some(true),
        Relation::Above(number) if range.most <= number => Some(false),
        Relation::Below(number) if range.is_below(number) => Some(true),
        Relation::Below(number) if range.least >= number => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Symbol;

    #[test]
    fn numbers_settle_what_is_asked_of_other_numbers() {
        let mut values = Values::default();
        let something = values.make(Node::Apply(Symbol::new("stage"), Box::from([])));
        let settled = |asked, known: &[(Relation, bool)]| settled(&values, (something, asked), known.iter().copied());
        use Relation::{Above, Below};
        // `stage > 0` is false: so is `stage >= 2`, that is, `stage < 2` is true.
        assert_eq!(settled(Below(2), &[(Above(0), false)]), Some(true));
        assert_eq!(settled(Above(0), &[(Below(2), false)]), Some(true));
        assert_eq!(settled(Above(0), &[(Above(0), false)]), Some(false));
        assert_eq!(settled(Below(0), &[(Below(0), false)]), Some(false));
        // Between them anything may be.
        assert_eq!(settled(Below(2), &[(Above(0), true)]), None);
        assert_eq!(settled(Above(3), &[(Above(0), true), (Below(8), true)]), None);
        // The ends, one open and one not.
        assert_eq!(settled(Above(1), &[(Above(1), true)]), Some(true));
        assert_eq!(settled(Above(1), &[(Below(1), false)]), None);
    }

    #[test]
    fn there_is_a_device() {
        let mut values = Values::default();
        let devices = values.make(Node::Apply(Symbol::new("torch.cuda.device_count"), Box::from([])));
        let one = values.make(Node::Int(1));
        let settled = |asked, known: &[(Relation, bool)]| settled(&values, (devices, asked), known.iter().copied());
        use Relation::{Above, Is};
        assert_eq!(settled(Is(one), &[(Above(1), false)]), Some(true));
        assert_eq!(settled(Above(1), &[(Is(one), false)]), Some(true));
        assert_eq!(settled(Above(1), &[(Is(one), true)]), Some(false));
        assert_eq!(settled(Above(0), &[]), Some(true));
        assert_eq!(settled(Above(1), &[]), None);
    }
}
