//! From bytes to text: UTF-8, or what a coding cookie (PEP 263) declares.

use super::{Kind, Problem};

/// Decodes a file. The byte order mark is left out, so that offsets count from the first character that is shown.
pub fn decode(mut bytes: Vec<u8>, kind: Kind) -> Result<String, Problem> {
    let marked = bytes.starts_with(b"\xef\xbb\xbf");
    if marked {
        bytes.drain(..3);
    }
    let cookie = if kind == Kind::Python && !marked { cookie(&bytes) } else { None };
    match cookie.as_deref().map(encoding) {
        Some(Encoding::Latin1) => Ok(bytes.iter().map(|&byte| char::from(byte)).collect()),
        Some(Encoding::Unknown) if let Err(error) = std::str::from_utf8(&bytes) => Err(Problem {
            message: format!(
                "the file is declared to be `{}`, which is not read here, and the byte at offset {} is not UTF-8",
                cookie.unwrap_or_default(),
                error.valid_up_to()
            ),
            help: "save it as UTF-8, or exclude it".to_owned(),
        }),
        Some(Encoding::Utf8 | Encoding::Unknown) | None => String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
            Problem {
                message: format!("the file is not UTF-8: the byte at offset {at} (line {line}) is no character"),
                help: match kind {
                    Kind::Python => "save it as UTF-8, or declare its encoding: `# -*- coding: latin-1 -*-`".to_owned(),
                    Kind::Shell => "save it as UTF-8".to_owned(),
                },
            }
        }),
    }
}

/// A text as bytes, encoded as `like` is, byte order mark included; absent where that encoding lacks a character.
pub fn encode(text: &str, like: &[u8], kind: Kind) -> Option<Vec<u8>> {
    if like.starts_with(b"\xef\xbb\xbf") {
        return Some([b"\xef\xbb\xbf", text.as_bytes()].concat());
    }
    let cookie = if kind == Kind::Python { cookie(like) } else { None };
    match cookie.as_deref().map(encoding) {
        Some(Encoding::Latin1) => text.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect(),
        Some(Encoding::Utf8 | Encoding::Unknown) | None => Some(text.as_bytes().to_vec()),
    }
}

enum Encoding {
    Utf8,
    Latin1,
    Unknown,
}

fn encoding(name: &str) -> Encoding {
    match name.to_ascii_lowercase().replace('_', "-").as_str() {
        "utf-8" | "utf8" | "ascii" | "us-ascii" | "u8" | "utf-8-sig" => Encoding::Utf8,
        "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" | "8859" | "cp819" => Encoding::Latin1,
        _ => Encoding::Unknown,
    }
}

/// The declared encoding: in a comment of the first line, or of the second where the first is blank or a comment.
fn cookie(bytes: &[u8]) -> Option<String> {
    for line in bytes.split(|&byte| byte == b'\n').take(2) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if line[0] != b'#' {
            return None;
        }
        let Some(at) = memchr::memmem::find(line, b"coding") else { continue };
        let rest = &line[at + b"coding".len()..];
        let Some((b':' | b'=', rest)) = rest.split_first() else { continue };
        let name: String = rest
            .trim_ascii_start()
            .iter()
            .map(|&byte| char::from(byte))
            .take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'))
            .collect();
        if !name.is_empty() {
            return Some(name);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_honoured() {
        let python = |bytes: &[u8]| decode(bytes.to_vec(), Kind::Python).map_err(|problem| problem.message);
        assert_eq!(python(b"\xef\xbb\xbfx = 1"), Ok("x = 1".to_owned()));
        assert_eq!(
            python(b"# -*- coding: latin-1 -*-\nx = '\xe9'"),
            Ok("# -*- coding: latin-1 -*-\nx = 'é'".to_owned())
        );
        assert_eq!(
            python(b"#!/bin/x\n# vim: set fileencoding=iso-8859-1 :\n'\xe9'").map(|text| text.contains('é')),
            Ok(true)
        );
        assert_eq!(python("# coding: utf-8\nx = 'é'".as_bytes()), Ok("# coding: utf-8\nx = 'é'".to_owned()));
        assert!(python(b"# coding: klingon\nx = 1").is_ok());
        assert!(python(b"# coding: shift_jis\n\x83\x5c").is_err_and(|message| message.contains("shift_jis")));
        assert!(python(b"x = 1\ny = '\xe9'").is_err_and(|message| message.contains("offset 11 (line 2)")));
        assert!(python(b"x = 'coding: latin-1'\n\xe9").is_err());
    }

    #[test]
    fn what_was_read_is_written_back_the_same() {
        for bytes in [&b"\xef\xbb\xbfx = 1\r\n"[..], b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "'é'\n".as_bytes()] {
            let text = decode(bytes.to_vec(), Kind::Python).expect("it can be read");
            assert_eq!(encode(&text, bytes, Kind::Python).as_deref(), Some(bytes));
        }
        assert_eq!(encode("# coding: latin-1\n'→'", b"# coding: latin-1\n", Kind::Python), None);
    }
}
