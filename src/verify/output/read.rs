//! The threads that read pipes, one a pipe, and the one that shows what they read.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};

use rustix::event::{PollFd, PollFlags, poll};

use super::kept::{KEPT, Kept};
use super::queue::{Fate, Piece, Queue};
use super::{Output, Source, Stream};

/// A line longer than this is shown in pieces.
const LONGEST_LINE: usize = 64 * 1024;

/// The reading end of what somebody prints to.
#[derive(Debug)]
pub struct Pipe {
    /// Who prints.
    pub source: Source,
    /// Where.
    pub stream: Stream,
    /// The end to read from.
    pub end: OwnedFd,
}

/// What the threads of one run share.
#[derive(Debug)]
pub struct Readers {
    queue: Queue,
    /// Readable once the run is over: a pipe may be held open by somebody we have nothing to do with.
    over: OwnedFd,
    notes: Mutex<Vec<String>>,
}

/// Running threads. When it goes, they come to their end.
#[derive(Debug)]
pub struct Reading<'scope> {
    /// Closed to say that the run is over.
    going_on: OwnedFd,
    threads: Vec<ScopedJoinHandle<'scope, ()>>,
}

impl Readers {
    /// Prepares as many readers as there are pipes; the second part is handed to [`Readers::start`].
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn new(pipes: usize) -> std::io::Result<(Readers, OwnedFd)> {
        let (over, going_on) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        Ok((Readers { queue: Queue::new(pipes), over, notes: Mutex::default() }, going_on))
    }

    /// Starts the threads.
    pub fn start<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        going_on: OwnedFd,
        pipes: Vec<Pipe>,
        folder: &std::path::Path,
        output: &'env mut dyn Output,
    ) -> Reading<'scope> {
        let mut threads: Vec<_> = pipes
            .into_iter()
            .map(|pipe| {
                let path = folder.join(format!("{}.{}", pipe.source.stem(), pipe.stream.extension()));
                scope.spawn(move || self.read(pipe, path))
            })
            .collect();
        threads.push(scope.spawn(move || self.show(output)));
        Reading { going_on, threads }
    }

    /// What went wrong, for people.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        notes.sort();
        notes.dedup();
        notes
    }

    fn read(&self, pipe: Pipe, path: PathBuf) {
        let Pipe { source, stream, end } = pipe;
        let mut kept = Kept::create(path, KEPT);
        let mut lines = Lines { queue: &self.queue, source, stream, partial: Vec::new(), left_out: 0 };
        let mut file = File::from(end);
        let mut buffer = vec![0; 64 * 1024];
        // Once the run is over, only what the pipe still holds is of interest.
        let mut rounds_left = None;
        while rounds_left != Some(0_u32) {
            let ready = wait(file.as_fd(), self.over.as_fd(), rounds_left.is_some());
            if !ready.pipe {
                if rounds_left.is_some() {
                    break;
                }
                rounds_left = ready.over.then_some(64);
                continue;
            }
            rounds_left = rounds_left.map(|rounds| rounds - 1);
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    kept.write(&buffer[..count]);
                    lines.add(&buffer[..count]);
                }
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(_) => break,
            }
        }
        lines.finish();
        self.queue.leave();
        kept.finish();
        if let Some(why) = kept.failure {
            self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(why);
        }
    }

    fn show(&self, output: &mut dyn Output) {
        while let Some(piece) = self.queue.pop() {
            let shown = match piece {
                Piece::Lines { source, stream, text } => output.lines(source, stream, &text),
                Piece::LeftOut { source, stream, lines } => output.left_out(source, stream, lines),
            };
            if let Err(error) = shown {
                self.queue.give_up();
                let note = format!("output is no longer shown: {error}");
                self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
                return;
            }
        }
    }
}

impl Reading<'_> {
    /// Says that the run is over and waits until everything that was printed is shown.
    pub fn finish(self) {
        drop(self.going_on);
        for thread in self.threads {
            // A panic there is told by the scope.
            let _ = thread.join();
        }
    }
}

struct Ready {
    pipe: bool,
    over: bool,
}

/// Waits until there is something to read, or the run is over; `over` already: only looks.
fn wait(pipe: BorrowedFd<'_>, over: BorrowedFd<'_>, is_over: bool) -> Ready {
    let mut waiting = [PollFd::from_borrowed_fd(pipe, PollFlags::IN), PollFd::from_borrowed_fd(over, PollFlags::IN)];
    let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
    let count = if is_over { 1 } else { 2 };
    match poll(&mut waiting[..count], is_over.then_some(&now)) {
        Ok(_) => Ready { pipe: !waiting[0].revents().is_empty(), over: is_over || !waiting[1].revents().is_empty() },
        Err(_) => Ready { pipe: false, over: is_over },
    }
}

/// Cuts a stream into lines for people.
struct Lines<'q> {
    queue: &'q Queue,
    source: Source,
    stream: Stream,
    partial: Vec<u8>,
    left_out: u64,
}

impl Lines<'_> {
    fn add(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        let whole = match memchr::memrchr(b'\n', &self.partial) {
            Some(end) => end + 1,
            None if self.partial.len() >= LONGEST_LINE => self.partial.len(),
            None => return,
        };
        self.push(whole);
    }

    fn finish(&mut self) {
        self.push(self.partial.len());
        if self.left_out > 0 {
            self.queue.push(self.source, self.stream, b"", self.left_out);
        }
    }

    fn push(&mut self, length: usize) {
        let text = &self.partial[..length];
        match self.queue.push(self.source, self.stream, text, self.left_out) {
            Fate::Queued => self.left_out = 0,
            Fate::LeftOut => self.left_out += memchr::memchr_iter(b'\n', text).count() as u64,
        }
        self.partial.drain(..length);
    }
}
