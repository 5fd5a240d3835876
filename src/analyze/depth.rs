//! A cheap look at a large text before it is parsed: trees nest as deeply as the text says, and parsing, and dropping
//! what was parsed, take stack and memory with the depth.

use crate::base::Span;

/// Open brackets that are too many.
const MAX_BRACKETS: usize = 20_000;

/// Operators in a row, no comma between them, that are too many: each can be one level of the tree.
const MAX_STEPS: usize = 200_000;

/// Words that open a level, as operators do.
const WORDS: [&[u8]; 5] = [b"lambda", b"not ", b"if ", b"await ", b"yield "];

/// The place where `text` nests too deeply. Brackets in strings count, so this errs for texts that no person wrote.
pub(super) fn too_deep(text: &str) -> Option<Span> {
    if text.len() < MAX_STEPS {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut brackets, mut steps, mut in_word) = (0usize, 0usize, false);
    for (at, &byte) in bytes.iter().enumerate() {
        let begins_word = byte.is_ascii_alphabetic() && !in_word;
        in_word = byte.is_ascii_alphanumeric() || byte == b'_';
        match byte {
            b'(' | b'[' | b'{' => (brackets, steps) = (brackets + 1, steps + 1),
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            b',' | b';' => steps = 0,
            b'\n' if brackets == 0 && (at == 0 || bytes[at - 1] != b'\\') => steps = 0,
            b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>' | b'=' | b'.' => {
                steps += 1
            }
            _ if begins_word && WORDS.iter().any(|word| bytes[at..].starts_with(word)) => steps += 1,
            _ => {}
        }
        if brackets > MAX_BRACKETS || steps > MAX_STEPS {
            return Some(Span::new(at as u32, at as u32));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_is_not_deep() {
        assert_eq!(too_deep(&"x = f(a + 1, b)\n".repeat(100_000)), None);
        assert_eq!(too_deep(&format!("x = [{}]", "-1, ".repeat(500_000))), None);
        assert!(too_deep(&format!("x = a{}", " + a".repeat(300_000))).is_some());
        assert!(too_deep(&"(".repeat(300_000)).is_some());
        assert!(too_deep(&format!("x = {}1", "lambda: ".repeat(300_000))).is_some());
    }
}
