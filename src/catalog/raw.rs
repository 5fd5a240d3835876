//! The shape of a model file, exactly as it is written in TOML. Nothing here is checked beyond its shape.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// A whole model file, or a project's own `models` table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct RawModels {
    /// Axes of the mesh of ranks.
    pub axis: Vec<RawAxis>,
    /// Types whose methods are listed as `name.method`.
    #[serde(rename = "type")]
    pub types: Vec<RawType>,
    /// Operations every member of a group takes part in.
    pub collective: Vec<RawOperation>,
    /// Sends and receives.
    pub point_to_point: Vec<RawOperation>,
    /// Calls that create groups.
    pub group_creation: Vec<RawOperation>,
    /// Calls that end groups.
    pub teardown: Vec<RawOperation>,
    /// Calls, properties and constants whose value is known.
    pub value: Vec<RawValue>,
    /// Environment keys whose value is known.
    pub environment: Vec<RawEnvironment>,
    /// Calls that end the process.
    pub exit: Vec<RawExit>,
    /// Decorators and context managers.
    pub wrapper: Vec<RawWrapper>,
    /// Bare names with a conventional meaning.
    pub convention: Vec<RawConvention>,
}

/// An axis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawAxis {
    pub name: Spanned<String>,
    #[serde(default)]
    pub words: Vec<Spanned<String>>,
    #[serde(default)]
    pub overlaps: Vec<Spanned<String>>,
}

/// A type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawType {
    pub name: Spanned<String>,
    #[serde(default)]
    pub aliases: Vec<Spanned<String>>,
    #[serde(default)]
    pub packages: Vec<Spanned<String>>,
    #[serde(default)]
    pub variables: Vec<Spanned<String>>,
    #[serde(default)]
    pub first_of: Vec<Spanned<String>>,
    #[serde(default)]
    pub distinctive: Vec<Spanned<String>>,
    #[serde(default)]
    pub distinctive_arguments: Vec<Spanned<String>>,
    #[serde(default)]
    pub takes_first: Vec<Spanned<String>>,
    #[serde(default)]
    pub silenced_by: Vec<Spanned<String>>,
    #[serde(default)]
    pub silenced_with: Vec<Spanned<String>>,
    #[serde(default)]
    pub fields: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    pub copied: bool,
}

/// An argument.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawOperand {
    pub parameter: Spanned<String>,
    pub position: Option<u8>,
}

/// A root argument.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawRoot {
    pub parameter: Spanned<String>,
    pub position: Option<u8>,
    #[serde(default)]
    pub space: RawSpace,
}

/// How a root counts.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawSpace {
    #[default]
    Global,
    Group,
}

/// What a call returns.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawOutcome {
    Agrees,
    Differs,
    #[default]
    Nothing,
}

/// An operation on a group.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawOperation {
    #[serde(default)]
    pub modules: Vec<Spanned<String>>,
    pub names: Vec<Spanned<String>>,
    pub op: Option<Spanned<String>>,
    pub group: Option<RawOperand>,
    pub axis: Option<Spanned<String>>,
    pub world: Option<Spanned<bool>>,
    #[serde(default)]
    pub roots: Vec<RawRoot>,
    pub reduce_operator: Option<RawOperand>,
    #[serde(default)]
    pub agrees: Vec<RawOperand>,
    #[serde(default)]
    pub differs: Vec<RawOperand>,
    #[serde(default)]
    pub shaped: Vec<RawOperand>,
    #[serde(default)]
    pub places: Vec<RawOperand>,
    #[serde(default)]
    pub returns: RawOutcome,
    pub placed: Option<RawOperand>,
    pub members: Option<RawOperand>,
    pub members_only: Option<RawOperand>,
    pub asynchronous: Option<RawOperand>,
    #[serde(default)]
    pub implicit: bool,
    #[serde(default)]
    pub negotiated: bool,
    #[serde(default)]
    pub sharded: bool,
    pub sharded_with: Option<RawOperand>,
    #[serde(default)]
    pub backward: bool,
    pub when: Option<RawOperand>,
    pub unless: Option<RawOperand>,
    pub of_sharded: Option<RawOperand>,
    #[serde(default)]
    pub silent_for_loaders: bool,
    #[serde(default)]
    pub shards_beside: Vec<Spanned<String>>,
    #[serde(default)]
    pub unless_beside: Vec<Spanned<String>>,
    #[serde(default)]
    pub joined_by: Vec<Spanned<String>>,
    #[serde(default)]
    pub broadcast: bool,
}

/// What a value is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawKind {
    Rank,
    Size,
    First,
    Last,
    Member,
    Group,
    Uniform,
    Local,
    Environment,
}

/// Where a rank-local value comes from.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawLocal {
    FileSystem,
    Clock,
    Chance,
    Name,
    Host,
    Event,
    Data,
    Share,
}

/// A value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawValue {
    #[serde(default)]
    pub modules: Vec<Spanned<String>>,
    pub names: Vec<Spanned<String>>,
    pub kind: Spanned<RawKind>,
    pub of: Option<Spanned<RawLocal>>,
    pub axis: Option<Spanned<String>>,
    pub group: Option<RawOperand>,
    pub unless: Option<RawOperand>,
    pub reason: Option<Spanned<String>>,
}

/// Environment keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawEnvironment {
    pub keys: Vec<Spanned<String>>,
    pub kind: Spanned<RawKind>,
    pub of: Option<Spanned<RawLocal>>,
    pub axis: Option<Spanned<String>>,
    pub reason: Option<Spanned<String>>,
}

/// Calls that end the process.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawExit {
    #[serde(default)]
    pub modules: Vec<Spanned<String>>,
    pub names: Vec<Spanned<String>>,
}

/// What a decorator or context manager does.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawEffect {
    FirstRankOnly,
    FirstRankBefore,
    EvensOut,
    NoSync,
    Cache,
    Calls,
    Shards,
}

/// A decorator or context manager.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawWrapper {
    #[serde(default)]
    pub modules: Vec<Spanned<String>>,
    pub names: Vec<Spanned<String>>,
    pub does: RawEffect,
}

/// Bare names with a conventional meaning.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawConvention {
    pub names: Vec<Spanned<String>>,
    pub kind: Spanned<RawKind>,
    pub of: Option<Spanned<RawLocal>>,
    pub axis: Option<Spanned<String>>,
    pub reason: Option<Spanned<String>>,
    #[serde(default)]
    pub variables_only: bool,
}
