//! Tells that something in a folder was written, without asking again and again.

use std::os::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

/// A folder that is watched.
#[derive(Debug)]
pub struct Notify {
    #[cfg(target_os = "linux")]
    descriptor: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    never: std::convert::Infallible,
}

/// What has happened in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// Files there have grown, or nothing has happened.
    Written,
    /// Files have appeared.
    Appeared,
}

impl Notify {
    /// Watches a folder; absent where the system cannot.
    #[cfg(target_os = "linux")]
    pub fn on(folder: &Path) -> Option<Notify> {
        use rustix::fs::inotify::{CreateFlags, WatchFlags};
        let descriptor = rustix::fs::inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let flags = WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO;
        rustix::fs::inotify::add_watch(&descriptor, folder, flags).ok()?;
        Some(Notify { descriptor })
    }

    /// Watches a folder; absent where the system cannot.
    #[cfg(not(target_os = "linux"))]
    pub fn on(_folder: &Path) -> Option<Notify> {
        None
    }

    /// Readable when there is something to [`Notify::take`].
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        #[cfg(target_os = "linux")]
        return self.descriptor.as_fd();
        #[cfg(not(target_os = "linux"))]
        match self.never {}
    }

    /// Takes what has been told until now.
    pub fn take(&self) -> Happened {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::inotify::ReadFlags;
            let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 16 * 1024];
            let mut reader = rustix::fs::inotify::Reader::new(&self.descriptor, &mut buffer);
            let mut happened = Happened::Written;
            // Bounded, since a writer can be as fast as we are.
            for _ in 0..4_096 {
                let Ok(event) = reader.next() else { break };
                if event.events().intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO | ReadFlags::QUEUE_OVERFLOW) {
                    happened = Happened::Appeared;
                }
            }
            happened
        }
        #[cfg(not(target_os = "linux"))]
        match self.never {}
    }
}
