//! How a text says that a program is launched: on one node, or on several.

/// How a launcher is told in one word that there is one node.
const STANDALONE: [&str; 2] = ["--standalone", "--nnodes=1"];

/// The same in two words, the second of which is the number.
const NODES: &str = "--nnodes";

/// Whether the text has commands that launch a program with `torchrun`, and each of them says that there is one node.
pub fn launches_on_one_node(text: &str) -> bool {
    let spelled = memchr::memmem::find(text.as_bytes(), b"torchrun").is_some();
    let mut commands = text.lines().filter(|line| line.contains("torchrun ") || line.contains("--nnodes")).peekable();
    spelled && commands.peek().is_some() && commands.all(is_for_one)
}

fn is_for_one(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    words.iter().any(|word| STANDALONE.contains(word))
        || words.windows(2).any(|pair| pair[0] == NODES && pair[1] == "1")
}

#[cfg(test)]
mod tests {
    use super::launches_on_one_node;

    #[test]
    fn every_command_has_to_say_so() {
        assert!(launches_on_one_node("torchrun --standalone --nproc_per_node=8 train.py"));
        assert!(launches_on_one_node("Run it:\n  torchrun --nproc_per_node 8 --nnodes 1 train.py\n"));
        assert!(launches_on_one_node("`torchrun --nnodes=1 a.py`, or\n`torchrun --nnodes=1 b.py`"));
        assert!(!launches_on_one_node("torchrun --nproc_per_node=8 train.py"));
        assert!(!launches_on_one_node("torchrun --standalone a.py\ntorchrun --nnodes 2 a.py"));
        assert!(!launches_on_one_node("torchrun --nnodes 16 a.py"));
        assert!(!launches_on_one_node("python train.py --nnodes=1"));
        assert!(!launches_on_one_node(""));
    }
}
