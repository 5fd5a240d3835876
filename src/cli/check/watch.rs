//! `check --watch`: looks again whenever a file is another. Ends on an interrupt.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use crate::analyze::Workers;
use crate::cli::args::CheckArguments;
use crate::cli::{Exit, Failure, READER_LEFT, complain, terminal};
use crate::verify::os::signals::Signals;

use super::setup::Setup;

/// How often the files are looked at for changes. Asking a few thousand files for their times takes milliseconds, and works
/// on every file system.
const EVERY: Duration = Duration::from_millis(400);

/// How often an interrupt is looked for meanwhile.
const STEP: Duration = Duration::from_millis(50);

/// When a file was written, and how long it is.
type Stamps = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// Runs until an interrupt.
pub(super) fn run(arguments: &CheckArguments, workers: &Workers) -> Result<Exit, Failure> {
    if super::setup::stdin_name(arguments).is_some() {
        return Err(Failure::usage("standard input cannot be watched", None));
    }
    let signals = Signals::install().map_err(|error| Failure::internal(format!("cannot await signals: {error}")))?;
    let _held = signals.hold();
    // What configured the last look that could be had: where it is wrong now, somebody will mend it there.
    let mut configured = Vec::new();
    loop {
        // Taken before the look: what changes during it is seen afterwards.
        let before = stamps(arguments, &mut configured);
        if terminal::is_watched() {
            // Clears the screen, and what was scrolled away.
            crate::cli::print("\u{1b}[2J\u{1b}[3J\u{1b}[H")?;
        }
        match super::once(arguments, workers) {
            Ok(_) => {}
            Err(failure) => complain("error", &failure.message, failure.help.as_deref()),
        }
        if READER_LEFT.load(Ordering::Relaxed) {
            return Ok(Exit::Clean);
        }
        // A folder that is gone does not come back under whoever stands in it.
        crate::cli::project::working_directory()?;
        complain("note", "watching for changes; interrupt to end", None);
        loop {
            let mut waited = Duration::ZERO;
            while waited < EVERY {
                if signals.take().is_some() {
                    return Ok(Exit::Clean);
                }
                std::thread::sleep(STEP);
                waited += STEP;
            }
            if stamps(arguments, &mut configured) != before {
                break;
            }
        }
    }
}

/// The state of all files of a run, and of what configures it. A configuration that cannot be read is a state too.
fn stamps(arguments: &CheckArguments, configured: &mut Vec<PathBuf>) -> Stamps {
    let mut out = Stamps::new();
    let mut add = |path: &Path| {
        let metadata = path.metadata().ok();
        let stamp = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        out.insert(path.to_path_buf(), stamp);
    };
    for name in ["ranklint.toml", "pyproject.toml"] {
        add(Path::new(name));
    }
    arguments.config.iter().chain(&arguments.baseline).for_each(|path| add(path));
    let setup = Setup::new(arguments);
    if let Ok(setup) = &setup {
        let files = setup.config.files.iter().chain(&setup.config.baseline);
        *configured = files.map(|path| setup.cwd.join(path)).collect();
    }
    configured.iter().for_each(|path| add(path));
    let Ok(setup) = setup else { return out };
    if let Ok(found) =
        crate::cli::project::files(&super::setup::paths(arguments), &setup.cwd, &setup.config, arguments.force_exclude)
    {
        found.iter().for_each(|file| add(&file.location));
    }
    out
}
