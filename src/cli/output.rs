//! Reports that go to files, beside the one on standard output.

use std::io::{BufWriter, ErrorKind, Write as _};

use crate::report::{self, Report};

use super::Failure;
use super::args::Output;

/// Writes each report to its file. Colours and times are for people at a terminal, not for files.
pub(super) fn write(outputs: &[Output], report: Report<'_>) -> Result<(), Failure> {
    for (index, output) in outputs.iter().enumerate() {
        if outputs[..index].iter().any(|earlier| earlier.file == output.file) {
            let message = format!("two reports cannot go to the same file `{}`", output.file.display());
            return Err(Failure::usage(message, Some("give each `--output` a file of its own".to_owned())));
        }
    }
    let mut report = report;
    report.color = false;
    report.summary.elapsed = None;
    for output in outputs {
        to_file(output, &report).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", output.file.display());
            let place =
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::NotADirectory);
            Failure::usage(message, place.then(|| "its folder must exist and be writable".to_owned()))
        })?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the user named the file to be written")]
fn to_file(output: &Output, report: &Report<'_>) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(&output.file)?);
    report::render(output.format, report, &mut out)?;
    out.flush()
}
