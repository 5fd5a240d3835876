//! What library calls do: typed tables read from `rules/models/*.toml` and from a project's own configuration.

mod project;

pub use project::{AllowedWrite, ProjectFacts};
