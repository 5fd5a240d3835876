//! Constant folding: what a string, path or integer expression comes to, when the source says so.

use super::{BinaryOp, Expr, ExprId, File};

/// A value the source fixes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// `None`
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string whose every character is known, or a path object of that spelling.
    Str(String),
    /// A string of which only the beginning is known, such as `"/tmp/" + name`.
    Prefix(String),
}

impl Constant {
    /// The known beginning of a string.
    pub fn prefix(&self) -> Option<&str> {
        match self {
            Constant::Str(text) | Constant::Prefix(text) => Some(text),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Constant::Str(text) => Some(text.clone()),
            Constant::Int(value) => Some(value.to_string()),
            _ => None,
        }
    }
}

/// How a folded path spells the user's home folder, however the source asks for it: `Path.home()`, `os.environ["HOME"]`,
/// `expanduser`. A plain `"~/x"` that nobody expands stays what it is, a relative path.
pub const HOME: &str = "$HOME";

/// Folds `expr`. `names` gives the value of a name or a dotted attribute (a constant of this or another module);
/// calls that build paths (`Path`, `os.path.join`, `str`, `str.format`, `os.fspath`) are folded by their last name.
pub fn fold(file: &File, expr: ExprId, names: &dyn Fn(ExprId) -> Option<Constant>) -> Option<Constant> {
    fold_within(file, expr, names, 40)
}

fn fold_within(file: &File, expr: ExprId, names: &dyn Fn(ExprId) -> Option<Constant>, fuel: u32) -> Option<Constant> {
    let fuel = fuel.checked_sub(1)?;
    let again = |expr| fold_within(file, expr, names, fuel);
    match file.expr(expr) {
        Expr::None => Some(Constant::None),
        Expr::Bool(value) => Some(Constant::Bool(value)),
        Expr::Int(value) => Some(Constant::Int(i64::from(value))),
        Expr::Str(text) => Some(Constant::Str(text.as_str().to_owned())),
        Expr::Name(_) => names(expr),
        Expr::Attribute { .. } => names(expr),
        Expr::Walrus(_, value) | Expr::Await(value) => again(value),
        Expr::Format(parts) => concatenate(file.list(parts).iter().map(|&part| again(part))),
        Expr::Binary(BinaryOp::Add, left, right) => match (again(left), again(right)) {
            (Some(Constant::Int(left)), Some(Constant::Int(right))) => left.checked_add(right).map(Constant::Int),
            (left, right) => concatenate([left, right].into_iter()),
        },
        Expr::Binary(BinaryOp::Div, left, right) => join([again(left), again(right)].into_iter()),
        Expr::Binary(BinaryOp::Mod, left, _) => match again(left)? {
            Constant::Str(text) => Some(match text.split_once('%') {
                Some((head, _)) => Constant::Prefix(head.to_owned()),
                None => Constant::Str(text),
            }),
            _ => None,
        },
        Expr::Subscript(value, key) => (is_environment(file, value) && is_home_key(file, key)).then(home),
        Expr::Call(index) => {
            let call = file.call(index);
            let args = file.list(call.args);
            let last = match file.expr(call.callee) {
                Expr::Name(name) => name,
                Expr::Attribute { name, .. } => name,
                _ => return None,
            };
            match last.as_str() {
                "Path" | "PurePath" | "PosixPath" | "PurePosixPath" | "join" | "joinpath" => {
                    let receiver = match file.expr(call.callee) {
                        Expr::Attribute { value, name } if name.as_str() == "joinpath" => Some(again(value)),
                        Expr::Attribute { value, name } if name.as_str() == "join" => {
                            match file.dotted(value)?.as_str() {
                                "os.path" | "path" | "osp" | "posixpath" => None,
                                _ => return None,
                            }
                        }
                        _ => None,
                    };
                    join(receiver.into_iter().chain(args.iter().map(|&arg| again(arg))))
                }
                "str" | "fspath" | "abspath" | "realpath" | "normpath" | "expandvars" => again(*args.first()?),
                "expanduser" => {
                    let path = match (file.expr(call.callee), args.first()) {
                        (_, Some(&path)) => path,
                        (Expr::Attribute { value, .. }, None) => value,
                        _ => return None,
                    };
                    again(path).map(expand_user)
                }
                "home" => {
                    let Expr::Attribute { value, .. } = file.expr(call.callee) else { return None };
                    let class = file.dotted(value)?;
                    (class == "Path" || class.ends_with(".Path")).then(home)
                }
                "get" | "getenv" => {
                    let of_environment = match file.expr(call.callee) {
                        Expr::Attribute { value, .. } if last.as_str() == "get" => is_environment(file, value),
                        _ => last.as_str() == "getenv",
                    };
                    (of_environment && is_home_key(file, *args.first()?)).then(home)
                }
                "format" => match file.expr(call.callee) {
                    Expr::Attribute { value, .. } => match again(value)? {
                        Constant::Str(text) => Some(match text.split_once('{') {
                            Some((head, _)) => Constant::Prefix(head.to_owned()),
                            None => Constant::Str(text),
                        }),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

fn concatenate(parts: impl Iterator<Item = Option<Constant>>) -> Option<Constant> {
    let mut whole = String::new();
    for part in parts {
        match part {
            Some(Constant::Prefix(text)) => {
                whole.push_str(&text);
                return Some(Constant::Prefix(whole));
            }
            Some(part) => match part.text() {
                Some(text) => whole.push_str(&text),
                None => return known_prefix(whole),
            },
            None => return known_prefix(whole),
        }
    }
    Some(Constant::Str(whole))
}

/// Path components joined as `os.path.join` joins them: an absolute component starts afresh.
fn join(parts: impl Iterator<Item = Option<Constant>>) -> Option<Constant> {
    let mut whole = String::new();
    let mut first = true;
    for part in parts {
        let (text, complete) = match part {
            Some(Constant::Str(text)) => (text, true),
            Some(Constant::Prefix(text)) => (text, false),
            _ => {
                if !whole.is_empty() && !whole.ends_with('/') {
                    whole.push('/');
                }
                return known_prefix(whole);
            }
        };
        if text.starts_with('/') || text.starts_with(HOME) {
            whole.clear();
        } else if !first && !whole.is_empty() && !whole.ends_with('/') {
            whole.push('/');
        }
        whole.push_str(&text);
        first = false;
        if !complete {
            return known_prefix(whole);
        }
    }
    Some(Constant::Str(whole))
}

fn home() -> Constant {
    Constant::Str(HOME.to_owned())
}

fn expand_user(path: Constant) -> Constant {
    let expand = |text: String| match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{HOME}{rest}"),
        _ => text,
    };
    match path {
        Constant::Str(text) => Constant::Str(expand(text)),
        Constant::Prefix(text) => Constant::Prefix(expand(text)),
        other => other,
    }
}

fn is_environment(file: &File, expr: ExprId) -> bool {
    match file.expr(expr) {
        Expr::Name(name) | Expr::Attribute { name, .. } => name.as_str() == "environ",
        _ => false,
    }
}

fn is_home_key(file: &File, expr: ExprId) -> bool {
    matches!(file.expr(expr), Expr::Str(key) if key.as_str() == "HOME")
}

fn known_prefix(text: String) -> Option<Constant> {
    (!text.is_empty()).then_some(Constant::Prefix(text))
}

#[cfg(test)]
mod tests {
    use super::super::{Detail, Stmt, lower};
    use super::*;
    use crate::syntax::parse;

    fn folded(expression: &str) -> Option<Constant> {
        let file = lower(&parse(&format!("x = {expression}")), expression, Detail::Full);
        let body = file.function(file.module()).body;
        let Stmt::Assign { value, .. } = file.stmt(file.block(body)[0]) else { panic!("an assignment was parsed") };
        fold(&file, *value, &|name| match file.expr(name) {
            Expr::Name(name) if name.as_str() == "ROOT" => Some(Constant::Str("/tmp".to_owned())),
            _ => None,
        })
    }

    #[test]
    fn strings_and_paths_fold() {
        let whole = |text: &str| Some(Constant::Str(text.to_owned()));
        let prefix = |text: &str| Some(Constant::Prefix(text.to_owned()));
        assert_eq!(folded("'/tmp' + '/x'"), whole("/tmp/x"));
        assert_eq!(folded("f'/tmp/{name}.pt'"), prefix("/tmp/"));
        assert_eq!(folded("os.path.join(ROOT, 'a', 'b')"), whole("/tmp/a/b"));
        assert_eq!(folded("os.path.join('out', ROOT)"), whole("/tmp"));
        assert_eq!(folded("Path('/') / 'tmp' / name"), prefix("/tmp/"));
        assert_eq!(folded("'/tmp/%s' % name"), prefix("/tmp/"));
        assert_eq!(folded("'/tmp/{}'.format(name)"), prefix("/tmp/"));
        assert_eq!(folded("name + '/tmp'"), None);
        assert_eq!(folded("', '.join(names)"), None);
        assert_eq!(folded("Path.home() / 'x'"), whole("$HOME/x"));
        assert_eq!(folded("os.path.join(os.environ['HOME'], 'x')"), whole("$HOME/x"));
        assert_eq!(folded("os.path.expanduser('~/x')"), whole("$HOME/x"));
        assert_eq!(folded("pathlib.Path('~/x').expanduser()"), whole("$HOME/x"));
        assert_eq!(folded("'~/x'"), whole("~/x"));
        assert_eq!(folded("1 + 2"), Some(Constant::Int(3)));
    }
}
