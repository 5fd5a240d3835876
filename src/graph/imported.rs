//! Which files of a program are reached from what is run: by imports, whoever makes them.

use rustc_hash::FxHashSet;

use super::program::{Program, folder};
use crate::base::{FileId, Symbol};
use crate::model::Import;

/// What a file says that imports modules by names it has worked out.
const BY_NAME: [&str; 4] = ["import_module", "__import__", "pkgutil", "walk_packages"];

/// What a file says that makes objects of modules that a configuration names, wherever they lie.
const ANYWHERE: [&str; 4] = ["instantiate", "locate", "spec_from_file_location", "custom_imports"];

/// Folders around a file of a copied library: the package of a project itself lies at its root, or in `src`.
const DEPTH_OF_A_COPY: usize = 3;

/// Folders that hold copies, whether packages or not.
const COPIES: [&str; 5] = ["third_party", "thirdparty", "external", "externals", "vendor"];

/// Where the package of a project lies, if not at its root.
const SOURCES: [&str; 4] = ["src", "python", "source", "lib"];

impl Program {
    /// Whether the file lies in a package far below the root, and nothing that does not lie so imports it, or what imports
    /// it: of a library that was copied there, something else is used.
    pub(super) fn is_out_of_reach(&self, file: FileId) -> bool {
        self.lies_deep(file) && !self.imported.get_or_init(|| self.find_imported()).contains(&file)
    }

    fn lies_deep(&self, file: FileId) -> bool {
        let entry = self.file(file);
        let path = &*entry.path;
        // What is not shown from the working directory has folders around it that say nothing.
        let is_outside = path.starts_with(['/', '.']) || path.contains(':');
        let around = self.modules.around_packages(file);
        let outermost = path.split('/').next().unwrap_or_default();
        let is_own = around == 0 && !COPIES.contains(&outermost) || around == 1 && SOURCES.contains(&outermost);
        !is_outside
            && !is_own
            && path.matches('/').count() >= DEPTH_OF_A_COPY
            && self.modules.package(folder(path)).is_some()
            && memchr::memmem::find(entry.text.as_bytes(), b"__main__").is_none()
    }

    fn find_imported(&self) -> FxHashSet<FileId> {
        let mut out: FxHashSet<FileId> = self.file_ids().filter(|&file| !self.lies_deep(file)).collect();
        let mut pending: Vec<FileId> = out.iter().copied().collect();
        while let Some(from) = pending.pop() {
            let entry = self.file(from);
            let mut found = self.imported_by(from);
            let says = |word: &&str| entry.model.names().may_hold(Symbol::new(word)) && entry.text.contains(word);
            if ANYWHERE.iter().any(says) {
                return self.file_ids().collect();
            }
            if BY_NAME.iter().any(says) {
                let around = folder(&entry.path);
                let lies_there = |&file: &FileId| {
                    around.is_empty()
                        || self.file(file).path.strip_prefix(around).is_some_and(|rest| rest.starts_with('/'))
                };
                found.extend(self.file_ids().filter(lies_there));
            }
            pending.extend(found.into_iter().filter(|&file| out.insert(file)));
        }
        out
    }

    /// What a file imports itself.
    pub(super) fn imported_by(&self, from: FileId) -> Vec<FileId> {
        self.file(from).model.imports.iter().flat_map(|(_, import)| self.modules_of(from, import)).collect()
    }

    /// The modules that an import may be of, with the packages around them, which are imported on the way.
    fn modules_of(&self, from: FileId, import: &Import) -> Vec<FileId> {
        let names = import.names.iter().map(|alias| alias.name);
        let dotted: Vec<Symbol> = match import.module.filter(|_| import.from) {
            Some(module) => {
                let below = names.map(|name| Symbol::new(&format!("{module}.{name}")));
                std::iter::once(module).chain(below).collect()
            }
            None => names.collect(),
        };
        let find = |module: Symbol| match import.level {
            0 => self.modules.find(from, module),
            level => self.modules.find_relative(from, level, module),
        };
        let found = dotted.into_iter().filter_map(find);
        found.flat_map(|file| std::iter::once(file).chain(self.packages_around(file))).collect()
    }

    /// The `__init__.py` of the folders around a file.
    fn packages_around(&self, file: FileId) -> Vec<FileId> {
        let mut out = Vec::new();
        let mut around = folder(&self.file(file).path);
        while !around.is_empty() {
            out.extend(self.modules.package(around));
            around = folder(around);
        }
        out
    }
}
