//! What the rows declare: `python -m ranklint.matrix --list --json`, typed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::super::launch::{self, NoAnswer};

/// The version of the list that is understood.
pub const VERSION: u32 = 1;

/// The runtime that the rows run on where no other is named.
pub const REFERENCE: &str = "ranklint.reference.runtime:ReferenceRuntime";

/// How long listing may take; it imports no torch.
const DEADLINE: Duration = Duration::from_secs(60);

/// Runs a module of the package that lies in the folder given as its first argument.
const RUN_MODULE: &str = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); \
    runpy.run_module(sys.argv.pop(1), run_name='__main__')";

/// All rows.
#[derive(Clone, Debug, Deserialize)]
pub struct Plan {
    /// Version of the list.
    pub version: u32,
    /// Seconds that ranks may take until the first fault is announced.
    pub start_limit: f64,
    /// The rows, in their order.
    pub rows: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// `OM-05`. Two rows may share it: two harnesses for one failure.
    pub id: String,
    /// The failure, in words.
    pub title: String,
    /// The operator surface.
    pub surface: String,
    /// 0 to 3.
    pub tranche: u32,
    /// The name of its program.
    pub harness: String,
    /// What a runtime must be able to do.
    pub needs: Vec<String>,
    /// The static rules that match.
    pub rules: Vec<String>,
    /// The backends it has variants for; `gloo` runs everywhere.
    pub backends: Vec<String>,
    /// Its arms, in their order.
    pub arms: Vec<Arm>,
}

/// One way to run a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// `fault-pp`.
    pub name: String,
    /// What it shows.
    pub kind: ArmKind,
    /// The mutant it runs, or nothing.
    pub mutant: String,
    /// Seconds from the fault until what still runs counts as hanging.
    pub limit: f64,
    /// The ranks; the first is rank 0.
    pub processes: Vec<Process>,
}

/// What an arm shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArmKind {
    /// No fault, clean end.
    Clean,
    /// A fault, and the failure that it must end in.
    Fault,
    /// The same fault with one guard taken out: it must not look like that failure.
    Mutant,
    /// No fault and no guard, clean end: a mutant lacks its guard and nothing else.
    Baseline,
}

impl ArmKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [ArmKind; 4] = [ArmKind::Clean, ArmKind::Fault, ArmKind::Mutant, ArmKind::Baseline];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ArmKind::Clean => "clean",
            ArmKind::Fault => "fault",
            ArmKind::Mutant => "mutant",
            ArmKind::Baseline => "baseline",
        }
    }
}

/// One rank of an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Which one.
    pub rank: u32,
    /// What is executed, the interpreter first.
    pub argv: Vec<String>,
    /// What it has in its environment.
    pub env: BTreeMap<String, String>,
    /// How it must end.
    pub expect: Expectation,
}

/// How one rank must end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// Its exit code.
    pub exit: Expected,
    /// A pattern that its output must hold; empty: any output will do.
    pub text: String,
    /// A pattern that its output must not hold; empty: none.
    pub absent: String,
    /// Seconds from the fault to its end.
    pub within: f64,
}

/// The exit code that a rank must end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "serde_json::Value", into = "serde_json::Value")]
pub enum Expected {
    /// This one; negative: the signal that it dies of.
    Code(i32),
    /// It holds still until it is ended.
    HoldsStill,
}

impl TryFrom<serde_json::Value> for Expected {
    type Error = String;

    fn try_from(value: serde_json::Value) -> Result<Expected, String> {
        match (value.as_i64().and_then(|code| i32::try_from(code).ok()), value.as_str()) {
            (Some(code), _) => Ok(Expected::Code(code)),
            (None, Some("stopped")) => Ok(Expected::HoldsStill),
            _ => Err(format!("`exit` is a code or \"stopped\", and not {value}")),
        }
    }
}

impl From<Expected> for serde_json::Value {
    fn from(expected: Expected) -> serde_json::Value {
        match expected {
            Expected::Code(code) => code.into(),
            Expected::HoldsStill => "stopped".into(),
        }
    }
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The package does not answer.
    #[error("the rows cannot be listed: {0}")]
    NoAnswer(#[from] NoAnswer),
    /// It says something else.
    #[error("the rows cannot be listed: {0}")]
    Complains(String),
    /// What it says is no list of rows.
    #[error("the list of rows cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// It is a list for another ranklint.
    #[error("the list of rows has version {0}, and this ranklint reads version {VERSION}")]
    Version(u32),
    /// A row contradicts itself.
    #[error("{row} {arm}: {why}")]
    Unsound {
        /// The harness.
        row: String,
        /// The arm.
        arm: String,
        /// What is wrong.
        why: String,
    },
}

impl Plan {
    /// Asks the Python half.
    ///
    /// # Errors
    /// It does not answer, or not with a list of rows.
    pub fn load(interpreter: &Path, root: &Path) -> Result<Plan, PlanError> {
        let root = root.to_string_lossy();
        let arguments = ["-c", RUN_MODULE, &root, "ranklint.matrix", "--list", "--json"];
        let answer = launch::ask(interpreter.as_os_str(), &arguments, DEADLINE)?;
        if answer.code != Some(0) {
            let last = answer.err.lines().last().unwrap_or("it ended without a word").to_owned();
            return Err(PlanError::Complains(last));
        }
        Plan::parse(&answer.out)
    }

    /// Reads a list.
    ///
    /// # Errors
    /// It is none, or contradicts itself.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        let plan: Plan = serde_json::from_str(text)?;
        if plan.version != VERSION {
            return Err(PlanError::Version(plan.version));
        }
        for row in &plan.rows {
            for arm in &row.arms {
                let unsound = |why| PlanError::Unsound { row: row.harness.clone(), arm: arm.name.clone(), why };
                check(arm).map_err(unsound)?;
            }
        }
        Ok(plan)
    }
}

impl Arm {
    /// The command of its ranks, without the interpreter: `-m MODULE --arm NAME`.
    pub fn command(&self) -> &[String] {
        self.processes.first().and_then(|process| process.argv.get(1..)).unwrap_or_default()
    }
}

fn check(arm: &Arm) -> Result<(), String> {
    if arm.processes.is_empty() {
        return Err("it has no ranks".to_owned());
    }
    for (rank, process) in (0..).zip(&arm.processes) {
        if process.rank != rank {
            return Err(format!("rank {} stands where rank {rank} should", process.rank));
        }
        // One launcher starts them all.
        if process.argv.get(1..) != Some(arm.command()) || process.argv.get(1).map(String::as_str) != Some("-m") {
            return Err(format!("rank {rank} does not run the module that the others run"));
        }
        for pattern in [&process.expect.text, &process.expect.absent] {
            Regex::new(pattern).map_err(|error| format!("rank {rank}: {error}"))?;
        }
    }
    Ok(())
}
