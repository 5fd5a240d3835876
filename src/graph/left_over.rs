//! What nobody calls any more: functions of scripts, what a program with scripts names nowhere, or in comments alone, and
//! what stands in a file that cannot be imported. What was left there runs nowhere.

use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::model::{Call, Class, Expr, File, FunctionKind, LocalClass, LocalFunction, Stmt, StmtId, each_statement};

use super::messages::is_main_test;
use super::program::Program;
use super::resolve::Target;

/// Whether nobody calls the function, as far as it can be seen.
pub fn is_left_over(program: &Program, function: FunctionId) -> bool {
    is_defined_again(program, function)
        || is_left_in_a_script(program, function)
        || is_named_nowhere(program, function)
        || is_for_objects_nobody_makes(program, function)
        || is_in_a_copy_nobody_imports(program, function)
        || is_named_once_at_home(program, function)
        || is_in_a_broken_file(program, function)
        || builds_what_is_refused(program, program.locate(function).0)
}

/// Whether the same block defines something else of that name further down, and nothing says the name in between.
fn is_defined_again(program: &Program, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let definition = model.function(local);
    let Some(home) = definition.parent.map(|parent| model.function(parent)) else { return false };
    let is_plain = |one: LocalFunction| {
        let one = model.function(one);
        one.kind == FunctionKind::Def && model.list(one.decorators).is_empty()
    };
    let defined = model.block(home.body).iter().filter_map(|&stmt| match model.stmt(stmt) {
        Stmt::Function(one) => Some(*one),
        _ => None,
    });
    let mut later = defined.skip_while(|&one| one != local).skip(1);
    let is_again = |&one: &LocalFunction| model.function(one).name == definition.name && is_plain(one);
    let Some(again) = later.find(is_again).filter(|_| is_plain(local)).map(|again| model.function(again).span) else {
        return false;
    };
    let between = &program.file(file).text[definition.span.end as usize..again.start as usize];
    words(between, definition.name.as_str()).next().is_none()
}

/// Whether the file of the function begins by importing a module of its own package that is not there, and no other file
/// names that file: who imports it fails.
fn is_in_a_broken_file(program: &Program, function: FunctionId) -> bool {
    let (file, _) = program.locate(function);
    let model = &program.file(file).model;
    let is_broken = model.block(model.function(model.module()).body).iter().any(|&stmt| match model.stmt(stmt) {
        Stmt::Import(import) => program.cannot_import(file, import),
        _ => false,
    });
    let stem = stem(&program.file(file).path);
    let mut others = program.file_ids().filter(|&other| other != file && program.same_tree(file, other));
    is_broken && !others.any(|other| words(&program.file(other).text, stem).next().is_some())
}

/// Whether a function that the rest of the file names makes, whatever is asked before, an object of a class without what that
/// requires: who runs the file fails, every rank alike, and nobody has run it for long.
fn builds_what_is_refused(program: &Program, file: FileId) -> bool {
    let model = &program.file(file).model;
    let function = |index: usize| (LocalFunction(index as u32), &model.functions[index]);
    (0..model.functions.len()).map(function).any(|(local, definition)| {
        let is_named = || {
            let mut others = model.functions.iter().filter(|other| !std::ptr::eq(*other, definition));
            others.any(|other| other.mentions.contains(&definition.name))
        };
        let is_refused = |&stmt: &StmtId| match *model.stmt(stmt) {
            Stmt::Assign { value, .. } | Stmt::Expr(value) | Stmt::Return(Some(value)) => match model.expr(value) {
                Expr::Call(call) => lacks_an_argument(program, file, local, model.call(call)),
                _ => false,
            },
            _ => false,
        };
        definition.kind == FunctionKind::Def
            && definition.parent == Some(model.module())
            && !definition.skeleton
            && model.block(definition.body).iter().any(is_refused)
            && is_named()
    })
}

/// Whether a class of the program is called without an argument for which its constructor has no default.
fn lacks_an_argument(program: &Program, file: FileId, function: LocalFunction, call: Call) -> bool {
    let model = &program.file(file).model;
    let Some(Target::Class(class)) = program.target(file, function, call.callee) else { return false };
    let (home, local) = program.locate_class(class);
    let is_plain = program.file(home).model.list(program.file(home).model.class(local).decorators).is_empty();
    let Some(constructor) = program.method(class, Symbol::new("__init__")).filter(|_| is_plain) else { return false };
    let (home, local) = program.locate(constructor);
    let definition = program.file(home).model.function(local);
    if definition.skeleton || !program.file(home).model.list(definition.decorators).is_empty() {
        return false;
    }
    let given = model.list(call.args);
    let spreads = given.iter().any(|&given| matches!(model.expr(given), Expr::Starred(_)))
        || model.keywords(call).iter().any(|keyword| keyword.name.is_none());
    let named = |name: Symbol| model.keywords(call).iter().any(|keyword| keyword.name == Some(name));
    !spreads && definition.lacks_an_argument(given.len(), named)
}

/// Whether a function stands in another one, or is a lambda kept under a name there, and that one says the name nowhere else.
fn is_named_once_at_home(program: &Program, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let definition = model.function(local);
    let Some(home) = definition.parent.map(|parent| model.function(parent)) else { return false };
    let name = match definition.kind {
        FunctionKind::Def if home.kind == FunctionKind::Def && model.list(definition.decorators).is_empty() => {
            definition.name
        }
        FunctionKind::Lambda => {
            let mut kept = None;
            each_statement(model, home.body, &mut |_, stmt| {
                if let Stmt::Assign { targets, value, .. } = stmt
                    && model.expr(*value) == Expr::Lambda(local)
                    && let [target] = *model.list(*targets)
                    && let Expr::Name(name) = model.expr(target)
                {
                    kept = Some(name);
                }
            });
            let Some(name) = kept.filter(|_| home.kind == FunctionKind::Def) else { return false };
            name
        }
        _ => return false,
    };
    let text = &program.file(file).text[home.span.start as usize..home.span.end as usize];
    words(text, name.as_str()).nth(1).is_none()
}

/// Whether a file that is run as a script defines the function, and nothing in it or in what may import it names that.
///
/// Methods of a class with bases may be called by those, and what is decorated by what it is registered with.
fn is_left_in_a_script(program: &Program, function: FunctionId) -> bool {
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
        && is_script(program, file)
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

/// Whether all of the program names what holds the function only where it is defined or commented out, and has scripts that
/// would: a library without any is for others.
fn is_named_nowhere(program: &Program, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let Some((name, span)) = outermost(model, local) else { return false };
    let own = program.attribute(Target::Module(file), name);
    let names_it = |other: FileId| {
        // Something else of the same name, which the file defines or imports.
        if other != file && own.is_some_and(|own| !program.may_mean(other, name, own)) {
            return false;
        }
        let text = &*program.file(other).text;
        words(text, name.as_str()).any(|at| {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let before = text[line..at].trim_start();
            // What it calls by its own name in itself is reached from there alone.
            let inside = other == file && (span.start..span.end).contains(&(at as u32));
            !inside && !before.contains('#') && !DEFINES.contains(&before.trim_end())
        })
    };
    // Most are named by some code; what speaks of them in texts alone is looked for when all code has been asked.
    let in_code = |other: &FileId| program.file(*other).model.names().may_hold(name);
    !program.file_ids().filter(in_code).any(names_it)
        && has_scripts_beside(program, file)
        && !program.file_ids().any(names_it)
}

/// Whether a function of a program with scripts is named by methods alone, of classes that nobody names: not to make an
/// object, nor as a base, nor in a text.
fn is_for_objects_nobody_makes(program: &Program, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let definition = model.function(local);
    let is_plain = definition.kind == FunctionKind::Def
        && definition.parent == Some(model.module())
        && model.list(definition.decorators).is_empty();
    if !is_plain {
        return false;
    }
    let mut by: Vec<(FileId, Option<LocalClass>)> = Vec::new();
    for other in program.file_ids().filter(|&other| program.same_tree(file, other)) {
        let other_model = &program.file(other).model;
        if !other_model.names().may_hold(definition.name) {
            continue;
        }
        for (index, namer) in other_model.functions.iter().enumerate() {
            let is_itself = other == file && index == local.0 as usize;
            if !is_itself && namer.mentions.contains(&definition.name) {
                by.push((other, namer.class));
            }
        }
    }
    by.sort_unstable();
    by.dedup();
    !by.is_empty()
        && by.iter().all(|&(home, class)| class.is_some_and(|class| nobody_names(program, home, class)))
        && has_scripts_beside(program, file)
}

/// Whether nothing that is run imports the file of the function, of a library that was copied into a program with scripts.
fn is_in_a_copy_nobody_imports(program: &Program, function: FunctionId) -> bool {
    let (file, _) = program.locate(function);
    program.is_out_of_reach(file) && has_scripts_beside(program, file)
}

/// Whether another file of the program is run as a script.
fn has_scripts_beside(program: &Program, file: FileId) -> bool {
    program.file_ids().any(|other| other != file && is_script(program, other))
}

/// Bases that keep no record of the classes derived from them.
const PLAIN_BASES: [&str; 5] = ["object", "Module", "Dataset", "ABC", "LightningModule"];

/// Whether the bases of a class are known to make no objects of what is derived from them.
fn keeps_no_record(model: &File, class: &Class) -> bool {
    model.list(class.bases).iter().all(|&base| {
        let Some(name) = model.last_name(base) else { return false };
        let before = |other: &&Class| other.name == name && other.span.end <= class.span.start;
        PLAIN_BASES.contains(&name.as_str())
            || model.classes.iter().find(before).is_some_and(|above| {
                !above.methods.iter().any(|(name, _)| name.as_str() == "__init_subclass__")
                    && model.list(above.decorators).is_empty()
                    && keeps_no_record(model, above)
            })
    })
}

/// Whether the name of a class stands nowhere in the program but in itself, where it is defined, and where it is imported.
fn nobody_names(program: &Program, home: FileId, class: LocalClass) -> bool {
    let model = &program.file(home).model;
    let class = model.class(class);
    if !model.list(class.decorators).is_empty() || !keeps_no_record(model, class) {
        return false;
    }
    let named = |other: FileId| {
        let text = &*program.file(other).text;
        words(text, class.name.as_str()).any(|at| {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let before = text[line..at].trim_start();
            let inside = other == home && (class.span.start..class.span.end).contains(&(at as u32));
            let imports = (before.starts_with("from ") || before.starts_with("import ")) && !before.contains(';');
            !inside && !imports && !before.starts_with('#')
        })
    };
    let in_code = |other: &FileId| program.file(*other).model.names().may_hold(class.name);
    !program.file_ids().filter(in_code).any(named) && !program.file_ids().any(named)
}

/// What stands before a name that is defined.
const DEFINES: [&str; 3] = ["def", "async def", "class"];

/// The name of what holds a function and stands in the file itself, and where; nothing where that is decorated, or a class
/// with bases: others may come to it by these.
fn outermost(model: &File, function: LocalFunction) -> Option<(Symbol, Span)> {
    let mut at = function;
    loop {
        let definition = model.function(at);
        let home = definition.parent?;
        if model.function(home).kind != FunctionKind::Module {
            at = home;
            continue;
        }
        let (decorators, bases) = match (definition.kind, definition.class) {
            (FunctionKind::ClassBody, Some(class)) => (model.class(class).decorators, Some(model.class(class).bases)),
            (FunctionKind::Def, _) => (definition.decorators, None),
            _ => return None,
        };
        let is_plain = model.list(decorators).is_empty() && bases.is_none_or(|bases| model.list(bases).is_empty());
        return is_plain.then_some((definition.name, definition.span));
    }
}

/// Whether the file says what it does when it is run. Of a file that was not read in full its text alone can be asked.
fn is_script(program: &Program, file: FileId) -> bool {
    let model = &program.file(file).model;
    let module = model.function(model.module());
    match module.skeleton {
        true => memchr::memmem::find(program.file(file).text.as_bytes(), b"__main__").is_some(),
        false => model
            .block(module.body)
            .iter()
            .any(|&stmt| matches!(model.stmt(stmt), Stmt::If { test, .. } if is_main_test(model, *test))),
    }
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
