//! Holds the direction of the layers: it reads the `crate::` uses of `src`, and each may only look down.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// The layers, the lowest first. A layer uses itself and those before it.
const LAYERS: &[&str] = &[
    "base",
    "finding",
    "source",
    "config",
    "syntax",
    "model",
    "vocabulary",
    "flow",
    "catalog",
    "graph",
    "rules",
    "meta",
    "analyze",
    "triage",
    "fix",
    "verify",
    "report",
    "cache",
    "project",
    "lsp",
    "cli",
];

/// Uses that would look down, and are still not wanted.
const FORBIDDEN: &[(&str, &str)] =
    &[("rules", "config"), ("rules", "source"), ("graph", "config"), ("graph", "source"), ("graph", "syntax")];

#[derive(Default)]
struct Uses {
    modules: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter();
        if segments.next().is_some_and(|first| first.ident == "crate")
            && let Some(module) = segments.next()
        {
            self.modules.insert(module.ident.to_string());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if let syn::UseTree::Path(path) = &item.tree
            && path.ident == "crate"
        {
            self.tree(&path.tree);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|argument| argument.is_ident("test"))
        });
        if !is_test {
            syn::visit::visit_item_mod(self, item);
        }
    }
}

impl Uses {
    fn tree(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => _ = self.modules.insert(path.ident.to_string()),
            syn::UseTree::Name(name) => _ = self.modules.insert(name.ident.to_string()),
            syn::UseTree::Rename(name) => _ = self.modules.insert(name.ident.to_string()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree)),
            syn::UseTree::Glob(_) => panic!("`use crate::*` hides what is used"),
        }
    }
}

#[test]
fn layers_look_down_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    assert!(files.len() > 20, "the sources are found");
    let mut wrong = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&source).expect("it lies in src");
        let first = relative.components().next().expect("it has a name").as_os_str().to_string_lossy();
        let layer = first.trim_end_matches(".rs");
        if matches!(layer, "lib" | "main") {
            continue;
        }
        let Some(height) = LAYERS.iter().position(|known| *known == layer) else {
            wrong.push(format!("src/{}: `{layer}` is not in the list of layers", relative.display()));
            continue;
        };
        #[expect(clippy::disallowed_methods, reason = "the test reads our own sources")]
        let text = std::fs::read_to_string(&file).expect("our own sources are readable");
        let mut uses = Uses::default();
        uses.visit_file(&syn::parse_file(&text).expect("our own sources parse"));
        for module in uses.modules {
            let down = LAYERS.iter().position(|known| *known == module).is_some_and(|other| other <= height);
            if !down || FORBIDDEN.contains(&(layer, module.as_str())) {
                wrong.push(format!("src/{}: `{layer}` must not use `{module}`", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[expect(clippy::disallowed_methods, reason = "the test reads our own sources")]
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("src is readable")
        .map(|entry| entry.expect("src is readable").path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            rust_files(&entry, files);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
}
