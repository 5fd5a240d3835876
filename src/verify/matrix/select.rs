//! From what is asked for to what is run: rows, arms, backends, and the reasons why some cannot be run here.

use super::plan::{Plan, REFERENCE, Row};
use super::run::{Load, Order};

/// Which rows and arms are wanted. Empty lists mean all.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Ids, or names of harnesses.
    pub rows: Vec<String>,
    /// Tranches.
    pub tranches: Vec<u32>,
    /// Kinds, or names of arms.
    pub arms: Vec<String>,
}

/// A row with the arms that are wanted of it.
#[derive(Clone, Debug)]
pub struct Chosen<'p> {
    /// The row.
    pub row: &'p Row,
    /// Its arms, each with the reason why it is not run where there is one.
    pub arms: Vec<(Order, Option<String>)>,
}

/// The rows that are wanted and have arms that are.
pub fn choose<'p>(plan: &'p Plan, wanted: &Wanted, runtime: &str, devices: usize) -> Vec<Chosen<'p>> {
    let is_wanted = |row: &&Row| {
        (wanted.rows.is_empty() || wanted.rows.iter().any(|name| *name == row.id || *name == row.harness))
            && (wanted.tranches.is_empty() || wanted.tranches.contains(&row.tranche))
    };
    let of_row = |row: &'p Row| {
        let arms = row.arms.iter().filter(|arm| {
            wanted.arms.is_empty() || wanted.arms.iter().any(|name| *name == arm.name || name == arm.kind.name())
        });
        let arms = arms.flat_map(|arm| {
            row.backends.iter().map(move |backend| {
                let order = Order {
                    harness: row.harness.clone(),
                    arm: arm.clone(),
                    backend: backend.clone(),
                    load: load(row),
                    stage_scale: 1.0,
                };
                let why_not = why_not(&order, runtime, devices);
                (order, why_not)
            })
        });
        Chosen { row, arms: arms.collect() }
    };
    let chosen = plan.rows.iter().filter(is_wanted).map(of_row);
    chosen.filter(|chosen| !chosen.arms.is_empty()).collect()
}

/// Names in a wish that nothing bears, with what there is.
pub fn unknown(plan: &Plan, wanted: &Wanted) -> Option<String> {
    let rows = || plan.rows.iter().map(|row| row.id.as_str());
    if let Some(name) = wanted.rows.iter().find(|name| !plan.rows.iter().any(|r| r.id == **name || r.harness == **name))
    {
        let mut ids: Vec<&str> = rows().collect();
        ids.dedup();
        return Some(format!("there is no row `{name}`; the rows are {}", ids.join(", ")));
    }
    let tranche = wanted.tranches.iter().find(|wanted| !plan.rows.iter().any(|row| row.tranche == **wanted));
    if let Some(tranche) = tranche {
        return Some(format!("there is no tranche {tranche}"));
    }
    let arms = || plan.rows.iter().flat_map(|row| &row.arms);
    let arm = wanted.arms.iter().find(|name| !arms().any(|arm| arm.name == **name || arm.kind.name() == *name));
    arm.map(|name| format!("no row has an arm `{name}`; kinds are clean, fault, mutant, baseline"))
}

fn load(row: &Row) -> Load {
    match row {
        Row { id, .. } if id.starts_with("O-") => Load::Measures,
        Row { needs, .. } if needs.iter().any(|need| need == "compile") => Load::Compiles,
        _ => Load::Works,
    }
}

fn why_not(order: &Order, runtime: &str, devices: usize) -> Option<String> {
    let ranks = order.arm.processes.len();
    if order.backend == "nccl" && devices < ranks {
        return Some(match devices {
            0 => "NCCL: there is no CUDA device".to_owned(),
            _ => format!("NCCL: {ranks} ranks need as many devices, and there are {devices}"),
        });
    }
    let is_foreign = !order.arm.mutant.is_empty() && runtime != REFERENCE;
    is_foreign.then(|| "mutants are of the reference runtime".to_owned())
}

/// How many CUDA devices the driver shows.
#[expect(clippy::disallowed_methods, reason = "the driver shows its devices as files")]
pub fn devices() -> usize {
    let Ok(entries) = std::fs::read_dir("/dev") else { return 0 };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.strip_prefix("nvidia").map(str::to_owned));
    numbers.filter(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).count()
}
