//! Environment keys: where the program reads and writes them, through aliases and one level of helpers, and which of
//! them are compared across ranks before anything starts.

use std::collections::BTreeSet;
use std::ops::Range;

use globset::{Glob, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Site, Span};
use crate::model::{ExprId, LocalFunction};

use super::accesses;
use super::helpers;
use super::parity::{self, ParityCheck};
use super::program::Program;

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// All of it.
    Whole(String),
    /// Its beginning.
    Prefix(String),
    /// Nothing.
    Unknown,
}

impl Key {
    /// The key, when all of it is known.
    pub fn whole(&self) -> Option<&str> {
        match self {
            Key::Whole(text) => Some(text),
            _ => None,
        }
    }

    /// What is known of its beginning.
    pub fn prefix(&self) -> Option<&str> {
        match self {
            Key::Whole(text) | Key::Prefix(text) => Some(text),
            Key::Unknown => None,
        }
    }
}

/// What is done with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its value is read.
    Read,
    /// Its presence is asked for.
    Test,
    /// It is set, to that value where the source shows one.
    Write(Option<ExprId>),
    /// It is removed.
    Remove,
}

/// One access to the environment.
#[derive(Clone, Debug)]
pub struct Access {
    /// The file.
    pub file: FileId,
    /// The function in whose body it stands.
    pub function: LocalFunction,
    /// Where.
    pub span: Span,
    /// The key.
    pub key: Key,
    /// The key as an expression; for a keyword argument, its value.
    pub key_expr: ExprId,
    /// What is done.
    pub action: Action,
    /// Whether it stands in a loop of its function.
    pub in_loop: bool,
    /// The conditions it stands under, see [`super::Context`].
    pub conditions: Box<[ExprId]>,
    /// The helper that does it, when the key is handed to one.
    pub through: Option<FunctionId>,
}

impl Access {
    /// Whether the value or presence of the key is learnt.
    pub fn is_read(&self) -> bool {
        matches!(self.action, Action::Read | Action::Test)
    }

    /// Where it stands.
    pub fn site(&self) -> Site {
        Site { file: self.file, span: self.span }
    }
}

/// Every access of a program, and its parity checks.
#[derive(Debug, Default)]
pub struct EnvironmentReads {
    accesses: Vec<Access>,
    by_file: Vec<Range<usize>>,
    test_keys: GlobSet,
    test_heads: Vec<String>,
    checked: GlobSet,
    checked_keys: FxHashSet<String>,
    checks: Vec<ParityCheck>,
    checkers: FxHashSet<FunctionId>,
    /// Whether the project names keys that are compared.
    is_declared: bool,
}

impl EnvironmentReads {
    /// Reads the whole program.
    pub fn of(program: &Program) -> EnvironmentReads {
        let patterns = &program.facts.test_keys;
        let head = |pattern: &String| pattern.split(['*', '?', '[', '{']).next().unwrap_or_default().to_owned();
        let mut out = EnvironmentReads {
            test_keys: globs(patterns),
            test_heads: patterns.iter().map(head).collect(),
            is_declared: !program.facts.parity_keys.is_empty(),
            ..Default::default()
        };
        let mut found = Vec::new();
        for file in program.file_ids() {
            accesses::direct(program, file, &mut found);
        }
        helpers::through_helpers(program, &mut found);
        found.sort_by_key(|access| (access.file, access.span.start, access.span.end));
        out.accesses = found;
        let mut start = 0;
        for file in program.file_ids() {
            let length = out.accesses[start..].partition_point(|access| access.file == file);
            out.by_file.push(start..start + length);
            start += length;
        }
        let compared = parity::checks(program, &out);
        let mut patterns = program.facts.parity_keys.clone();
        for check in &compared.checks {
            for key in &check.keys {
                match key.contains('*') {
                    true => patterns.push(key.clone()),
                    false => drop(out.checked_keys.insert(key.clone())),
                }
            }
        }
        out.checked = globs(&patterns);
        out.checks = compared.checks;
        out.checkers = compared.checkers;
        out
    }

    /// The accesses of a file, in source order.
    pub fn in_file(&self, file: FileId) -> &[Access] {
        self.by_file.get(file.index()).map_or(&[], |range| &self.accesses[range.clone()])
    }

    /// Whether only tests set this key, by the project's patterns.
    pub fn is_test_key(&self, key: &str) -> bool {
        self.test_keys.is_match(key)
    }

    /// Whether a text may spell a test key; a cheap question to ask first.
    pub fn may_name_test_keys(&self, text: &str) -> bool {
        self.test_heads.iter().any(|head| memchr::memmem::find(text.as_bytes(), head.as_bytes()).is_some())
    }

    /// Whether every key that begins so may be a test key: `SCOPE_TEST_` of `f"SCOPE_TEST_{name}"`.
    pub fn is_test_prefix(&self, prefix: &str) -> bool {
        !prefix.is_empty() && self.test_keys.is_match(format!("{prefix}X"))
    }

    /// Whether the key is compared across ranks, in the source or by declaration.
    pub fn is_parity_checked(&self, key: &str) -> bool {
        self.checked_keys.contains(key) || self.checked.is_match(key)
    }

    /// Whether the function takes part in comparing keys across ranks.
    pub fn is_checker(&self, function: FunctionId) -> bool {
        self.checkers.contains(&function)
    }

    /// Whether ranks compare what they read from the environment anywhere, or the project says that they do.
    pub fn has_parity_check(&self) -> bool {
        self.is_declared || self.checks.iter().any(|check| check.of_environment)
    }

    /// The keys that are read anywhere in the program and begin with the same word.
    pub fn family<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let word = key.split('_').next().unwrap_or_default();
        let reads = self.accesses.iter().filter(|access| access.is_read());
        let keys: BTreeSet<&str> = reads.filter_map(|access| access.key.whole()).collect();
        keys.into_iter().filter(move |other| other.split_once('_').is_some_and(|parts| parts.0 == word))
    }

    /// The parity checks found in the source.
    pub fn checks(&self) -> &[ParityCheck] {
        &self.checks
    }
}

fn globs(patterns: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        builder.add(glob);
    }
    builder.build().unwrap_or_default()
}
