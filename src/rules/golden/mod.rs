//! Staged operators are judged against one self-contained golden each (spec 003).
//!
//! What the rules share: which judge a file is, and which phases' goldens it names, in whatever way.

use crate::base::{FileId, Span, Symbol};
use crate::graph::{ModuleName, Part, Program};
use crate::model::LocalFunction;

mod cross_phase_golden_import;
mod golden_module_table;
mod hybrid_composition;
mod reference;

pub use cross_phase_golden_import::RULE as CROSS_PHASE_GOLDEN_IMPORT;
pub use golden_module_table::RULE as GOLDEN_MODULE_TABLE;
pub use hybrid_composition::RULE as HYBRID_COMPOSITION;

/// What a file is to a staged operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role<'a> {
    /// `eval/adversarial_runner.py` and what stands beside it: the phase is chosen by `--up-to-module`.
    Runner,
    /// `test_<op>_module<suffix>.py`
    Test(&'a str),
    /// `<op>_module<suffix>_golden.py`
    Golden(&'a str),
}

impl Role<'_> {
    /// The role of the file at `path`; absent for files that judge nothing.
    fn of(path: &str) -> Option<Role<'_>> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.strip_suffix(".py")?;
        if let Some(name) = ModuleName::parse(stem) {
            return (name.part == Part::Golden).then_some(Role::Golden(name.suffix));
        }
        if let Some((_, suffix)) = stem.strip_prefix("test_").and_then(|rest| rest.rsplit_once("_module"))
            && !suffix.is_empty()
            && suffix.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Some(Role::Test(suffix));
        }
        let in_eval = folder.rsplit('/').next() == Some("eval");
        (stem == "adversarial_runner" || in_eval).then_some(Role::Runner)
    }
}

/// The role of a file of the program, and whether it can be of interest at all: its text names goldens.
fn role(program: &Program, file: FileId) -> Option<Role<'_>> {
    let entry = program.file(file);
    let role = Role::of(&entry.path)?;
    memchr::memmem::find(entry.text.as_bytes(), b"golden")
        .map(|_| role)
        .or_else(|| memchr::memmem::find(entry.text.as_bytes(), b"GOLDEN").map(|_| role))
}

/// The golden that a name or text names: `attn_module12_golden`, `modules/attn_module12_golden.py`.
fn golden_named(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find("_module") {
        let digits = &rest[at + "_module".len()..];
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let after = &digits[length..];
        if length > 0
            && after.starts_with("_golden")
            && !after["_golden".len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
        {
            return Some(&digits[..length]);
        }
        rest = digits;
    }
    None
}

/// A golden named in a file.
#[derive(Clone, Copy, Debug)]
struct Named {
    suffix: Symbol,
    span: Span,
    function: LocalFunction,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_told_by_paths() {
        assert_eq!(Role::of("custom/a/eval/adversarial_runner.py"), Some(Role::Runner));
        assert_eq!(Role::of("custom/a/modules/test_a_module12.py"), Some(Role::Test("12")));
        assert_eq!(Role::of("a_module123_golden.py"), Some(Role::Golden("123")));
        assert_eq!(Role::of("a_module123_impl.py"), None);
        assert_eq!(Role::of("tests/test_a.py"), None);
    }

    #[test]
    fn goldens_are_found_in_texts() {
        assert_eq!(golden_named("modules/a_module12_golden.py"), Some("12"));
        assert_eq!(golden_named("from a_module1_golden import *"), Some("1"));
        assert_eq!(golden_named("a_module_golden"), None);
        assert_eq!(golden_named("a_module1_goldens"), None);
        assert_eq!(golden_named("a_golden"), None);
    }
}
