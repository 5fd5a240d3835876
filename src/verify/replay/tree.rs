//! Plain data of a recording: nodes that refer to each other by number, so that sharing and cycles cost nothing.

use serde_json::Value;

/// More nodes than a recording of any job has.
const MOST: usize = 1 << 24;

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `None`, or what nobody needs.
    Nothing,
    /// A truth value.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list or a tuple.
    List(Vec<NodeId>),
    /// A dictionary, in the order in which it was written.
    Map(Vec<(NodeId, NodeId)>),
}

/// There are too many nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A value with everything in it.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The value itself.
    pub root: NodeId,
}

impl Default for Tree {
    fn default() -> Self {
        Tree { nodes: vec![Node::Nothing], root: NodeId(0) }
    }
}

impl Tree {
    /// Adds a node. Nothing takes no room.
    pub fn add(&mut self, node: Node) -> Result<NodeId, Full> {
        if matches!(node, Node::Nothing) {
            return Ok(NodeId(0));
        }
        if self.nodes.len() >= MOST {
            return Err(Full);
        }
        self.nodes.push(node);
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }

    /// The node of a number, to be filled.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// A JSON value as a tree.
    pub fn of_json(value: &Value) -> Result<Tree, Full> {
        let mut tree = Tree::default();
        tree.root = tree.json(value)?;
        Ok(tree)
    }

    /// serde_json refuses what is nested deeply, so this cannot run out of stack.
    fn json(&mut self, value: &Value) -> Result<NodeId, Full> {
        let node = match value {
            Value::Null => Node::Nothing,
            Value::Bool(flag) => Node::Flag(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(number) => Node::Number(number),
                None => Node::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Node::Text(text.clone()),
            Value::Array(items) => Node::List(items.iter().map(|item| self.json(item)).collect::<Result<_, _>>()?),
            Value::Object(map) => {
                let mut pairs = Vec::with_capacity(map.len());
                for (key, value) in map {
                    pairs.push((self.add(Node::Text(key.clone()))?, self.json(value)?));
                }
                Node::Map(pairs)
            }
        };
        self.add(node)
    }

    /// The value of a key that is a text.
    pub fn get(&self, id: NodeId, key: &str) -> Option<NodeId> {
        let pairs = self.pairs(id);
        pairs.iter().find(|(known, _)| self.text(*known) == Some(key)).map(|(_, value)| *value)
    }

    /// The pairs of a dictionary; none of anything else.
    pub fn pairs(&self, id: NodeId) -> &[(NodeId, NodeId)] {
        match &self.nodes[id.0 as usize] {
            Node::Map(pairs) => pairs,
            _ => &[],
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self, id: NodeId) -> &[NodeId] {
        match &self.nodes[id.0 as usize] {
            Node::List(items) => items,
            _ => &[],
        }
    }

    /// A text.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.nodes[id.0 as usize] {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number.
    pub fn number(&self, id: NodeId) -> Option<i64> {
        match &self.nodes[id.0 as usize] {
            Node::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A truth value.
    pub fn flag(&self, id: NodeId) -> Option<bool> {
        match &self.nodes[id.0 as usize] {
            Node::Flag(flag) => Some(*flag),
            _ => None,
        }
    }
}
