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
models!["axes.toml", "torch_distributed.toml",];

static BUILTIN: LazyLock<Catalog> = LazyLock::new(|| {
    let mut catalog = Catalog::default();
    for (name, text) in MODEL_FILES {
        if let Err(error) = load::read(&mut catalog, name, text) {
            panic!("the model files are tested to load: {error}");
        }
    }
    load::expand_aliases(&mut catalog);
    catalog
});

/// The catalogue of the model files.
pub(super) fn catalog() -> &'static Catalog {
    &BUILTIN
}
