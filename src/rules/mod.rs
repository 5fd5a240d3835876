//! The rules. A rule is a value, a function, a page and a folder of fixtures; knowledge lives in the layers below.

use crate::base::{FileId, Site, Span};
use crate::finding::{Confidence, Evidence, Finding, Severity};
use crate::graph::Program;

mod calls;
mod collectives;
mod control_plane;
mod filesystem;
mod fixes;
mod golden;
mod harness;
mod list;
mod parity;
mod text;

pub use list::RULES;

/// What a rule is about; a group's name selects all its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Flags agree on every rank, or nothing starts.
    Parity,
    /// Every rank of a group issues the same collectives in the same order.
    Collectives,
    /// Preflight, commit, terminal action.
    ControlPlane,
    /// The runner cannot hang either.
    Harness,
    /// Staged operators and their judges.
    Golden,
    /// Nothing is written outside the working directory.
    Filesystem,
    /// What ranklint says about its own comments and about files it cannot read.
    Meta,
}

impl Group {
    /// All groups, in the order in which they are listed.
    pub const ALL: [Group; 7] = [
        Group::Parity,
        Group::Collectives,
        Group::ControlPlane,
        Group::Harness,
        Group::Golden,
        Group::Filesystem,
        Group::Meta,
    ];

    /// The name users select it by.
    pub fn name(self) -> &'static str {
        match self {
            Group::Parity => "parity",
            Group::Collectives => "collectives",
            Group::ControlPlane => "control-plane",
            Group::Harness => "harness",
            Group::Golden => "golden",
            Group::Filesystem => "filesystem",
            Group::Meta => "meta",
        }
    }

    /// The operator manual of its surface, in Markdown.
    pub fn manual(self) -> &'static str {
        match self {
            Group::Parity => include_str!("../../docs/manuals/parity.md"),
            Group::Collectives => include_str!("../../docs/manuals/collectives.md"),
            Group::ControlPlane => include_str!("../../docs/manuals/control-plane.md"),
            Group::Harness => include_str!("../../docs/manuals/harness.md"),
            Group::Golden => include_str!("../../docs/manuals/golden.md"),
            Group::Filesystem => include_str!("../../docs/manuals/filesystem.md"),
            Group::Meta => include_str!("../../docs/manuals/meta.md"),
        }
    }

    /// What its rules hold, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Group::Parity => "flags agree on every rank, or nothing starts",
            Group::Collectives => "every rank of a group issues the same collectives in the same order",
            Group::ControlPlane => "preflight, commit, terminal action",
            Group::Harness => "jobs are started, bounded and ended so that the runner cannot hang",
            Group::Golden => "staged operators are judged against one self-contained golden each",
            Group::Filesystem => "nothing is written outside the working directory",
            Group::Meta => "suppressions and files that cannot be read",
        }
    }
}

/// The dynamic check of `ranklint verify` that can settle a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Probe {
    /// The trace of collectives of every rank, matched live.
    CollectiveTrace,
    /// Reads of environment keys, compared across ranks.
    EnvironmentParity,
    /// Broadcasts compared with the announced manifest.
    Manifest,
    /// Imports of goldens.
    Imports,
    /// Writes outside the working directory.
    Writes,
}

impl Probe {
    /// Its name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Probe::CollectiveTrace => "trace",
            Probe::EnvironmentParity => "env",
            Probe::Manifest => "manifest",
            Probe::Imports => "imports",
            Probe::Writes => "writes",
        }
    }
}

/// How a rule looks at the program.
#[derive(Clone, Copy)]
pub enum Check {
    /// Once for each Python file.
    File(fn(&Program, FileId, &mut Findings)),
    /// Once for each shell script.
    Script(fn(&Script<'_>, &mut Findings)),
    /// For each Python file and for each shell script.
    FileAndScript(fn(&Program, FileId, &mut Findings), fn(&Script<'_>, &mut Findings)),
    /// Once for the whole program.
    Program(fn(&Program, &mut Findings)),
    /// By the layers around the analysis: suppressions, unreadable files.
    Elsewhere,
}

/// A shell script of the tree.
pub struct Script<'a> {
    /// The file.
    pub file: FileId,
    /// Its text.
    pub text: &'a str,
    /// What the project declares.
    pub facts: &'a crate::catalog::ProjectFacts,
}

/// A rule.
pub struct Rule {
    /// The name users meet it by.
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// What it reports, in one line.
    pub summary: &'static str,
    /// How bad its findings are unless a finding says otherwise.
    pub severity: Severity,
    /// Rows of the operator matrix (spec 000) that it corresponds to.
    pub rows: &'static [&'static str],
    /// The dynamic check that can settle its findings.
    pub verify: Option<Probe>,
    /// Its page, in Markdown.
    pub page: &'static str,
    /// How it looks at the program.
    pub check: Check,
}

/// Where rules put what they find.
#[derive(Default)]
pub struct Findings {
    found: Vec<Finding>,
}

impl Findings {
    /// Starts a finding of `rule` at `span` of `file`, inside the function named `symbol`. Confidence is high until set.
    pub fn new_finding(rule: &Rule, site: Site, symbol: &str, message: impl Into<String>) -> Finding {
        Finding {
            rule: rule.name,
            group: rule.group.name(),
            severity: rule.severity,
            confidence: Confidence::High,
            evidence: Evidence::Static,
            message: message.into(),
            help: String::new(),
            site,
            symbol: symbol.to_owned(),
            related: Vec::new(),
            witness: Vec::new(),
            fix: None,
            cause: None,
        }
    }

    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        self.found.push(finding);
    }

    /// All findings, in the order in which they were added.
    pub fn into_vec(self) -> Vec<Finding> {
        self.found
    }
}

/// The rule of that name.
pub fn rule_named(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name)
}

/// The group of that name.
pub fn group_named(name: &str) -> Option<Group> {
    Group::ALL.into_iter().find(|group| group.name() == name)
}

/// A site in `file`.
pub fn site(file: FileId, span: Span) -> Site {
    Site { file, span }
}
