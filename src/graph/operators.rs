//! Staged operators (spec 003): their names, `<op>_module<suffix>_golden`, and the folders they live in.

use rustc_hash::{FxHashMap, FxHashSet};

use super::program::Program;

/// What a file or function of a staged operator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The reference.
    Golden,
    /// The staged kernel.
    Impl,
    /// The function of an impl that a runner calls.
    Wrapper,
}

/// The name of one phase's golden, impl or wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleName<'a> {
    /// The operator.
    pub op: &'a str,
    /// The digits after `_module`, such as `123` for the phase of three modules.
    pub suffix: &'a str,
    /// Which of its files or functions.
    pub part: Part,
}

impl<'a> ModuleName<'a> {
    /// Reads the last component of `name`: `attention_module12_golden`.
    pub fn parse(name: &'a str) -> Option<ModuleName<'a>> {
        let last = name.rsplit(['.', '/']).next()?;
        let (head, part) = [("_golden", Part::Golden), ("_impl", Part::Impl), ("_wrapper", Part::Wrapper)]
            .into_iter()
            .find_map(|(ending, part)| Some((last.strip_suffix(ending)?, part)))?;
        let (op, suffix) = head.rsplit_once("_module")?;
        let sound = !op.is_empty() && !suffix.is_empty() && suffix.bytes().all(|byte| byte.is_ascii_digit());
        sound.then_some(ModuleName { op, suffix, part })
    }

    /// The last phase that a cumulative suffix covers: 3 for `123`, 10 for `12345678910`.
    /// Absent when the digits do not count up from 1.
    pub fn phase(self) -> Option<u32> {
        let mut rest = self.suffix;
        let mut phase = 0;
        while !rest.is_empty() {
            phase += 1;
            rest = rest.strip_prefix(&phase.to_string())?;
        }
        Some(phase)
    }
}

/// The folders of staged operators, told by what lies in them.
#[derive(Debug, Default)]
pub struct OperatorFolders {
    folders: FxHashSet<String>,
}

impl OperatorFolders {
    /// Finds them: `eval/adversarial_runner.py`, phases under `modules/`, or a golden beside its impl.
    pub fn of(program: &Program) -> OperatorFolders {
        let mut folders = FxHashSet::default();
        let mut pairs: FxHashMap<(&str, &str), (bool, bool)> = FxHashMap::default();
        for file in &program.files {
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            let Some(stem) = name.strip_suffix(".py") else { continue };
            if stem == "adversarial_runner" && last_component(folder) == "eval" {
                folders.insert(above(folder).to_owned());
            } else if ModuleName::parse(stem).is_some() {
                folders.insert(if last_component(folder) == "modules" { above(folder) } else { folder }.to_owned());
            } else if let Some(op) = stem.strip_suffix("_golden") {
                pairs.entry((folder, op)).or_default().0 = true;
            } else if let Some(op) = stem.strip_suffix("_impl") {
                pairs.entry((folder, op)).or_default().1 = true;
            }
        }
        folders.extend(
            pairs.into_iter().filter(|(_, found)| *found == (true, true)).map(|((folder, _), _)| folder.to_owned()),
        );
        OperatorFolders { folders }
    }

    /// All of them, by name.
    pub fn all(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.folders.iter().map(String::as_str).collect();
        all.sort_unstable();
        all
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// The operator folder that a path lies in, the innermost one.
    pub fn of_path<'a>(&self, path: &'a str) -> Option<&'a str> {
        if self.folders.is_empty() {
            return None;
        }
        let mut folder = path;
        while !folder.is_empty() {
            folder = above(folder);
            if self.folders.contains(folder) {
                return Some(folder);
            }
        }
        None
    }
}

fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_phases_are_read() {
        let name = ModuleName::parse("modules.delta_rule_module123_golden").expect("a golden");
        assert_eq!((name.op, name.suffix, name.part, name.phase()), ("delta_rule", "123", Part::Golden, Some(3)));
        assert_eq!(ModuleName::parse("x_module12345678910_impl").and_then(ModuleName::phase), Some(10));
        assert_eq!(ModuleName::parse("x_module2_golden").expect("a golden").phase(), None);
        assert_eq!(ModuleName::parse("attention_golden"), None);
        assert_eq!(ModuleName::parse("my_module_golden"), None);
    }
}
