//! What a program tells about itself: what `init` writes into a configuration.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{LineIndex, Site};
use crate::catalog::OperationKind;
use crate::graph::{Access, Program, collective_issues};

/// A function of more statements is no mere wrapper.
const WRAPPER: usize = 6;

/// Something that was found, and where: `path:line`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Detail {
    /// The place.
    pub place: String,
    /// What is there.
    pub what: String,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// Patterns of environment keys that only tests seem to set.
    pub test_keys: BTreeSet<String>,
    /// Where ranks compare environment keys, and which.
    pub compared: Vec<Detail>,
    /// Such keys that are read and compared nowhere, and where first.
    pub uncompared: Vec<Detail>,
    /// Where process groups are made.
    pub groups: Vec<Detail>,
    /// Short functions that issue a collective.
    pub wrappers: Vec<Detail>,
    /// Folders of operators with their goldens.
    pub operators: Vec<String>,
}

impl Detected {
    /// Looks at a program.
    pub fn in_program(program: &Program) -> Detected {
        let mut found = Detected::default();
        found.environment(program);
        for file in program.file_ids() {
            let entry = program.file(file);
            for (local, issue) in collective_issues(program, file) {
                let function = &entry.model.functions[local.0 as usize];
                let symbol = program.symbol_of(file, local);
                let place = place(program, issue.site);
                let op = issue.op.as_str();
                if issue.kind == OperationKind::GroupCreation {
                    let within = if symbol.is_empty() { String::new() } else { format!(" in {symbol}") };
                    found.groups.push(Detail { place, what: format!("{op}{within}") });
                } else if !symbol.is_empty() && !issue.implicit && entry.model.block(function.body).len() <= WRAPPER {
                    let module = program.module_name(file);
                    found.wrappers.push(Detail { place, what: format!("{module}.{symbol} issues {op}") });
                }
            }
        }
        found.operators = program.operators().all().into_iter().map(str::to_owned).collect();
        for list in [&mut found.compared, &mut found.groups, &mut found.wrappers] {
            list.sort();
            list.dedup();
        }
        // A wrapper may issue in several places; one of them tells which it is.
        let mut known = BTreeSet::new();
        found.wrappers.retain(|wrapper| known.insert(wrapper.what.clone()));
        found
    }

    fn environment(&mut self, program: &Program) {
        let environment = program.environment();
        let accesses = || program.file_ids().flat_map(|file| environment.in_file(file));
        // Ranks compare other things by name as well, such as the losses of two models.
        let known: BTreeSet<&str> = accesses().filter_map(|access| access.key.whole()).collect();
        for check in environment.checks() {
            let is_key = |key: &&String| key.contains('*') || known.contains(key.as_str());
            let keys: Vec<&str> = check.keys.iter().filter(is_key).map(String::as_str).collect();
            if !keys.is_empty() {
                self.compared.push(Detail { place: place(program, check.site), what: keys.join(", ") });
            }
        }
        let mut first: BTreeMap<&str, &Access> = BTreeMap::new();
        for access in accesses() {
            let Some(pattern) = access.key.prefix().and_then(test_pattern) else { continue };
            self.test_keys.insert(pattern);
            if let Some(key) = access.key.whole().filter(|key| access.is_read() && !environment.is_parity_checked(key))
            {
                first.entry(key).or_insert(access);
            }
        }
        for (key, access) in first {
            self.uncompared.push(Detail { place: place(program, access.site()), what: key.to_owned() });
        }
    }
}

/// The pattern of a key that only tests set: `ACME_TEST_*` of `ACME_TEST_DROP`.
fn test_pattern(key: &str) -> Option<String> {
    let parts: Vec<&str> = key.split('_').collect();
    let (last, before) = parts.split_last()?;
    let test = before.iter().position(|part| *part == "TEST")?;
    let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (plain && !(test + 1 == before.len() && last.is_empty() && test == 0))
        .then(|| format!("{}_*", parts[..=test].join("_")))
}

fn place(program: &Program, site: Site) -> String {
    let entry = program.file(site.file);
    format!("{}:{}", entry.path, LineIndex::new(&entry.text).line(site.span.start))
}

#[cfg(test)]
mod tests {
    use super::test_pattern;

    #[test]
    fn test_keys_are_told_by_their_name() {
        let pattern = |key| test_pattern(key).unwrap_or_default();
        assert_eq!(pattern("ACME_TEST_DROP_RANK"), "ACME_TEST_*");
        assert_eq!(pattern("TEST_DROP"), "TEST_*");
        assert_eq!(pattern("ACME_TEST_"), "ACME_TEST_*");
        for key in ["PYTEST_CURRENT_TEST", "WORLD_SIZE", "LATEST_STEP", "TEST_", "", "A*_TEST_B"] {
            assert_eq!(pattern(key), "", "{key}");
        }
    }
}
