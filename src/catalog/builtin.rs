//! The model files that ship with ranklint, compiled in.

use std::sync::LazyLock;

use super::{Catalog, load};

macro_rules! models {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every model file, in the order of reading.
        pub static MODEL_FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../rules/models/", $name)))),*];
    };
}

// Axes first: the other files name them.
models! {
    "axes.toml",
    "torch_distributed.toml",
    "torch_parallel.toml",
    "environment.toml",
    "python.toml",
    "megatron.toml",
    "serving.toml",
    "deepspeed.toml",
    "accelerate.toml",
    "lightning.toml",
    "transformers.toml",
    "frameworks.toml",
    "mpi4py.toml",
}

static BUILTIN: LazyLock<Catalog> = LazyLock::new(|| {
    let mut catalog = Catalog::default();
    if let Err(error) = load::read(&mut catalog, MODEL_FILES) {
        panic!("the model files are tested to load: {error}");
    }
    catalog
});

/// The catalogue of the model files.
pub(super) fn catalog() -> &'static Catalog {
    &BUILTIN
}
