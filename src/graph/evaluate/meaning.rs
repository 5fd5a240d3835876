//! What names of the catalogue stand for: ranks, sizes, groups, and facts of this process.

use super::{Engine, Frame, data};
use crate::base::{Site, Span, Symbol};
use crate::catalog::{self, ValueKind};
use crate::flow::{Axes, Node, Value};
use crate::model::{BinaryOp, CompareOp};

impl<'p> Engine<'p> {
    /// The value that a parameter or attribute has by its name.
    pub(super) fn parameter_meaning(&mut self, frame: &Frame<'p>, name: Symbol) -> Option<Value> {
        let convention = self.program.catalog.convention(name)?;
        if self.is_of_a_matrix_here(frame, name) {
            return None;
        }
        let value = convention.value.clone();
        self.meaning(&value, frame, Span::default())
    }

    /// The value that a catalogued value stands for.
    pub(super) fn meaning(&mut self, value: &catalog::Value, frame: &Frame<'p>, span: Span) -> Option<Value> {
        self.meaning_at(value, frame.site(span))
    }

    /// The same, of a place.
    pub(super) fn meaning_at(&mut self, value: &catalog::Value, site: Site) -> Option<Value> {
        let axes = Axes::named(value.axis.as_str());
        Some(match &value.kind {
            ValueKind::Rank => self.values.make(Node::Rank(axes)),
            ValueKind::Size => self.values.make(Node::Size(axes)),
            ValueKind::First => self.is_first(axes),
            ValueKind::Last => self.is_last(axes),
            ValueKind::Group if axes.is_all() => self.values.make(Node::World),
            ValueKind::Group => self.values.make(Node::AxisGroup(axes)),
            ValueKind::Local(kind) => {
                if *kind == catalog::LocalKind::Data && value.axis.as_str() == data::AXES {
                    // Contents only, and of no use far from where they were read.
                    return Some(self.values.batch(site, axes));
                }
                let local = match *kind {
                    // A reading of a clock is a number, and there; and so is a name that was made.
                    catalog::LocalKind::Clock | catalog::LocalKind::Name => self.values.batch(site, axes),
                    _ => self.values.make(Node::Local(site, axes)),
                };
                match *kind {
                    catalog::LocalKind::Data => self.marks.shares.insert(local),
                    catalog::LocalKind::Clock => self.marks.clocks.insert(local),
                    catalog::LocalKind::FileSystem => self.marks.disks.insert(local),
                    catalog::LocalKind::Name => self.marks.own_names.insert(local),
                    _ => false,
                };
                local
            }
            ValueKind::Member | ValueKind::Uniform | ValueKind::Environment => return None,
        })
    }

    /// Whether this rank is the last along the axes.
    pub(super) fn is_last(&mut self, axes: Axes) -> Value {
        let size = self.values.make(Node::Size(axes));
        let one = self.values.make(Node::Int(1));
        let last = self.values.make(Node::Binary(BinaryOp::Sub, size, one));
        let rank = self.values.make(Node::Rank(axes));
        self.values.make(Node::Compare(CompareOp::Eq, rank, last))
    }

    /// Whether this rank is the first along the axes.
    pub(super) fn is_first(&mut self, axes: Axes) -> Value {
        let rank = self.values.make(Node::Rank(axes));
        let zero = self.values.make(Node::Int(0));
        self.values.make(Node::Compare(CompareOp::Eq, rank, zero))
    }
}
