//! Reads pickles of plain data without running anything.
//!
//! A pickle is a program that may import and call whatever it likes. This reader knows the instructions that build numbers,
//! texts, lists and dictionaries; every other one is an error that says where it stands. What is shared stays shared, so that
//! a small file cannot become large in memory.

use rustc_hash::FxHashMap;

use super::tree::{Full, Node, NodeId, Tree};

/// Why a pickle is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPlain {
    /// It ends before it is over.
    #[error("the file is cut short")]
    Short,
    /// It asks for code to be imported or run.
    #[error(
        "the file asks for code to be run (`{name}` at byte {at}), which a recording has no need of; it was not run"
    )]
    Code {
        /// The instruction.
        name: &'static str,
        /// Where it stands.
        at: usize,
    },
    /// An instruction that is not known.
    #[error("byte {at} is no instruction of a pickle of plain data: {byte:#04x}")]
    Unknown {
        /// The instruction.
        byte: u8,
        /// Where it stands.
        at: usize,
    },
    /// An instruction finds nothing to work on, or something of another kind.
    #[error("the instruction at byte {at} has nothing to work on")]
    Broken {
        /// Where it stands.
        at: usize,
    },
    /// It holds more than any recording does.
    #[error("the file holds more than any recording does")]
    TooLarge,
}

impl From<Full> for NotPlain {
    fn from(_: Full) -> Self {
        NotPlain::TooLarge
    }
}

/// Reads the one value of a pickle.
///
/// # Errors
/// It is cut short, asks for code, or holds anything but plain data.
pub fn read(bytes: &[u8]) -> Result<Tree, NotPlain> {
    let mut machine = Machine {
        bytes,
        at: 0,
        op: 0,
        tree: Tree::default(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: FxHashMap::default(),
    };
    loop {
        if machine.step()? {
            let root = machine.pop()?;
            machine.tree.root = root;
            return Ok(machine.tree);
        }
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the present instruction stands.
    op: usize,
    tree: Tree,
    stack: Vec<NodeId>,
    /// Heights of the stack at marks.
    marks: Vec<usize>,
    memo: FxHashMap<u32, NodeId>,
}

impl Machine<'_> {
    /// Obeys one instruction. True when it was the last.
    fn step(&mut self) -> Result<bool, NotPlain> {
        self.op = self.at;
        let byte = self.take(1)?[0];
        match byte {
            b'.' => return Ok(true),
            0x80 => _ = self.take(1)?,
            0x95 => _ = self.take(8)?,
            b'(' => self.marks.push(self.stack.len()),
            b'0' => _ = self.pop()?,
            b'1' => _ = self.since_mark()?,
            b'2' => {
                let top = self.pop()?;
                self.stack.extend([top, top]);
            }
            b'N' => self.push(Node::Nothing)?,
            0x88 | 0x89 => self.push(Node::Flag(byte == 0x88))?,
            b'J' => {
                let number = i32::from_le_bytes(self.array()?);
                self.push(Node::Number(i64::from(number)))?;
            }
            b'K' => self.unsigned(1)?,
            b'M' => self.unsigned(2)?,
            0x8a => {
                let length = self.number(1)?;
                self.long(length)?;
            }
            b'G' => {
                let number = f64::from_be_bytes(self.array()?);
                self.push(Node::Float(number))?;
            }
            b'X' | b'T' | b'B' => self.text(4)?,
            0x8c | b'U' | b'C' => self.text(1)?,
            0x8d | 0x8e => self.text(8)?,
            b']' | b')' => self.push(Node::List(Vec::new()))?,
            b'}' => self.push(Node::Map(Vec::new()))?,
            b'l' | b't' => {
                let items = self.since_mark()?;
                self.push(Node::List(items))?;
            }
            b'd' => {
                let pairs = self.pairs()?;
                self.push(Node::Map(pairs))?;
            }
            0x85..=0x87 => {
                let from = self.stack.len().checked_sub(usize::from(byte - 0x84)).ok_or_else(|| self.broken())?;
                self.above_mark(from)?;
                let items = self.stack.split_off(from);
                self.push(Node::List(items))?;
            }
            b'a' => {
                let item = self.pop()?;
                self.extend_list(vec![item])?;
            }
            b'e' => {
                let items = self.since_mark()?;
                self.extend_list(items)?;
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.extend_map(vec![(key, value)])?;
            }
            b'u' => {
                let pairs = self.pairs()?;
                self.extend_map(pairs)?;
            }
            b'q' => self.remember(1)?,
            b'r' => self.remember(4)?,
            0x94 => {
                let index = u32::try_from(self.memo.len()).map_err(|_| NotPlain::TooLarge)?;
                let top = self.top()?;
                self.memo.insert(index, top);
            }
            b'h' => self.recall(1)?,
            b'j' => self.recall(4)?,
            _ => return Err(self.refused(byte)),
        }
        Ok(false)
    }

    fn refused(&self, byte: u8) -> NotPlain {
        let name = match byte {
            b'c' => "GLOBAL",
            0x93 => "STACK_GLOBAL",
            b'R' => "REDUCE",
            b'b' => "BUILD",
            b'i' => "INST",
            b'o' => "OBJ",
            0x81 => "NEWOBJ",
            0x92 => "NEWOBJ_EX",
            b'P' | b'Q' => "PERSID",
            0x82..=0x84 => "EXT",
            0x97 => "NEXT_BUFFER",
            _ => return NotPlain::Unknown { byte, at: self.op },
        };
        NotPlain::Code { name, at: self.op }
    }

    fn broken(&self) -> NotPlain {
        NotPlain::Broken { at: self.op }
    }

    fn take(&mut self, count: usize) -> Result<&[u8], NotPlain> {
        let end = self.at.checked_add(count).ok_or(NotPlain::Short)?;
        let taken = self.bytes.get(self.at..end).ok_or(NotPlain::Short)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NotPlain> {
        self.take(N)?.try_into().map_err(|_| NotPlain::Short)
    }

    /// An unsigned number of `count` bytes, the lowest first.
    fn number(&mut self, count: usize) -> Result<usize, NotPlain> {
        let number = self.take(count)?.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        usize::try_from(number).map_err(|_| NotPlain::TooLarge)
    }

    fn unsigned(&mut self, count: usize) -> Result<(), NotPlain> {
        let number = self.number(count)?;
        self.push(Node::Number(number as i64))
    }

    /// A signed number of any length; those that do not fit are numbers nobody needs.
    fn long(&mut self, length: usize) -> Result<(), NotPlain> {
        let bytes = self.take(length)?;
        let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut wide = if negative { [0xff; 8] } else { [0; 8] };
        let fits = bytes.len() <= 8;
        for (to, from) in wide.iter_mut().zip(bytes) {
            *to = *from;
        }
        self.push(if fits { Node::Number(i64::from_le_bytes(wide)) } else { Node::Nothing })
    }

    fn text(&mut self, count: usize) -> Result<(), NotPlain> {
        let length = self.number(count)?;
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.push(Node::Text(text))
    }

    fn push(&mut self, node: Node) -> Result<(), NotPlain> {
        let id = self.tree.add(node)?;
        self.stack.push(id);
        Ok(())
    }

    fn top(&self) -> Result<NodeId, NotPlain> {
        self.stack.last().copied().ok_or_else(|| self.broken())
    }

    fn pop(&mut self) -> Result<NodeId, NotPlain> {
        let top = self.stack.pop();
        self.above_mark(self.stack.len())?;
        top.ok_or_else(|| self.broken())
    }

    /// What lies below a mark is out of reach.
    fn above_mark(&self, height: usize) -> Result<(), NotPlain> {
        if self.marks.last().is_some_and(|mark| height < *mark) { Err(self.broken()) } else { Ok(()) }
    }

    fn since_mark(&mut self) -> Result<Vec<NodeId>, NotPlain> {
        let mark = self.marks.pop().ok_or_else(|| self.broken())?;
        Ok(self.stack.split_off(mark))
    }

    fn pairs(&mut self) -> Result<Vec<(NodeId, NodeId)>, NotPlain> {
        let items = self.since_mark()?;
        if items.len() % 2 == 1 {
            return Err(self.broken());
        }
        Ok(items.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }

    fn extend_list(&mut self, items: Vec<NodeId>) -> Result<(), NotPlain> {
        let top = self.top()?;
        match self.tree.node_mut(top) {
            Node::List(list) => list.extend(items),
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    fn extend_map(&mut self, pairs: Vec<(NodeId, NodeId)>) -> Result<(), NotPlain> {
        let top = self.top()?;
        match self.tree.node_mut(top) {
            Node::Map(map) => map.extend(pairs),
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    fn remember(&mut self, count: usize) -> Result<(), NotPlain> {
        let index = self.number(count)? as u32;
        let top = self.top()?;
        self.memo.insert(index, top);
        Ok(())
    }

    fn recall(&mut self, count: usize) -> Result<(), NotPlain> {
        let index = self.number(count)? as u32;
        let known = self.memo.get(&index).copied().ok_or_else(|| self.broken())?;
        // A reference costs a byte or more of the file; lists of them are bounded as the file is.
        self.stack.push(known);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_data_is_read() {
        // {'a': [1, -2, None, True], 'b': ('x', 2.5)} in protocol 4, as CPython writes it.
        let bytes = b"\x80\x04\x95\x27\0\0\0\0\0\0\0}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\xff\xff\xffN\x88e\x8c\x01b\x94\x8c\x01x\x94G@\x04\0\0\0\0\0\0\x86\x94u.";
        let tree = read(bytes).expect("it is plain");
        let list = tree.get(tree.root, "a").expect("there");
        let numbers: Vec<Option<i64>> = tree.items(list).iter().map(|item| tree.number(*item)).collect();
        assert_eq!(numbers, [Some(1), Some(-2), None, None]);
        let pair = tree.get(tree.root, "b").expect("there");
        assert_eq!(tree.text(tree.items(pair)[0]), Some("x"));
    }

    #[test]
    fn code_is_named_and_not_run() {
        let bytes = b"\x80\x02cos\nsystem\nX\x02\0\0\0ls\x85R.";
        assert_eq!(read(bytes).err(), Some(NotPlain::Code { name: "GLOBAL", at: 2 }));
        let bytes = b"\x80\x04\x8c\x02os\x8c\x06system\x93.";
        assert!(matches!(read(bytes), Err(NotPlain::Code { name: "STACK_GLOBAL", .. })));
        assert!(matches!(read(b"\x80\x02NNR."), Err(NotPlain::Code { name: "REDUCE", .. })));
    }

    #[test]
    fn what_is_cut_short_or_lies_about_its_length_is_an_error() {
        assert_eq!(read(b"\x80\x02}q\0").err(), Some(NotPlain::Short));
        assert_eq!(read(b"\x80\x02X\xff\xff\xff\x7fabc.").err(), Some(NotPlain::Short));
        assert_eq!(read(b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffabc.").err(), Some(NotPlain::Short));
        assert_eq!(read(b"").err(), Some(NotPlain::Short));
        assert!(read(b"]N.").is_ok());
        assert!(matches!(read(b"e."), Err(NotPlain::Broken { .. })));
    }

    #[test]
    fn what_refers_to_itself_or_to_much_stays_small() {
        // l = []; l.append(l)
        assert!(read(b"\x80\x02]q\0h\0a.").is_ok());
        // Each list holds the one before ten times.
        let mut bytes = b"\x80\x02]q\0".to_vec();
        for index in 0..100_u8 {
            bytes.extend(b"0](");
            for _ in 0..10 {
                bytes.extend([b'h', index]);
            }
            bytes.extend([b'e', b'q', index + 1]);
        }
        bytes.push(b'.');
        assert!(read(&bytes).is_ok());
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(prop_oneof![
            any::<u8>(), proptest::sample::select(b"()]}Nteasuqh.0122\x85\x86\x94".to_vec())
        ], 0..200)) {
            let _ = read(&bytes);
        }
    }
}
