//! Sends and receives: whether both ends are there, and fit.

use super::super::SETTLING_US;
use super::play::{Play, played, told};
use crate::verify::watch::Watch;

#[test]
fn a_receive_from_somebody_gone_is_told_at_once() {
    let mut play = played(Play::new(), "0 destroy_process_group\n1 recv peer=0");
    let outcome = play.matcher.verdict(play.now).or_else(|| play.matcher.verdict(play.now + SETTLING_US));
    assert_eq!(outcome.map(|outcome| outcome.name()), Some("stranded"));
}

#[test]
fn ends_of_a_message_must_fit() {
    assert_eq!(
        told("0 send peer=1 shape=3\n1 recv peer=0 shape=4"),
        "mismatched: shape differs between the ends of a message: rank 0 sends float32[3], rank 1 expects float32[4]"
    );
}

#[test]
fn who_receives_from_anyone_may_have_taken_any_message() {
    // The message of rank 1 was taken, and its send has not come back yet.
    assert_eq!(told("1 send peer=0\n0 recv\n0 return\n0 destroy_process_group"), "in step");
    let play = played(Play::new(), "0 recv\n1 send peer=0\n1 return\n0 return");
    assert_eq!(play.matcher.notes(), Vec::<String>::new());
    // Whether the second message is on its way cannot be told.
    assert_eq!(told("0 recv\n2 send peer=0\n0 return\n0 recv peer=1\n1 destroy_process_group"), "in step");
    // Without such a receive, each of these is told.
    assert!(told("1 send peer=0\n0 destroy_process_group").starts_with("stranded"));
    assert_eq!(
        played(Play::new(), "1 send peer=0\n1 return").matcher.notes(),
        ["1 message from rank 1 to rank 0 was never received"]
    );
}

#[test]
fn tags_tell_messages_apart() {
    let sent = "0 send peer=1 tag=1 shape=3\n0 send peer=1 tag=2 shape=4 thread=1\n";
    assert_eq!(told(&format!("{sent}1 recv peer=0 tag=2 shape=4\n1 return\n1 recv peer=0 tag=1 shape=3")), "in step");
    assert_eq!(
        told("0 send peer=1 dtype=float32\n1 recv peer=0 dtype=float64"),
        "mismatched: dtype differs between the ends of a message: rank 0 sends float32[3], rank 1 expects float64[3]"
    );
}
