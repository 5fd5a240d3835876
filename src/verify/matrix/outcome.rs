//! What has come of the arms. The types also travel between our own processes, as JSON lines.

use serde::{Deserialize, Serialize};

use super::plan::ArmKind;

/// How one arm has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArmOutcome {
    /// As it must. For a mutant that is: not like the good failure, and `told_by` says what gave it away.
    Passed {
        /// What a mutant's end lacks of the good failure's; empty for other arms.
        told_by: Vec<Miss>,
    },
    /// Otherwise.
    Failed {
        /// What was missed, by whom.
        missed: Vec<Miss>,
    },
    /// It was not run, which is never a pass.
    Skipped {
        /// Why.
        why: String,
    },
    /// It could not be run.
    Blocked {
        /// What was tried and what came of it.
        tried: Vec<String>,
        /// What to do.
        remedy: String,
    },
}

impl ArmOutcome {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            ArmOutcome::Passed { .. } => "passed",
            ArmOutcome::Failed { .. } => "failed",
            ArmOutcome::Skipped { .. } => "skipped",
            ArmOutcome::Blocked { .. } => "blocked",
        }
    }

    /// Why it is what it is; empty for a pass that needs no words.
    pub fn why(&self) -> String {
        match self {
            ArmOutcome::Passed { told_by: missed } | ArmOutcome::Failed { missed } => {
                missed.iter().map(Miss::text).collect::<Vec<_>>().join("; ")
            }
            ArmOutcome::Skipped { why } => why.clone(),
            ArmOutcome::Blocked { tried, remedy } => format!("{}; {remedy}", tried.join("; ")),
        }
    }
}

/// One expectation that was not met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Miss {
    /// The rank that it was about; absent: all of them.
    pub rank: Option<u32>,
    /// What was missed.
    pub what: String,
}

impl Miss {
    /// In words.
    pub fn text(&self) -> String {
        match self.rank {
            Some(rank) => format!("rank {rank}: {}", self.what),
            None => self.what.clone(),
        }
    }
}

/// How one rank has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankEnd {
    /// Its exit code, negative for a signal it died of; absent when the runner ended it.
    pub code: Option<i32>,
    /// Seconds from the fault, or from the start where there is none.
    pub seconds: f64,
    /// Everything it has printed, standard output first; not kept in reports.
    #[serde(skip)]
    pub output: String,
}

/// In a word, how an arm has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// It was not run.
    None,
    /// Nobody came to say anything.
    Broken,
    /// Some rank was still there at the end of its time.
    Hang,
    /// All ended with 0.
    Silent,
    /// Some rank refused what was asked of it.
    Refused,
    /// A worker left because its driver was gone.
    Orphaned,
    /// Anything else.
    Crash,
}

impl Look {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Look::None => "",
            Look::Broken => "broken",
            Look::Hang => "hang",
            Look::Silent => "silent",
            Look::Refused => "refused",
            Look::Orphaned => "orphaned",
            Look::Crash => "crash",
        }
    }
}

/// One arm that was run, or was not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmReport {
    /// `fault-pp`, with `@nccl` where the backend is not gloo.
    pub name: String,
    /// What it shows.
    pub kind: ArmKind,
    /// The mutant it ran, or nothing.
    pub mutant: String,
    /// How it has ended.
    pub outcome: ArmOutcome,
    /// The same in a word.
    pub look: Look,
    /// How its ranks have ended.
    pub ends: Vec<RankEnd>,
    /// From its start until nothing of it was left, in microseconds.
    pub wall_us: u64,
    /// How many of its processes could not be ended.
    pub survivors: usize,
    /// Lines that its ranks have printed about what they measured.
    pub measurements: Vec<serde_json::Value>,
    /// The folder with logs and output; empty when it was not run.
    pub folder: String,
    /// What is worth knowing beside.
    pub notes: Vec<String>,
}

/// One row with the arms that were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct RowReport {
    /// `OM-05`.
    pub id: String,
    /// The failure.
    pub title: String,
    /// The operator surface.
    pub surface: String,
    /// 0 to 3.
    pub tranche: u32,
    /// The name of its program.
    pub harness: String,
    /// The static rules that match.
    pub rules: Vec<String>,
    /// In the order of the plan.
    pub arms: Vec<ArmReport>,
}

/// A run of the matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixReport {
    /// The runtime that was put through it.
    pub runtime: String,
    /// What started the ranks.
    pub launcher: String,
    /// The interpreter.
    pub interpreter: String,
    /// Version of torch.
    pub torch: String,
    /// How long it took, in microseconds.
    pub wall_us: u64,
    /// The command that does it again.
    pub command: Vec<String>,
    /// In the order of the plan.
    pub rows: Vec<RowReport>,
}

/// How many arms have ended so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// As they must.
    pub passed: usize,
    /// Otherwise.
    pub failed: usize,
    /// Not run.
    pub skipped: usize,
    /// Could not be run.
    pub blocked: usize,
    /// Processes that could not be ended.
    pub survivors: usize,
}

impl MatrixReport {
    /// All arms, each with its row.
    pub fn arms(&self) -> impl Iterator<Item = (&RowReport, &ArmReport)> {
        self.rows.iter().flat_map(|row| row.arms.iter().map(move |arm| (row, arm)))
    }

    /// How many arms have ended how.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (_, arm) in self.arms() {
            counts.survivors += arm.survivors;
            match arm.outcome {
                ArmOutcome::Passed { .. } => counts.passed += 1,
                ArmOutcome::Failed { .. } => counts.failed += 1,
                ArmOutcome::Skipped { .. } => counts.skipped += 1,
                ArmOutcome::Blocked { .. } => counts.blocked += 1,
            }
        }
        counts
    }
}
