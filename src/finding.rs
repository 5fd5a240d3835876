//! What a rule found: plain data, in byte offsets. Rendering and file positions belong to `report`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::Site;

/// How bad it is if the finding is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Advice.
    Note,
    /// Likely to end badly.
    Warning,
    /// Ranks hang, data is wrong, or a contract says "must".
    Error,
}

/// How sure the analysis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// More than one inferred step. Not printed by default.
    Low,
    /// One inferred step: a name such as `is_main`, a method found by its unique name.
    Medium,
    /// A catalogued source, a straight data flow, a catalogued collective.
    High,
}

/// What is known beside the source: the verdict of the dynamic check, where one ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Nothing has been run.
    Static,
    /// A run showed that ranks part ways here.
    Confirmed,
    /// Both ways ran and the ranks stayed in step.
    Refuted,
    /// A run did not decide it.
    Inconclusive,
}

/// Another place that belongs to the explanation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// Where.
    pub site: Site,
    /// What it has to do with the finding.
    pub message: String,
}

/// One event of a witness: what one rank issues.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WitnessEvent {
    /// Name of the operation, such as `all_reduce`, or what happens instead, such as `returns`.
    pub op: String,
    /// The group it runs on, as a person would call it; empty where there is none.
    pub group: String,
    /// Where it is issued.
    pub site: Site,
}

/// What one of two ranks that part ways does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WitnessRank {
    /// The rank in words: `0`, `a rank where x is empty`.
    pub rank: String,
    /// What it issues, in order.
    pub trace: Vec<WitnessEvent>,
}

/// A replacement of one range of text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// What is replaced.
    pub site: Site,
    /// What stands there afterwards.
    pub content: String,
}

/// A change that removes the finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, as a command: `sort the names`.
    pub message: String,
    /// Whether it keeps the meaning of the program for certain.
    pub safe: bool,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Name of the rule.
    pub rule: &'static str,
    /// Name of the rule's group.
    pub group: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// What a run has shown.
    pub evidence: Evidence,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
    /// Where.
    pub site: Site,
    /// Dotted name of the function it lies in; empty at module level.
    pub symbol: String,
    /// The rest of the explanation in reading order: condition, call chain, collective.
    pub related: Vec<Related>,
    /// Two ranks and what each issues.
    pub witness: Vec<WitnessRank>,
    /// A change that removes it.
    pub fix: Option<Fix>,
    /// Where the mistake was made, if that is elsewhere: findings of one rule may have it in common.
    pub cause: Option<Site>,
}

/// Why a finding is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Suppression {
    /// A comment silences it, with this reason; empty where it gives none.
    Comment(String),
    /// The configuration exempts the file.
    Configuration,
    /// The baseline knows it.
    Baseline,
}

/// A finding that somebody has decided not to see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Suppressed {
    /// What was found.
    pub finding: Finding,
    /// Why it is not shown.
    pub by: Suppression,
}

impl Finding {
    /// Adds a place to the explanation.
    #[must_use]
    pub fn because(mut self, site: Site, message: impl Into<String>) -> Self {
        self.related.push(Related { site, message: message.into() });
        self
    }

    /// Sets the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Sets how sure the analysis is.
    #[must_use]
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// Sets the severity where it differs from the rule's own.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}
