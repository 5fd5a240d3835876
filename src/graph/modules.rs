//! Which file an import means: packages, `src` layouts, namespace packages, sibling scripts.

use std::sync::RwLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, Symbol};

use super::program::FileEntry;

/// The files of the program by module name.
pub struct Modules {
    /// For each file its path's components without the suffix; `__init__` is dropped.
    paths: Vec<Vec<Symbol>>,
    /// How many leading components of the path lie above the topmost package.
    roots: Vec<usize>,
    by_last: FxHashMap<Symbol, Vec<FileId>>,
    by_path: FxHashMap<Box<[Symbol]>, FileId>,
    is_package: Vec<bool>,
    /// The folder of each file, by number.
    folders: Vec<u32>,
    /// Names of libraries, each with modules in it: what they mean is installed, whatever is called the same somewhere inside
    /// a package, or holds none of these modules.
    libraries: FxHashMap<Symbol, FxHashSet<Symbol>>,
    /// Folders that may not have been fetched.
    unfetched: Vec<Vec<Symbol>>,
    found: RwLock<FxHashMap<(u32, Symbol), Option<FileId>>>,
    found_relative: RwLock<FxHashMap<(FileId, u32, Symbol), Option<FileId>>>,
}

impl Modules {
    /// Indexes the files by the components of their paths; `known` are the names of what the catalogue speaks of, in libraries,
    /// `unfetched` folders of which it is not known what is in them.
    pub fn new(files: &[FileEntry], known: impl Iterator<Item = Symbol>, unfetched: &[String]) -> Modules {
        let mut libraries: FxHashMap<Symbol, FxHashSet<Symbol>> = FxHashMap::default();
        for name in known {
            let mut parts = name.as_str().split('.').map(Symbol::new);
            let Some(library) = parts.next() else { continue };
            let modules = libraries.entry(library).or_default();
            // The last part is something in a module.
            if let (Some(module), Some(_)) = (parts.next(), parts.next()) {
                modules.insert(module);
            }
        }
        let init = Symbol::new("__init__");
        let mut paths = Vec::with_capacity(files.len());
        let mut is_package = Vec::with_capacity(files.len());
        let mut packages: FxHashSet<Vec<Symbol>> = FxHashSet::default();
        for file in files {
            let stem = file.path.strip_suffix(".py").or(file.path.strip_suffix(".pyi")).unwrap_or(&file.path);
            let mut parts: Vec<Symbol> =
                stem.split('/').filter(|part| !part.is_empty() && *part != ".").map(Symbol::new).collect();
            let package = parts.last() == Some(&init);
            if package {
                parts.pop();
                packages.insert(parts.clone());
            }
            paths.push(parts);
            is_package.push(package);
        }
        let mut by_last: FxHashMap<Symbol, Vec<FileId>> = FxHashMap::default();
        let mut roots = Vec::with_capacity(files.len());
        for (index, parts) in paths.iter().enumerate() {
            if let Some(&last) = parts.last() {
                by_last.entry(last).or_default().push(FileId(index as u32));
            }
            let mut root = if is_package[index] { parts.len() } else { parts.len().saturating_sub(1) };
            while root > 0 && packages.contains(&parts[..root]) {
                root -= 1;
            }
            roots.push(root);
        }
        let mut by_path = FxHashMap::default();
        let mut numbers: FxHashMap<&[Symbol], u32> = FxHashMap::default();
        let mut folders = Vec::with_capacity(paths.len());
        for (index, parts) in paths.iter().enumerate() {
            by_path.entry(parts.clone().into_boxed_slice()).or_insert(FileId(index as u32));
            let next = numbers.len() as u32;
            folders.push(*numbers.entry(&parts[..parts.len().saturating_sub(1)]).or_insert(next));
        }
        Modules {
            roots,
            by_last,
            by_path,
            is_package,
            folders,
            libraries,
            unfetched: unfetched.iter().map(|folder| folder.split('/').map(Symbol::new).collect()).collect(),
            found: RwLock::default(),
            found_relative: RwLock::default(),
            paths,
        }
    }

    /// The module's dotted name below the topmost package.
    pub fn name(&self, file: FileId) -> Symbol {
        let parts = &self.paths[file.index()];
        join(&parts[self.roots[file.index()].min(parts.len().saturating_sub(1))..])
    }

    /// The module's dotted name from the working directory down: the longest name anybody could import it by.
    pub fn long_name(&self, file: FileId) -> Symbol {
        join(&self.paths[file.index()])
    }

    /// How many folders lie around the topmost package that a file is in.
    pub fn around_packages(&self, file: FileId) -> usize {
        self.roots[file.index()]
    }

    /// The file that makes a folder a package.
    pub fn package(&self, folder: &str) -> Option<FileId> {
        let parts: Vec<Symbol> = folder.split('/').filter(|part| !part.is_empty()).map(Symbol::new).collect();
        let file = *self.by_path.get(parts.as_slice())?;
        self.is_package[file.index()].then_some(file)
    }

    /// Whether a file lies in the folder that holds the topmost package around another one, or below it.
    pub fn is_beside(&self, file: FileId, other: FileId) -> bool {
        let parts = &self.paths[other.index()];
        self.paths[file.index()].starts_with(&parts[..self.roots[other.index()].min(parts.len())])
    }

    /// The file that `dotted` means when `importer` imports it.
    pub fn find(&self, importer: FileId, dotted: Symbol) -> Option<FileId> {
        let key = (self.folders[importer.index()], dotted);
        if let Some(&known) = self.found.read().expect("no thread panics while resolving").get(&key) {
            return known;
        }
        let found = self.search(importer, dotted.as_str());
        self.found.write().expect("no thread panics while resolving").insert(key, found);
        found
    }

    fn search(&self, importer: FileId, dotted: &str) -> Option<FileId> {
        let last = dotted.rsplit('.').next().map(Symbol::new)?;
        if !self.by_last.contains_key(&last) {
            return None;
        }
        let parts: Vec<Symbol> = dotted.split('.').map(Symbol::new).collect();
        let candidates = self.by_last.get(parts.last()?)?;
        let from = &self.paths[importer.index()];
        candidates
            .iter()
            .copied()
            .filter(|&file| {
                let path = &self.paths[file.index()];
                path.ends_with(&parts)
                    && (parts.len() > 1 || self.reaches(importer, file))
                    && (!self.libraries.contains_key(&parts[0])
                        || self.may_begin(importer, file, path.len() - parts.len()))
            })
            .max_by_key(|&file| {
                let path = &self.paths[file.index()];
                let common = path.iter().zip(from).take_while(|(one, other)| one == other).count();
                (common, std::cmp::Reverse(path.len()), std::cmp::Reverse(file))
            })
    }

    /// The file that a relative import means: `level` dots, then `dotted`.
    pub fn find_relative(&self, importer: FileId, level: u32, dotted: Symbol) -> Option<FileId> {
        let key = (importer, level, dotted);
        if let Some(&known) = self.found_relative.read().expect("no thread panics while resolving").get(&key) {
            return known;
        }
        let found = self.search_relative(importer, level, dotted.as_str());
        self.found_relative.write().expect("no thread panics while resolving").insert(key, found);
        found
    }

    fn search_relative(&self, importer: FileId, level: u32, dotted: &str) -> Option<FileId> {
        let path = self.relative(importer, level, dotted)?;
        self.by_path.get(path.as_slice()).copied()
    }

    /// Whether a module is missing that `importer` imports from a folder of its own package: the folder has files, and no such
    /// one. A folder right below the topmost package is taken for one that may be put together of several places.
    pub fn lacks(&self, importer: FileId, level: u32, dotted: Symbol) -> bool {
        let found = match level {
            0 => self.find(importer, dotted),
            level => self.find_relative(importer, level, dotted),
        };
        if found.is_some() {
            return false;
        }
        let own = &self.paths[importer.index()];
        let holds = |folder: &[Symbol]| self.paths.iter().any(|file| file.starts_with(folder));
        let is_gap = |path: &[Symbol], least: usize| {
            let folder = path.split_last().map(|(_, folder)| folder).filter(|folder| folder.len() >= least);
            let is_unfetched = || self.unfetched.iter().any(|folder| path.starts_with(folder));
            folder.is_some_and(|folder| !holds(path) && holds(folder)) && !is_unfetched()
        };
        if level > 0 {
            return self.relative(importer, level, dotted.as_str()).is_some_and(|path| is_gap(&path, 1));
        }
        let parts: Vec<Symbol> = dotted.as_str().split('.').map(Symbol::new).collect();
        let above = |at: &usize| own[*at] == parts[0];
        let mut paths = (0..own.len()).filter(above).map(|at| (at, [&own[..at], &parts].concat())).peekable();
        // A package may have the name of the folder it lies in.
        paths.peek().is_some()
            && !paths.clone().any(|(_, path)| holds(&path))
            && paths.any(|(at, path)| is_gap(&path, at + 2))
    }

    /// The dotted name that a relative import means, from the topmost package down.
    pub fn relative_name(&self, importer: FileId, level: u32, dotted: &str) -> Option<Symbol> {
        let path = self.relative(importer, level, dotted)?;
        let root = self.roots[importer.index()].min(path.len());
        Some(join(&path[root..]))
    }

    fn relative(&self, importer: FileId, level: u32, dotted: &str) -> Option<Vec<Symbol>> {
        let own = &self.paths[importer.index()];
        let up = level as usize - usize::from(self.is_package[importer.index()]);
        let mut path = own[..own.len().checked_sub(up)?].to_vec();
        path.extend(dotted.split('.').filter(|part| !part.is_empty()).map(Symbol::new));
        Some(path)
    }

    /// Whether an absolute import in `importer` can begin with the component `at` of a file's path: at the topmost package or
    /// above it, or beside the importer. A copy of a library inside a package has a longer name.
    fn may_begin(&self, importer: FileId, file: FileId, at: usize) -> bool {
        let (from, path) = (&self.paths[importer.index()], &self.paths[file.index()]);
        at <= self.roots[file.index()] || from[..from.len().saturating_sub(1)] == path[..at]
    }

    /// Whether a folder, if it is called as a library is, holds one of the modules of that; right below the working directory
    /// it is taken at its name.
    fn is_library(&self, folder: &[Symbol]) -> bool {
        let modules = folder.last().and_then(|library| self.libraries.get(library));
        let holds = |&module: &Symbol| self.by_path.contains_key([folder, &[module]].concat().as_slice());
        folder.len() < 2 || modules.is_none_or(|modules| modules.is_empty() || modules.iter().any(holds))
    }

    /// Whether a plain `import name` in `importer` can mean `file`: a sibling, or a top-level module.
    fn reaches(&self, importer: FileId, file: FileId) -> bool {
        let (from, path) = (&self.paths[importer.index()], &self.paths[file.index()]);
        let top_level =
            self.roots[file.index()] == path.len() - 1 && self.is_package[file.index()] && self.is_library(path);
        let sibling = !from.is_empty() && from[..from.len() - 1] == path[..path.len() - 1];
        top_level || sibling || path.len() == 1
    }
}

fn join(parts: &[Symbol]) -> Symbol {
    let texts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
    Symbol::new(&texts.join("."))
}
