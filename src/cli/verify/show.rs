//! What people and tools get to see of a run: the ranks' output while it goes on, the report when it is over.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use crate::report::run::{Run, RunFormat, Sources, render_run};
use crate::verify::outcome::RunReport;
use crate::verify::output::{Output, Source, Stream};

use crate::cli::args::RunOutput;
use crate::cli::{Failure, terminal, written};

/// Prints what ranks print, each line with the rank before it. Standard output is left to the report when that is for tools.
pub(super) struct Printer {
    to_stderr: bool,
}

impl Printer {
    /// A printer beside a report of this kind.
    pub(super) fn new(output: &RunOutput) -> Printer {
        Printer { to_stderr: output.output_format != RunFormat::Text }
    }

    fn print(&self, stream: Stream, text: &[u8]) -> io::Result<()> {
        if self.to_stderr || stream == Stream::Err {
            io::stderr().lock().write_all(text)
        } else {
            io::stdout().lock().write_all(text)
        }
    }
}

impl Output for Printer {
    fn lines(&mut self, source: Source, stream: Stream, text: &[u8]) -> io::Result<()> {
        let name = name(source);
        let mut prefixed = Vec::with_capacity(text.len() + 16);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            prefixed.extend_from_slice(name.as_bytes());
            prefixed.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                prefixed.push(b'\n');
            }
        }
        self.print(stream, &prefixed)
    }

    fn left_out(&mut self, source: Source, stream: Stream, lines: u64) -> io::Result<()> {
        self.print(stream, format!("{}… {lines} lines left out …\n", name(source)).as_bytes())
    }
}

fn name(source: Source) -> String {
    match source {
        Source::Rank(rank) => format!("[{rank}] "),
        Source::Launcher => "[launcher] ".to_owned(),
    }
}

/// The program's files on this machine.
struct Disk;

impl Sources for Disk {
    fn text(&self, path: &str) -> Option<String> {
        crate::source::read_optional(Path::new(path)).ok().flatten()
    }
}

/// Prints the report, and writes it to the files that were asked for.
pub(super) fn show(output: &RunOutput, report: &RunReport, cwd: &Path) -> Result<(), Failure> {
    let folder = cwd.to_string_lossy();
    let run = |color| Run { report, folder: &folder, sources: &Disk, color };
    for (format, path) in &output.output {
        let mut text = Vec::new();
        let rendered = render_run(*format, &run(false), &mut text).and_then(|()| write(&cwd.join(path), &text));
        rendered.map_err(|error| {
            let help = "look at the folder's permissions and at the free space".to_owned();
            Failure::usage(format!("cannot write `{}`: {error}", path.display()), Some(help))
        })?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let run = run(terminal::color(output.color));
    written(render_run(output.output_format, &run, &mut out).and_then(|()| out.flush()))
}

/// Writes a report.
#[expect(clippy::disallowed_methods, reason = "reports are written where the user asks for them")]
pub(super) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    std::fs::write(path, text)
}
