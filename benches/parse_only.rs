//! The floor that `benches/compare.py` measures against: reads and parses the files that `check` would look at, with its
//! threads and stacks, and drops each tree. Prints `{"files": …, "lines": …, "bytes": …}`.
#![expect(clippy::disallowed_methods, reason = "a program of its own: it asks where it runs")]

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use ranklint::analyze::Workers;
use ranklint::config::Config;
use ranklint::source::{self, Content, Found, Kind, Walk, discover};
use ranklint::syntax;

/// The same allocator as the binary's: the two are compared.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    // `cargo bench` adds `--bench`.
    let given = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut paths: Vec<PathBuf> = given.map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"));
    }
    let cwd = std::env::current_dir().expect("there is a working directory");
    let config = Config::default();
    let walk = Walk {
        cwd: &cwd,
        include: &config.include,
        exclude: &config.exclude,
        respect_gitignore: config.respect_gitignore,
        force_exclude: config.force_exclude,
    };
    let found = discover(&paths, &walk).unwrap_or_else(|missing| panic!("there is no `{}`", missing.path));
    let workers = Workers::start(0).expect("threads can be started");
    let counts = workers.install(|| found.into_par_iter().map(read_and_parse).reduce(Counts::default, Counts::plus));
    println!(r#"{{"files": {}, "lines": {}, "bytes": {}}}"#, counts.files, counts.lines, counts.bytes);
}

#[derive(Default)]
struct Counts {
    files: usize,
    lines: usize,
    bytes: usize,
}

impl Counts {
    fn plus(self, other: Counts) -> Counts {
        Counts { files: self.files + other.files, lines: self.lines + other.lines, bytes: self.bytes + other.bytes }
    }
}

fn read_and_parse(found: Found) -> Counts {
    let source = source::read(found);
    let Content::Text(text) = source.content else { return Counts::default() };
    if source.kind == Kind::Python {
        drop(std::hint::black_box(syntax::parse(&text)));
    }
    Counts { files: 1, lines: memchr::memchr_iter(b'\n', text.as_bytes()).count(), bytes: text.len() }
}
