//! What the ranks print: read as it comes, kept in files of bounded size, and handed on for people to see.
//!
//! A rank is never kept waiting by whoever reads for long, and memory stays bounded whatever a rank prints: lines are left
//! out of what people see, and the middle of what is kept is left out, and both are said.

mod kept;
mod queue;
mod read;

use std::io;

pub use kept::{KEPT, tail_of};
pub use read::{Pipe, Readers};

/// Who has printed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A rank that ranklint has started.
    Rank(u32),
    /// The command that starts the ranks.
    Launcher,
}

impl Source {
    /// The beginning of the names of its files.
    pub fn stem(self) -> String {
        match self {
            Source::Rank(rank) => format!("rank{rank}"),
            Source::Launcher => "launcher".to_owned(),
        }
    }
}

/// Where it was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Stream {
    /// The ending of the name of its file.
    pub fn extension(self) -> &'static str {
        match self {
            Stream::Out => "out",
            Stream::Err => "err",
        }
    }
}

/// Shows people what ranks print. It is called from a thread of its own and may take its time: when it falls behind, lines
/// are left out.
pub trait Output: Send {
    /// Whole lines with their ends; a very long line, and the last one of a stream, may lack it.
    ///
    /// # Errors
    /// Nobody reads any more; nothing is shown from then on.
    fn lines(&mut self, source: Source, stream: Stream, text: &[u8]) -> io::Result<()>;

    /// So many lines were left out here, since they came faster than they were taken.
    ///
    /// # Errors
    /// Nobody reads any more; nothing is shown from then on.
    fn left_out(&mut self, source: Source, stream: Stream, lines: u64) -> io::Result<()>;
}

/// Shows nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Output for Silent {
    fn lines(&mut self, _: Source, _: Stream, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn left_out(&mut self, _: Source, _: Stream, _: u64) -> io::Result<()> {
        Ok(())
    }
}
