//! `ranklint verify doctor`: what can be run here.

use std::io::{BufWriter, Write as _};
use std::time::Duration;

use crate::report::run::{DoctorFormat, render_doctor};
use crate::source::user_cache;
use crate::verify::doctor::{About, examine};
use crate::verify::interpreter::{self, Surroundings};
use crate::verify::launch;

use crate::cli::args::{Color, DoctorArguments, ListFormat};
use crate::cli::{Exit, Failure, project, terminal, written};

/// How long the interpreter may take for everything that is asked; it imports torch.
const DEADLINE: Duration = Duration::from_secs(120);

/// Runs the command.
pub(super) fn run(arguments: &DoctorArguments) -> Result<Exit, Failure> {
    let cwd = project::working_directory()?;
    let choice = interpreter::choose(&Surroundings::of_process(arguments.python.clone(), &cwd));
    let path = choice.as_ref().map(|choice| choice.path.display().to_string()).unwrap_or_default();
    let error = choice.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let cache = user_cache().map(|folder| folder.display().to_string()).unwrap_or_default();
    let about = About {
        interpreter: match &choice {
            Ok(choice) => Ok((&path, choice.why.text())),
            Err(_) => Err(&error),
        },
        cache: &cache,
    };
    let mut ask = |script: &str| {
        let program = choice.as_ref().map_err(ToString::to_string)?.path.as_os_str();
        let answer = launch::ask(program, &["-c", script], DEADLINE).map_err(|error| error.to_string())?;
        if answer.code == Some(0) { Ok(answer.out) } else { Err(answer.err) }
    };
    let diagnosis = examine(&about, &mut ask);
    let format = match arguments.output_format {
        ListFormat::Json => DoctorFormat::Json,
        ListFormat::Text if terminal::color(Color::Auto) => DoctorFormat::Color,
        ListFormat::Text => DoctorFormat::Plain,
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    written(render_doctor(format, &diagnosis, &mut out).and_then(|()| out.flush()))?;
    Ok(if diagnosis.has_problems() { Exit::CannotRun } else { Exit::Clean })
}
