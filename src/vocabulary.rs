//! Which files are worth keeping whole: those whose text holds a word of the trade.
//!
//! A file without one can neither issue a collective nor hold a rank, a path or a key; its definitions and calls are
//! kept, so that a chain of calls through it is not lost.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::model::Detail;

/// Words that only those use who speak to other ranks, or train with them.
const OF_RANKS: &[&str] = &[
    "torch.distributed",
    "torch import distributed",
    "all_reduce",
    "allreduce",
    "all_gather",
    "allgather",
    "barrier",
    "broadcast",
    "gather_object",
    "gather_for_metrics",
    "process_group",
    "accelerator.",
    "deepspeed",
    "DataParallel",
    "fully_shard",
    "full_tensor",
    "mpi4py",
    "horovod",
    "loss.backward(",
];

/// Other words of ranks and groups, of batches and steps, of the environment, of paths, of goldens, of a control plane.
const WORDS: &[&str] = &[
    "reduce_scatter",
    "reduce_mean",
    "new_group",
    "get_rank",
    "world_size",
    "local_rank",
    "global_rank",
    "rank == 0",
    "rank != 0",
    "RANK",
    "parallel_state",
    "process_index",
    "is_master",
    "is_main",
    "is_leader",
    "is_chief",
    "main_process",
    "rank_0",
    "rank0",
    ".rank",
    "path.exists",
    ".exists()",
    "osp.exists(",
    "Dataset):",
    "DistributedSampler",
    "isfile(",
    "isdir(",
    "listdir(",
    "is_rank",
    "global_zero",
    "rank_zero",
    "utils import comm",
    "utils.comm",
    "idist.",
    "trainer.save_checkpoint",
    "pl.Trainer(",
    "L.Trainer(",
    "lightning import",
    "def training_step",
    "process_zero",
    "PartialState",
    "wait_for_everyone",
    "device_mesh",
    "DTensor",
    "is_distributed",
    "state_dict_type",
    "torch_xla",
    "hvd.",
    "dist.",
    "_parallel_rank",
    "ranklint",
    "/tmp",
    "/dev/shm",
    "tempfile",
    "mktemp",
    "TMPDIR",
    "environ",
    "getenv",
    "putenv",
    "golden",
    "GOLDEN",
    "_TEST_",
    "expanduser",
    "Path.home",
    "tensor_specs",
    "SHUTDOWN",
    "torchrun",
    "mpirun",
    "mpiexec",
    "horovodrun",
    "\"accelerate\"",
    "loader:",
    "loader):",
    "attention_mask\"].sum(",
    "cache_epoch",
    "call_id",
    "raise_for_status",
    "get_nowait",
    "\"/",
    "'/",
    "\"~",
    "'~",
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(OF_RANKS.iter().chain(WORDS)));

static OF_RANKS_FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(OF_RANKS));

fn finder<'w>(words: impl IntoIterator<Item = &'w &'w str>) -> AhoCorasick {
    AhoCorasick::new(words).expect("a list of literal words makes an automaton")
}

/// Whether a file may issue what waits for other ranks.
pub fn speaks_of_ranks(text: &str) -> bool {
    OF_RANKS_FINDER.is_match(text)
}

/// How much of a file to keep at first.
pub fn detail_of(text: &str) -> Detail {
    if FINDER.is_match(text) { Detail::Full } else { Detail::Skeleton }
}
