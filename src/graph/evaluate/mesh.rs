//! Device meshes and the axes that their indices name.

use super::Engine;
use super::arguments::Arguments;
use crate::base::Symbol;
use crate::flow::{Axes, Node, Value};

/// The type of a mesh of ranks.
pub(super) const MESH: &str = "torch.distributed.device_mesh.DeviceMesh";

impl<'p> Engine<'p> {
    /// The axes of that name: by the catalogue's words for it, or as it is.
    pub(super) fn axes_called(&self, name: &str) -> Axes {
        let known = self.program.catalog.axes().iter().find(|axis| axis.words.iter().any(|word| word == name));
        match known {
            Some(axis) => Axes::named(axis.name.as_str()),
            None => Axes::named(name),
        }
    }

    /// The axes of a mesh of which nothing is known but that it is asked for the part of a known axis.
    pub(super) fn axis_index(&self, index: Value) -> Option<Axes> {
        let Node::Str(name) = self.values.node(index) else { return None };
        let known = |word: &String| word == name.as_str();
        let axis = self.program.catalog.axes().iter().find(|axis| axis.words.iter().any(known))?;
        Some(Axes::named(axis.name.as_str()))
    }

    /// The axes of a mesh that an index names: `mesh["tp"]`, `mesh["dp", "tp"]`, `mesh.get_group(0)`.
    pub(super) fn axes_of_index(&self, mesh: Value, index: Value) -> Option<Axes> {
        match self.values.node(index) {
            Node::Str(name) => Some(self.axes_called(name.as_str())),
            Node::Sequence(parts) if !parts.is_empty() => {
                parts.iter().try_fold(Axes::NONE, |sum, &part| Some(sum | self.axes_of_index(mesh, part)?))
            }
            Node::Int(at) => {
                let Node::Mesh(axes) = self.values.node(mesh) else { return None };
                let at = if *at < 0 { at + axes.len() as i64 } else { *at };
                usize::try_from(at).ok().and_then(|at| axes.get(at)).copied()
            }
            _ => None,
        }
    }

    /// A mesh that is made here, with its axes where they are named.
    pub(super) fn mesh(&mut self, arguments: &Arguments) -> Value {
        let names = arguments.keywords.iter().find(|keyword| keyword.0.as_str() == "mesh_dim_names");
        if let Some(&(_, names, _)) = names
            && let Node::Sequence(parts) = self.values.node(names)
        {
            let axes: Option<Vec<Axes>> = parts
                .iter()
                .map(|&part| match self.values.node(part) {
                    Node::Str(name) => Some(self.axes_called(name.as_str())),
                    _ => None,
                })
                .collect();
            if let Some(axes) = axes.filter(|axes| !axes.is_empty()) {
                return self.values.make(Node::Mesh(axes.into()));
            }
        }
        self.values.make(Node::Typed(Symbol::new(MESH)))
    }
}
