//! The model files on disk, the ones compiled in and the documented examples are the same story.
#![expect(clippy::disallowed_methods, reason = "the tests read the files of the checkout")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ranklint::base::Symbol;
use ranklint::catalog::{Catalog, MODEL_FILES};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_file_on_disk_is_compiled_in() {
    let on_disk: BTreeSet<String> = fs::read_dir(root().join("rules/models"))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    let compiled: BTreeSet<String> = MODEL_FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(on_disk, compiled);
}

#[test]
fn the_documented_examples_load() {
    let page = fs::read_to_string(root().join("docs/models.md")).expect("the page is there");
    let mut examples = 0;
    for block in page.split("```toml\n").skip(1) {
        let text = block.split("```").next().expect("a block has a text");
        if let Err(error) = Catalog::builtin().extended("docs/models.md", text) {
            panic!("{error}\n{text}");
        }
        examples += 1;
    }
    assert!(examples >= 6, "only {examples} examples were found");
}

#[test]
fn the_page_names_every_table_and_axis() {
    let page = fs::read_to_string(root().join("docs/models.md")).expect("the page is there");
    for table in [
        "axis",
        "type",
        "collective",
        "point-to-point",
        "group-creation",
        "teardown",
        "value",
        "environment",
        "exit",
        "wrapper",
        "convention",
    ] {
        assert!(page.contains(&format!("[[{table}]]")), "`{table}` is not explained");
    }
    for axis in Catalog::builtin().axes() {
        assert!(page.contains(&format!("`{}`", axis.name)), "the axis `{}` is not listed", axis.name);
    }
}

#[test]
fn the_catalogue_knows_every_library_it_promises() {
    let catalog = Catalog::builtin();
    for name in [
        "torch.distributed.all_to_all_single",
        "torch.distributed._functional_collectives.all_reduce",
        "torch.distributed.nn.functional.all_gather",
        "torch.distributed.new_group",
        "torch.distributed.batch_isend_irecv",
        "torch.distributed.monitored_barrier",
        "torch.distributed.checkpoint.save",
        "torch.distributed.fsdp.FullyShardedDataParallel.state_dict",
        "torch.nn.parallel.DistributedDataParallel.forward",
        "torch.distributed.device_mesh.DeviceMesh.get_local_rank",
        "torch.distributed.Work.wait",
        "megatron.core.parallel_state.get_data_parallel_group",
        "megatron.core.tensor_parallel.gather_from_sequence_parallel_region",
        "deepspeed.comm.all_reduce",
        "deepspeed.runtime.engine.DeepSpeedEngine.save_checkpoint",
        "deepspeed.zero.GatheredParameters",
        "accelerate.Accelerator.main_process_first",
        "lightning.fabric.Fabric.barrier",
        "pytorch_lightning.utilities.rank_zero_only",
        "transformers.Trainer.is_world_process_zero",
        "mpi4py.MPI.COMM_WORLD.Allreduce",
        "horovod.torch.allreduce",
        "torch_xla.core.xla_model.rendezvous",
        "composer.utils.dist.barrier",
        "vllm.distributed.get_tp_group",
        "torchmetrics.Metric.compute",
        "os.path.exists",
        "time.time",
        "sys.exit",
        "functools.lru_cache",
    ] {
        assert!(catalog.entry(Symbol::new(name)).is_some(), "`{name}` is not listed");
    }
}
