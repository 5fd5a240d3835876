//! Functions of scripts that nobody calls: what was left there runs nowhere.

use crate::base::FunctionId;
use crate::model::{File, FunctionKind, Stmt};

use super::messages::is_main_test;
use super::program::Program;

/// Whether a file that is run as a script defines the function, and nothing in it or in what may import it names that.
///
/// Methods of a class with bases may be called by those, and what is decorated by what it is registered with.
pub(super) fn is_left_over(program: &Program, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let definition = model.function(local);
    let parent = definition.parent.map(|parent| model.function(parent).kind);
    let has_bases = definition.class.is_some_and(|class| !model.list(model.class(class).bases).is_empty());
    let name = definition.name.as_str();
    definition.kind == FunctionKind::Def
        && matches!(parent, Some(FunctionKind::Module | FunctionKind::ClassBody))
        && model.list(definition.decorators).is_empty()
        && !has_bases
        && !name.starts_with("__")
        && is_script(model)
        && {
            let stem = stem(&program.file(file).path);
            let own = |at: usize| at == definition.name_span.start as usize;
            program.file_ids().filter(|&other| program.same_tree(file, other)).all(|other| {
                let text = &*program.file(other).text;
                match other == file {
                    true => words(text, name).all(own),
                    false => words(text, stem).next().is_none() || words(text, name).next().is_none(),
                }
            })
        }
}

/// Whether the file says what it does when it is run.
fn is_script(model: &File) -> bool {
    let body = model.function(model.module()).body;
    model
        .block(body)
        .iter()
        .any(|&stmt| matches!(model.stmt(stmt), Stmt::If { test, .. } if is_main_test(model, *test)))
}

/// The name by which a file is imported.
fn stem(path: &str) -> &str {
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    file.strip_suffix(".py").unwrap_or(file)
}

/// Where a name stands in a text as a word of its own.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let of_a_name = |byte: Option<&u8>| byte.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, name.as_bytes()).filter(move |&at| {
        !of_a_name(at.checked_sub(1).and_then(|before| bytes.get(before))) && !of_a_name(bytes.get(at + name.len()))
    })
}
