//! Just enough of the shell to see where its commands write: quoting, comments, here-documents, redirections,
//! substitutions, `sh -c`. Everything else is words.

use rustc_hash::FxHashMap;

use crate::base::Span;

use super::Outside;

/// One word of a command, quotes removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// Its text; variables that the script sets to a known text are replaced.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A write of a shell command to a temporary place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Write {
    /// Where.
    pub span: Span,
    /// What does it, in words that the path completes: "`tee` writes to"; "`mktemp` picks a place" where there is none.
    pub what: String,
    /// The path, where there is one.
    pub path: Option<String>,
}

/// The writes of a script, in order.
pub(super) fn writes(script: &str) -> Vec<Write> {
    let mut out = Vec::new();
    Reader::new(script, 0, Variables::default(), 8).run(&mut out);
    out.sort_by_key(|write| (write.span.start, write.span.end));
    out.dedup_by_key(|write| write.span);
    out
}

/// The writes of one command given as separate words, which no shell splits or redirects.
pub(super) fn writes_of_words(words: &[Word]) -> Vec<Write> {
    let mut out = Vec::new();
    command(words, &mut Variables::default(), 8, &mut out);
    out
}

type Variables = FxHashMap<String, String>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    base: usize,
    variables: Variables,
    depth: u32,
    /// Here-documents announced on this line: their delimiters.
    pending: Vec<(String, bool)>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, base: usize, variables: Variables, depth: u32) -> Self {
        Self { text, at: 0, base, variables, depth, pending: Vec::new() }
    }

    fn run(&mut self, out: &mut Vec<Write>) {
        let mut words: Vec<Word> = Vec::new();
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\r' => self.at += 1,
                '\\' if self.text[self.at..].starts_with("\\\n") => self.at += 2,
                '#' => self.skip_line(),
                '\n' => {
                    self.at += 1;
                    self.finish(&mut words, out);
                    self.skip_documents();
                }
                '>' | '<' => self.redirect(out),
                '&' if self.text[self.at..].starts_with("&>") => {
                    self.at += 1;
                    self.redirect(out);
                }
                ';' | '|' | '&' | '(' | ')' => {
                    self.at += 1;
                    self.finish(&mut words, out);
                }
                _ => {
                    let word = self.word(out);
                    let descriptor =
                        word.text.bytes().all(|byte| byte.is_ascii_digit()) && matches!(self.peek(), Some('>' | '<'));
                    if !descriptor {
                        words.push(word);
                    }
                }
            }
        }
        self.finish(&mut words, out);
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |end| self.at + end);
    }

    /// `>`, `>>`, `>|`, `<`, `<<`, `<<-`, `<<<`, `<>`, `>&` and the word after it.
    fn redirect(&mut self, out: &mut Vec<Write>) {
        let start = self.at;
        while matches!(self.peek(), Some('>' | '<')) {
            self.at += 1;
        }
        let operator = &self.text[start..self.at];
        if self.peek() == Some('(') {
            self.at += 1;
            return;
        }
        if operator == "<<" {
            let strip = self.peek() == Some('-');
            self.at += usize::from(strip);
            self.blanks();
            if matches!(self.peek(), None | Some('\n')) {
                return;
            }
            let delimiter = self.word(out).text;
            self.pending.push((delimiter, strip));
            return;
        }
        if matches!(self.peek(), Some('|' | '&')) {
            self.at += 1;
        }
        self.blanks();
        if matches!(self.peek(), None | Some('\n' | ';' | '|' | '&' | '(' | ')' | '>' | '<')) {
            return;
        }
        let word = self.word(out);
        if operator.contains('>') && is_outside(&word.text, Reach::Anywhere) {
            let span = Span::new((self.base + start) as u32, word.span.end);
            out.push(Write { span, what: "output is redirected to".to_owned(), path: Some(word.text) });
        }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    fn skip_documents(&mut self) {
        for (delimiter, strip) in std::mem::take(&mut self.pending) {
            while self.at < self.text.len() {
                let start = self.at;
                self.skip_line();
                let line = &self.text[start..self.at];
                self.at = (self.at + 1).min(self.text.len());
                let line = line.strip_suffix('\r').unwrap_or(line);
                if (if strip { line.trim_start_matches('\t') } else { line }) == delimiter {
                    break;
                }
            }
        }
    }

    /// One word: quotes removed, substitutions run through their own reader.
    fn word(&mut self, out: &mut Vec<Write>) -> Word {
        let start = self.at;
        let mut text = String::new();
        let mut in_double = false;
        while let Some(next) = self.peek() {
            match next {
                '\'' if !in_double => {
                    let rest = &self.text[self.at + 1..];
                    let end = rest.find('\'').unwrap_or(rest.len());
                    text.push_str(&rest[..end]);
                    self.at = (self.at + end + 2).min(self.text.len());
                }
                '"' => {
                    in_double = !in_double;
                    self.at += 1;
                }
                '\\' => {
                    self.at += 1;
                    if let Some(escaped) = self.peek() {
                        self.at += escaped.len_utf8();
                        if escaped != '\n' {
                            text.push(escaped);
                        }
                    }
                }
                '`' => {
                    let rest = &self.text[self.at + 1..];
                    let end = rest.find('`').unwrap_or(rest.len());
                    self.nested(self.at + 1, self.at + 1 + end, out);
                    self.at = (self.at + end + 2).min(self.text.len());
                    text.push('\u{fffc}');
                }
                '$' if self.text[self.at..].starts_with("$(") => {
                    let inner = self.at + 2;
                    let end = closing(self.text, inner);
                    if !self.text[inner..].starts_with('(') {
                        self.nested(inner, end, out);
                    }
                    self.at = (end + 1).min(self.text.len());
                    text.push('\u{fffc}');
                }
                '$' => self.variable(&mut text),
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '>' | '<' if !in_double => break,
                other => {
                    text.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
        if self.at == start {
            self.at += self.peek().map_or(0, char::len_utf8);
        }
        Word { text, span: Span::new((self.base + start) as u32, (self.base + self.at) as u32) }
    }

    fn nested(&mut self, start: usize, end: usize, out: &mut Vec<Write>) {
        if self.depth > 0 {
            let inner = &self.text[start..end.max(start)];
            let variables = std::mem::take(&mut self.variables);
            let mut reader = Reader::new(inner, self.base + start, variables, self.depth - 1);
            reader.run(out);
            self.variables = reader.variables;
        }
    }

    /// `$NAME`, `${NAME}`, `${NAME:-default}`.
    fn variable(&mut self, text: &mut String) {
        let rest = &self.text[self.at + 1..];
        let braced = rest.starts_with('{');
        let from = usize::from(braced);
        let length = rest[from..].bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
        let name = &rest[from..from + length];
        let mut used = 1 + from + length;
        let mut fallback = None;
        if braced {
            let tail = &rest[from + length..];
            let end = tail.find('}').unwrap_or(tail.len());
            fallback = tail[..end].strip_prefix(":-").or(tail[..end].strip_prefix('-'));
            used += (end + 1).min(tail.len());
        }
        if length == 0 && !braced {
            text.push('$');
            self.at += 1;
            return;
        }
        match (self.variables.get(name), fallback) {
            (Some(value), _) => text.push_str(value),
            (None, Some(fallback)) => text.push_str(fallback),
            (None, None) => {
                text.push_str("${");
                text.push_str(name);
                text.push('}');
            }
        }
        self.at += used;
    }

    fn finish(&mut self, words: &mut Vec<Word>, out: &mut Vec<Write>) {
        let words = std::mem::take(words);
        for word in
            words.iter().filter(|word| !matches!(word.text.as_str(), "export" | "local" | "readonly" | "declare"))
        {
            let Some((name, value)) = assignment(&word.text) else { break };
            self.variables.insert(name.to_owned(), value.to_owned());
        }
        command(&words, &mut self.variables, self.depth, out);
    }
}

/// The end of a substitution that begins at `at`: its closing parenthesis.
fn closing(text: &str, at: usize) -> usize {
    let (mut depth, mut quote) = (1, None);
    for (offset, byte) in text.as_bytes()[at..].iter().enumerate() {
        match (byte, quote) {
            (b'\'' | b'"', None) => quote = Some(*byte),
            (byte, Some(open)) if *byte == open => quote = None,
            (b'(', None) => depth += 1,
            (b')', None) => {
                depth -= 1;
                if depth == 0 {
                    return at + offset;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let sound = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (sound && !name.as_bytes()[0].is_ascii_digit()).then_some((name, value))
}

/// Words that stand before the command proper.
const PREFIXES: [&str; 19] = [
    "export", "local", "readonly", "declare", "sudo", "env", "exec", "time", "nohup", "command", "if", "then", "else",
    "elif", "while", "until", "do", "!", "{",
];

fn command(words: &[Word], variables: &mut Variables, depth: u32, out: &mut Vec<Write>) {
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        if let Some((name, value)) = assignment(&first.text) {
            if matches!(name, "TMPDIR" | "TMP" | "TEMP") && is_outside(value, Reach::Temporary) {
                let what = format!("`{name}` is set to");
                out.push(Write { span: first.span, what, path: Some(value.to_owned()) });
            }
        } else if !PREFIXES.contains(&first.text.as_str()) {
            break;
        }
        words = rest;
    }
    let Some((program, args)) = words.split_first() else { return };
    let program_name = program.text.rsplit('/').next().unwrap_or_default();
    match program_name {
        "mktemp" => {
            if let Some(write) = mktemp(program, args) {
                out.push(write);
            }
        }
        "sh" | "bash" | "zsh" | "dash" | "ksh" => {
            let script = args.iter().position(|arg| arg.text.starts_with('-') && arg.text.ends_with('c'));
            if let Some(script) = script.and_then(|flag| args.get(flag + 1)).filter(|_| depth > 0) {
                let mut inner = Vec::new();
                let mut reader = Reader::new(&script.text, 0, std::mem::take(variables), depth - 1);
                reader.run(&mut inner);
                *variables = reader.variables;
                out.extend(inner.into_iter().map(|write| Write { span: script.span, ..write }));
            }
        }
        "tee" | "touch" | "mkdir" | "mkfifo" | "truncate" => {
            let files = args.iter().filter(|arg| !arg.text.starts_with('-'));
            out.extend(files.filter_map(|arg| written(program_name, arg, &arg.text)));
        }
        "cp" | "mv" | "ln" | "install" | "rsync" | "scp" => {
            let plain: Vec<&Word> = args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
            if plain.len() > 1 {
                out.extend(plain.last().and_then(|arg| written(program_name, arg, &arg.text)));
            }
        }
        "dd" => out.extend(args.iter().filter_map(|arg| written("dd", arg, arg.text.strip_prefix("of=")?))),
        "git" if args.first().is_some_and(|arg| arg.text == "clone") => {
            out.extend(args.iter().skip(2).filter_map(|arg| written("git clone", arg, &arg.text)));
        }
        _ => {}
    }
    outputs(program_name, args, out);
}

/// `-o FILE`, `--output FILE`, `--output=FILE` and their like.
fn outputs(program: &str, args: &[Word], out: &mut Vec<Write>) {
    const FLAGS: [&str; 10] = [
        "-o",
        "-O",
        "--output",
        "--out",
        "--output-dir",
        "--output-file",
        "--log-file",
        "--output-document",
        "--log-dir",
        "--log_dir",
    ];
    for (index, arg) in args.iter().enumerate() {
        if FLAGS.contains(&arg.text.as_str()) {
            out.extend(args.get(index + 1).and_then(|file| written(program, file, &file.text)));
        } else if let Some((flag, value)) = arg.text.split_once('=')
            && FLAGS.contains(&flag)
        {
            out.extend(written(program, arg, value));
        } else if let Some(value) = arg.text.strip_prefix("-o").filter(|value| value.starts_with('/')) {
            out.extend(written(program, arg, value));
        }
    }
}

fn mktemp(program: &Word, args: &[Word]) -> Option<Write> {
    let mut folder = None;
    let mut template = None;
    let mut in_temporary = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.text.as_str() {
            "-p" => folder = rest.next().map(|arg| arg.text.as_str()),
            "--suffix" => drop(rest.next()),
            text if text.starts_with("--tmpdir=") => folder = text.strip_prefix("--tmpdir="),
            text if text.starts_with("-p") => folder = text.strip_prefix("-p"),
            "-t" | "--tmpdir" => in_temporary = true,
            text if text.starts_with("--") => {}
            text if text.starts_with('-') => in_temporary |= text.contains('t'),
            text => template = Some(text),
        }
    }
    let place = match (folder, template) {
        (Some(folder), _) => Some(folder),
        (None, Some(template)) if !in_temporary => Some(template),
        _ => None,
    };
    let end = args.last().map_or(program.span, |last| program.span.cover(last.span));
    match place {
        Some(place) if is_outside(place, Reach::Temporary) => {
            Some(Write { span: end, what: "`mktemp` creates".to_owned(), path: Some(place.to_owned()) })
        }
        Some(_) => None,
        None => Some(Write { span: end, what: "`mktemp` picks a place".to_owned(), path: None }),
    }
}

fn written(program: &str, word: &Word, path: &str) -> Option<Write> {
    is_outside(path, Reach::Temporary).then(|| Write {
        span: word.span,
        what: format!("`{program}` writes to"),
        path: Some(path.to_owned()),
    })
}

/// Which places count.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    /// Temporary ones.
    Temporary,
    /// Temporary ones, the user's home, `/root`.
    Anywhere,
}

fn is_outside(path: &str, reach: Reach) -> bool {
    let home = path == "~" || path.starts_with("~/");
    let inherited = ["${TMPDIR}", "${TMP}", "${TEMP}"].iter().any(|name| path.starts_with(name));
    match Outside::of(path) {
        Some(Outside::Temporary | Outside::SharedMemory) => true,
        Some(Outside::Home) => reach == Reach::Anywhere,
        _ => inherited || home && reach == Reach::Anywhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(script: &str) -> Vec<String> {
        writes(script)
            .into_iter()
            .map(|write| script[write.span.start as usize..write.span.end as usize].to_owned())
            .collect()
    }

    #[test]
    fn writes_are_found() {
        assert_eq!(found("echo x > /tmp/a"), ["> /tmp/a"]);
        assert_eq!(found("cmd 2>&1 | tee -a /tmp/log"), ["/tmp/log"]);
        assert_eq!(found("d=$(mktemp -d)"), ["mktemp -d"]);
        assert_eq!(found("x=`mktemp`"), ["mktemp"]);
        assert_eq!(found("OUT=/tmp/run\npython x.py > \"$OUT/log\""), ["> \"$OUT/log\""]);
        assert_eq!(found("export TMPDIR=/tmp"), ["TMPDIR=/tmp"]);
        assert_eq!(found("gcc x.c -o /tmp/x"), ["/tmp/x"]);
        assert_eq!(found("gcc x.c -o/tmp/x"), ["-o/tmp/x"]);
        assert_eq!(found("bash -c 'echo > /tmp/x'"), ["'echo > /tmp/x'"]);
        assert_eq!(found("if mktemp; then cp a b /dev/shm/; fi"), ["mktemp", "/dev/shm/"]);
        assert_eq!(found("cat > /tmp/x <<EOF\n> /tmp/y\nEOF\necho >> ~/log"), ["> /tmp/x", ">> ~/log"]);
        assert_eq!(found("run &> ${TMPDIR:-/tmp}/x"), ["> ${TMPDIR:-/tmp}/x"]);
    }

    #[test]
    fn look_alikes_are_not() {
        for script in [
            "# echo > /tmp/x",
            "echo 'run > /tmp/x'",
            "cat /tmp/x > out/x",
            "cmd > /dev/null 2>&1",
            "mktemp out/x.XXXX",
            "mktemp -p out",
            "mktemp --tmpdir=out -d",
            "cp /tmp/a out/",
            "cat <<'EOF'\necho > /tmp/x\nEOF\n",
            "ls /tmp; rm -rf /tmp/x; cd /tmp",
            "[ $a -gt 3 ] && echo \"see /tmp/x\" | tee out.log",
            "a <(sort /tmp/x)",
            "a <<",
            "a << \n> out/x",
        ] {
            assert_eq!(found(script), Vec::<String>::new(), "{script}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() })]

        #[test]
        fn nothing_panics_and_spans_lie_in_the_text(script in "['\"`$(){}<>&|;#=\\\\ \n\té/~:tmpc-]{0,60}") {
            for write in writes(&script) {
                proptest::prop_assert!(script.get(write.span.start as usize..write.span.end as usize).is_some());
            }
        }
    }
}
