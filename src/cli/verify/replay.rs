//! `ranklint verify replay`: recordings of runs that are over, judged again.

use crate::verify::observe::{Circumstances, Observer, Telling};
use crate::verify::outcome::Outcome;
use crate::verify::replay::{ReplayError, read};

use crate::cli::args::ReplayArguments;
use crate::cli::{Exit, Failure, project};

use super::predict::predict;
use super::{exit_of, show};

/// Runs the command.
pub(super) fn run(arguments: &ReplayArguments) -> Result<Exit, Failure> {
    let cwd = project::working_directory()?;
    let folder = cwd.join(&arguments.folder);
    let replay = read(&folder).map_err(|error| unreadable(&error))?;
    let mut observer = Observer::new(replay.world, Telling::AtTheEnd);
    let told = replay.judge(&mut observer);
    let circumstances = Circumstances {
        command: vec!["verify".into(), "replay".into(), arguments.folder.display().to_string()],
        again: vec!["ranklint".into(), "verify".into(), "replay".into(), arguments.folder.display().to_string()],
        launcher: "replay".into(),
        world: replay.world,
        folder: folder.display().to_string(),
        ..Circumstances::default()
    };
    let mut report = observer.report(told.unwrap_or(Outcome::Passed), circumstances);
    report.notes.extend(replay.notes.iter().cloned());
    predict(&mut report, &cwd);
    show::show(&arguments.output, &report, &cwd)?;
    Ok(exit_of(&report.outcome))
}

fn unreadable(error: &ReplayError) -> Failure {
    let help = match error {
        ReplayError::Folder { .. } => "give the folder that holds the recordings",
        ReplayError::Nothing { .. } => {
            "give the folder of a run (its path is printed under `logs`), or that of the dumps"
        }
        ReplayError::Twice { .. } => "move the others to another folder",
        ReplayError::File { .. } => "fetch the dump again: it is not complete, or was written by something else",
    };
    Failure::usage(error.to_string(), Some(help.to_owned()))
}
