//! A folder for one test, and the program run in it.

use std::path::{Path, PathBuf};

/// A program with one finding, `conditional-collective`, on line 6.
pub const JOB: &str =
    "import torch.distributed as dist\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        dist.all_reduce(x)\n";

/// A folder of its own for one test, below cargo's folder for such things.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adoption").join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).expect("left over from an earlier run");
        }
        std::fs::create_dir_all(&path).expect("cargo's folder can be written to");
        Folder(path)
    }

    /// A folder in it.
    pub fn inside(&self, name: &str) -> Folder {
        Folder(self.0.join(name))
    }

    /// A path in it.
    pub fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// Writes a file.
    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("it can be made");
        std::fs::write(path, content).expect("it can be written");
        self
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Runs the program in it.
    pub fn ranklint(&self, arguments: &[&str]) -> Run {
        self.piped(arguments, "")
    }

    /// Runs the program in it, with something on standard input.
    pub fn piped(&self, arguments: &[&str], input: &str) -> Run {
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_ranklint"))
            .current_dir(&self.0)
            .env_remove("FORCE_COLOR")
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/adoption"))
            .args(arguments)
            .write_stdin(input)
            .output()
            .expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints UTF-8");
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// What a run printed, and how it ended.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Holds that it failed in this way, and said so.
    #[track_caller]
    pub fn fails_with(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing: {}", self.err);
        }
    }
}
