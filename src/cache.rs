//! The result of a run, kept under the hash of everything that went into it.
//!
//! It lies below the user's own cache folder, never in a shared temporary one. Whatever goes wrong here is silent and
//! costs time only: an entry that is missing, damaged or of another build is computed afresh.

mod pages;
mod texts;
mod wire;

use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

pub use pages::page_file;
pub use texts::{keep_text, kept_text};

use crate::source::{Content, SourceFile, user_cache};
use crate::triage::Triaged;

/// How many results are kept.
const KEPT: usize = 64;

/// Marks the layout of entries.
const MAGIC: &[u8; 8] = b"ranklnt1";

/// The hash of everything that went into a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u128);

impl Key {
    /// The key of a run over `sources`; `circumstances` are the options and texts that shape its result.
    pub fn new<'c>(sources: &[SourceFile], circumstances: impl IntoIterator<Item = &'c str>) -> Key {
        let mut hash = Xxh3::new();
        let mut add = |bytes: &[u8]| {
            hash.write_u64(bytes.len() as u64);
            hash.update(bytes);
        };
        add(&build());
        circumstances.into_iter().for_each(|text| add(text.as_bytes()));
        add(b"sources");
        for source in sources {
            add(source.path.as_bytes());
            add(format!("{:?}", source.kind).as_bytes());
            match &source.content {
                Content::Text(text) => add(text.as_bytes()),
                Content::Unreadable(problem) => {
                    add(b"unreadable");
                    add(problem.message.as_bytes());
                }
            }
        }
        Key(hash.digest128())
    }
}

/// The folder of kept results.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache of the user who runs this process; absent where no home is known.
    pub fn of_user() -> Option<Cache> {
        Some(Cache { folder: user_cache()?.join("results") })
    }

    /// The result kept under `key`.
    #[expect(clippy::disallowed_methods, reason = "entries of the cache are read here only")]
    pub fn get(&self, key: Key) -> Option<Triaged> {
        let bytes = std::fs::read(self.path(key)).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (sum, payload) = rest.split_first_chunk::<8>()?;
        (u64::from_le_bytes(*sum) == xxh3_64(payload)).then(|| wire::decode(payload)).flatten()
    }

    /// Keeps a result under `key`.
    pub fn put(&self, key: Key, result: &Triaged) {
        if let Some(payload) = wire::encode(result) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(xxh3_64(&payload).to_le_bytes());
            bytes.extend(payload);
            // A cache that cannot be written is a cache that is not there.
            let _ = self.write(&self.path(key), &bytes);
        }
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(format!("{:032x}", key.0))
    }

    /// Writes beside the place and renames, so that nobody reads half an entry.
    #[expect(clippy::disallowed_methods, reason = "the one place that writes the cache")]
    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        let outcome = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
        if outcome.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        self.prune()?;
        outcome
    }

    /// Removes the oldest entries beyond [`KEPT`].
    #[expect(clippy::disallowed_methods, reason = "the one place that writes the cache")]
    fn prune(&self) -> std::io::Result<()> {
        let mut entries: Vec<_> = std::fs::read_dir(&self.folder)?
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
            })
            .collect();
        entries.sort();
        for (_, path) in entries.iter().rev().skip(KEPT) {
            std::fs::remove_file(path)?;
        }
        Ok(())
    }
}

/// What tells this build of ranklint from others, those of the same version included.
fn build() -> Vec<u8> {
    let metadata = std::env::current_exe().and_then(|path| path.metadata()).ok();
    let stamp = metadata.map(|metadata| (metadata.len(), metadata.modified().ok()));
    format!("{} {stamp:?}", env!("CARGO_PKG_VERSION")).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Kind;

    fn key(path: &str, kind: Kind, text: &str, circumstances: &[&str]) -> u128 {
        Key::new(&[SourceFile::from_text(path, kind, text)], circumstances.iter().copied()).0
    }

    #[test]
    fn everything_that_goes_into_a_run_is_in_its_key() {
        let known = key("a.py", Kind::Python, "x = 1\n", &["all", "low"]);
        assert_eq!(known, key("a.py", Kind::Python, "x = 1\n", &["all", "low"]));
        for other in [
            key("a.py", Kind::Python, "x = 2\n", &["all", "low"]),
            key("b.py", Kind::Python, "x = 1\n", &["all", "low"]),
            key("a.py", Kind::Shell, "x = 1\n", &["all", "low"]),
            key("a.py", Kind::Python, "x = 1\n", &["all"]),
            key("a.py", Kind::Python, "x = 1\n", &["alllow", ""]),
            Key::new(&[], ["all", "low"]).0,
        ] {
            assert_ne!(known, other);
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test damages an entry")]
    fn a_damaged_entry_is_none() {
        let cache = Cache { folder: std::env::temp_dir().join(format!("ranklint-cache-{}", std::process::id())) };
        let key = Key(7);
        cache.put(key, &Triaged { findings: Vec::new(), suppressed: 2, silenced: Vec::new(), hidden: 1 });
        assert_eq!(cache.get(key).map(|kept| (kept.suppressed, kept.hidden)), Some((2, 1)));
        let whole = std::fs::read(cache.path(key)).expect("it was kept");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(cache.path(key), &bytes).expect("written");
            assert!(cache.get(key).is_none(), "byte {at}");
            std::fs::write(cache.path(key), &whole[..at]).expect("written");
            assert!(cache.get(key).is_none(), "cut at {at}");
        }
        std::fs::remove_dir_all(&cache.folder).expect("removed");
    }
}
