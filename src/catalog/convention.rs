//! What bare names conventionally mean: the families of names that every axis brings.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Axis, Convention, LocalKind, Value, ValueKind};
use crate::base::Symbol;

/// Names of a rank along an axis; `{}` is the axis' word.
const RANK: [&str; 10] = [
    "{}_rank",
    "{}_local_rank",
    "{}_rank_id",
    "{}_group_rank",
    "{}_rank_in_group",
    "{}_parallel_rank",
    "my_{}_rank",
    "rank_in_{}",
    "local_{}_rank",
    "get_{}_rank",
];

/// Names of the number of ranks along an axis.
const SIZE: [&str; 8] = [
    "{}_size",
    "{}_world_size",
    "{}_group_size",
    "{}_degree",
    "num_{}_ranks",
    "{}_parallel_size",
    "get_{}_world_size",
    "get_{}_size",
];

/// Names of the test for the first rank along an axis.
const FIRST: [&str; 6] =
    ["is_{}_first_rank", "is_first_{}_rank", "is_{}_rank0", "is_{}_rank_0", "is_{}_master", "is_{}_main"];

/// Names of the test for the last rank along an axis.
const LAST: [&str; 2] = ["is_{}_last_rank", "is_last_{}_rank"];

/// Names of the group of an axis.
const GROUP: [&str; 12] = [
    "{}_group",
    "{}_process_group",
    "{}_pg",
    "{}_comm_group",
    "{}_cpu_group",
    "{}_device_group",
    "{}_gloo_group",
    "{}_group_gloo",
    "{}_parallel_group",
    "{}_mesh",
    "get_{}_group",
    "get_{}_process_group",
];

/// Adds the names that the words of `axis` make. A name that is already known keeps its meaning.
pub(super) fn add_family(conventions: &mut FxHashMap<Symbol, Arc<Convention>>, axis: &Axis) {
    let families: [(ValueKind, &[&str]); 5] = [
        (ValueKind::Rank, &RANK),
        (ValueKind::Size, &SIZE),
        (ValueKind::First, &FIRST),
        (ValueKind::Last, &LAST),
        (ValueKind::Group, &GROUP),
    ];
    for (kind, patterns) in families {
        let value = Value { reason: reason(&kind).to_owned(), kind, axis: axis.name, group: None, unless: None };
        let convention = Arc::new(Convention { value, variables_only: false });
        for word in &axis.words {
            for pattern in patterns {
                // `tensor_parallel_parallel_group` is nobody's name.
                if pattern.contains("_parallel_") && word.ends_with("parallel") {
                    continue;
                }
                let name = pattern.replace("{}", word);
                let upper = name.to_uppercase();
                for spelled in [format!("_{name}"), format!("_{upper}"), upper, name] {
                    conventions.entry(Symbol::new(&spelled)).or_insert_with(|| Arc::clone(&convention));
                }
            }
        }
    }
}

/// Why a value of this kind may differ, where its table does not say.
pub(super) fn reason(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Rank => "each rank has its own",
        ValueKind::Size | ValueKind::Uniform => "it is the same on every rank",
        ValueKind::First => "it holds on the first rank only",
        ValueKind::Last => "it holds on the last rank only",
        ValueKind::Member => "it holds on members of the group only",
        ValueKind::Group => "each rank holds the group it belongs to",
        ValueKind::Environment => "each process has its own environment",
        ValueKind::Local(LocalKind::FileSystem) => "each rank looks at the disk by itself",
        ValueKind::Local(LocalKind::Clock) => "each rank reads its own clock",
        ValueKind::Local(LocalKind::Chance) => "each process draws its own",
        ValueKind::Local(LocalKind::Name) => "each process gets another one",
        ValueKind::Local(LocalKind::Host) => "each process has its own",
        ValueKind::Local(LocalKind::Event) => "it happens on each rank by itself",
        ValueKind::Local(LocalKind::Data) => "each rank holds its own share of the data",
        ValueKind::Local(LocalKind::Share) => {
            "each rank gets its own share: one more or less, where they do not come out even"
        }
    }
}
