//! How a text says that a program is launched: on one node, or on several.

/// How a launcher is told in one word that there is one node.
const STANDALONE: [&str; 2] = ["--standalone", "--nnodes=1"];

/// The same in two words, the second of which is the number.
const NODES: &str = "--nnodes";

/// What says how many nodes there are, or which of them this is.
const COUNTS: [&str; 3] = ["--nnodes", "--node_rank", "--node-rank"];

/// Where the ranks meet, in one word or in two.
const ADDRESSES: [&str; 2] = ["--master_addr", "--master-addr"];

/// How a node calls itself.
const HERE: [&str; 2] = ["localhost", "127.0.0.1"];

/// How launchers are called.
const LAUNCHERS: [&str; 3] = ["torchrun", "torch.distributed.launch", "torch.distributed.run"];

/// Whether the text has commands that launch a program on several ranks, and each of them says that there is one node.
pub fn launches_on_one_node(text: &str) -> bool {
    launched(text).is_some_and(|launches| launches == Launches::OnOneNode)
}

/// Where the commands of a text launch programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launches {
    /// On one node, as each of them says.
    OnOneNode,
    /// On several, as far as one of them says.
    Anywhere,
}

/// Where the commands of a text launch programs on several ranks, if it has any.
pub fn launched(text: &str) -> Option<Launches> {
    let spelled = |launcher: &&str| memchr::memmem::find(text.as_bytes(), launcher.as_bytes()).is_some();
    if !LAUNCHERS.iter().any(spelled) {
        return None;
    }
    let text = joined(text);
    let launches = |line: &&str| {
        let command = line.trim_start();
        // What is commented out says so where it is for several nodes.
        (!command.starts_with('#') || command.contains(NODES) && !is_for_one(command))
            && (LAUNCHERS.iter().any(|launcher| command.contains(&format!("{launcher} "))) || command.contains(NODES))
    };
    let mut commands = text.lines().filter(launches).peekable();
    commands.peek()?;
    Some(if commands.all(is_for_one) { Launches::OnOneNode } else { Launches::Anywhere })
}

/// The text with each command on a line: it goes on behind a backslash at the end of one, which a comment does not.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut begins = true;
    let mut is_comment = false;
    for line in text.lines() {
        if begins {
            is_comment = line.trim_start().starts_with('#');
        }
        match line.strip_suffix('\\').filter(|_| !is_comment) {
            Some(part) => {
                out.push_str(part);
                out.push(' ');
                begins = false;
            }
            None => {
                out.push_str(line);
                out.push('\n');
                begins = true;
            }
        }
    }
    out
}

fn is_for_one(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_here = |address: &str| HERE.contains(&address.trim_matches(['"', '\'']));
    let meets_here = |word: &&str| {
        let address = word.split_once('=').filter(|(option, _)| ADDRESSES.contains(option));
        address.is_some_and(|(_, address)| is_here(address))
    };
    let says_one = words.iter().any(|word| STANDALONE.contains(word))
        || words.windows(2).any(|pair| pair[0] == NODES && pair[1] == "1");
    // Beside a number of nodes an address is there to be replaced.
    let counts = words.iter().any(|word| COUNTS.iter().any(|counts| word.starts_with(counts)));
    says_one
        || !counts
            && (words.iter().any(meets_here)
                || words.windows(2).any(|pair| ADDRESSES.contains(&pair[0]) && is_here(pair[1])))
}

#[cfg(test)]
mod tests {
    use super::launches_on_one_node;

    #[test]
    fn every_command_has_to_say_so() {
        assert!(launches_on_one_node("torchrun --standalone --nproc_per_node=8 train.py"));
        assert!(launches_on_one_node("Run it:\n  torchrun --nproc_per_node 8 --nnodes 1 train.py\n"));
        assert!(launches_on_one_node("`torchrun --nnodes=1 a.py`, or\n`torchrun --nnodes=1 b.py`"));
        assert!(launches_on_one_node(
            "torchrun \\\n  --nproc_per_node=8 \\\n  --master_addr='localhost' \\\n  train.py"
        ));
        assert!(launches_on_one_node("python -m torch.distributed.launch --master_addr 127.0.0.1 train.py"));
        assert!(launches_on_one_node("# torchrun a.py\ntorchrun --standalone b.py"));
        assert!(!launches_on_one_node("torchrun --master_addr=$HOST train.py"));
        assert!(!launches_on_one_node("torchrun --nnodes=2 --node_rank=0 --master_addr=localhost train.py"));
        assert!(!launches_on_one_node("torchrun --standalone a.py\n# torchrun --nnodes=4 a.py"));
        assert!(!launches_on_one_node("# on several \\\ntorchrun --nnodes=4 a.py"));
        assert!(!launches_on_one_node("torchrun --nproc_per_node=8 train.py"));
        assert!(!launches_on_one_node("torchrun --standalone a.py\ntorchrun --nnodes 2 a.py"));
        assert!(!launches_on_one_node("torchrun --nnodes 16 a.py"));
        assert!(!launches_on_one_node("python train.py --nnodes=1"));
        assert!(!launches_on_one_node(""));
    }
}
