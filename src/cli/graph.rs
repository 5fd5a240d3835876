//! `ranklint graph`: what a function issues, and why its conditions differ between ranks.

use std::path::{Path, PathBuf};

use crate::analyze::{Workers, program};
use crate::graph::{function_meant, functions_called, outline};

use super::args::GraphArguments;
use super::project::{self, ConfigFrom};
use super::{Exit, Failure, print};

/// Runs the command.
pub(super) fn run(arguments: &GraphArguments) -> Result<Exit, Failure> {
    let cwd = project::working_directory()?;
    let here = [PathBuf::from(".")];
    let paths = if arguments.paths.is_empty() { &here[..] } else { &arguments.paths };
    let from = match &arguments.config {
        _ if arguments.isolated => ConfigFrom::Nowhere,
        Some(path) => ConfigFrom::File(path),
        None => ConfigFrom::Nearest(arguments.paths.first().map_or(Path::new(""), PathBuf::as_path)),
    };
    let config = project::config(from, &cwd)?;
    let catalog = project::catalog(&config)?;
    let found = project::files(paths, &cwd, &config, false)?;
    let workers =
        Workers::start(0).map_err(|error| Failure::usage(format!("cannot start the threads: {error}"), None))?;
    let sources = workers.read(found);
    let facts = project::facts(&config, &cwd);
    let name = arguments.function.trim();
    let text = workers.install(|| {
        let program = program(sources, facts, catalog);
        let functions = functions_called(&program, name);
        if functions.is_empty() {
            let help = match function_meant(&program, name) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "give a dotted name, `path.py::Class.method`, or the path of a script".to_owned(),
            };
            return Err(Failure::usage(format!("there is no function `{name}`"), Some(help)));
        }
        let outlines: Vec<String> =
            functions.into_iter().filter_map(|id| outline(&program, id, arguments.lines)).collect();
        Ok(outlines.join("\n"))
    })?;
    print(&text)
}
