//! Calls that fail when somebody else has done the same a moment before.

use rustc_hash::FxHashSet;

use crate::base::{FileId, Symbol};
use crate::graph::program::Program;
use crate::model::{Call, Expr, ExprId, File, LocalFunction};

/// A function of a library, the argument that lets it pass, and whether it makes something.
const FUNCTIONS: [(&str, Option<&str>, bool); 11] = [
    ("os.mkdir", None, true),
    ("os.makedirs", Some("exist_ok"), true),
    ("os.symlink", None, true),
    ("os.remove", None, false),
    ("os.unlink", None, false),
    ("os.rmdir", None, false),
    ("os.removedirs", None, false),
    ("os.rename", None, false),
    ("os.replace", None, false),
    ("shutil.rmtree", Some("ignore_errors"), false),
    ("shutil.move", None, false),
];

/// The same, of methods of paths.
const METHODS: [(&str, Option<&str>, bool); 5] = [
    ("mkdir", Some("exist_ok"), true),
    ("symlink_to", None, true),
    ("unlink", Some("missing_ok"), false),
    ("rmdir", None, false),
    ("rename", None, false),
];

/// What is done to a path.
#[derive(Clone, Copy)]
pub(super) struct Deed {
    /// The name of what is called.
    pub call: Symbol,
    /// The call.
    pub expr: ExprId,
    /// The path.
    pub path: ExprId,
    /// Whether something is made there.
    pub creates: bool,
}

/// The calls that are looked for.
pub(super) struct Deeds {
    names: FxHashSet<Symbol>,
}

impl Deeds {
    pub fn new() -> Deeds {
        let functions = FUNCTIONS.iter().map(|(name, ..)| name.rsplit('.').next().unwrap_or(name));
        let names = functions.chain(METHODS.iter().map(|(name, ..)| *name)).map(Symbol::new);
        Deeds { names: names.collect() }
    }

    /// Whether a call of that name may be one.
    pub fn are_named(&self, name: Symbol) -> bool {
        self.names.contains(&name)
    }

    /// What a call does to a path, if it fails where somebody else has done it.
    pub fn deed(
        &self,
        program: &Program,
        file: FileId,
        function: LocalFunction,
        expr: ExprId,
        call: Call,
    ) -> Option<Deed> {
        let model = &program.file(file).model;
        let name = model.last_name(call.callee).filter(|&name| self.are_named(name))?;
        // Something spread over the arguments may let it pass.
        if model.keywords(call).iter().any(|keyword| keyword.name.is_none()) {
            return None;
        }
        let known = program.resolve(file, function, call.callee);
        let of_library = known.and_then(|known| FUNCTIONS.iter().find(|(name, ..)| *name == known.as_str()));
        if let Some(&(_, passes, creates)) = of_library {
            let path = *model.list(call.args).first()?;
            return (!lets_pass(model, call, passes)).then_some(Deed { call: name, expr, path, creates });
        }
        if known.is_some() {
            return None;
        }
        let Expr::Attribute { value, .. } = model.expr(call.callee) else { return None };
        let &(_, passes, creates) = METHODS.iter().find(|(method, ..)| *method == name.as_str())?;
        (!lets_pass(model, call, passes)).then_some(Deed { call: name, expr, path: value, creates })
    }
}

/// Whether the call is told to pass over what is there, or is not.
fn lets_pass(model: &File, call: Call, argument: Option<&str>) -> bool {
    let Some(argument) = argument else { return false };
    let by_name =
        model.keywords(call).iter().find(|keyword| keyword.name.is_some_and(|name| name.as_str() == argument));
    match by_name {
        Some(keyword) => model.expr(keyword.value) != Expr::Bool(false),
        // `os.makedirs(path, mode, exist_ok)`, `shutil.rmtree(path, ignore_errors)`: more than the path is given by place.
        None => model.list(call.args).len() > 1,
    }
}
