//! Processes behind the ranks: which one is the rank, and what its log does not tell.

use super::super::QUIET_US;
use super::play::{Play, played, told};
use crate::verify::watch::Watch;

#[test]
fn what_a_lost_log_does_not_tell_is_no_evidence() {
    // The disk was full when rank 0 wrote its second call; it ends well, and so do the others.
    let full =
        "* all_reduce\n* return\n0 lost\n1 all_reduce\n2 all_reduce\n3 all_reduce\n1 return\n2 return\n3 return\n0 end";
    assert_eq!(told(full), "in step");
    assert_eq!(told(&full.replace("\n0 end", "\n0 end\n1 recv peer=0\n2 barrier")), "in step");
    // It was lost within a call: nobody can tell whether that has come back.
    let mut play = played(Play::new(), "* barrier\n0 lost\n1 return\n2 return\n3 return");
    assert!(!play.matcher.is_anyone_waiting());
    assert_eq!(play.told(), None);
    assert_eq!(play.matcher.notes(), ["the log of rank 0 is not complete: no space left on device"]);
    // Something small could not be watched, and the log goes on.
    assert!(told("0 lost\n0 barrier\n1 barrier\n0 return\n0 end\n1 return\n1 all_reduce").starts_with("stranded"));
}

#[test]
fn a_process_may_become_another_program() {
    let mut play = Play::new();
    for line in ["0 barrier", "1 barrier", "2 barrier", "3 barrier", "1 return", "2 return", "3 return"] {
        play.line(line);
    }
    // It has replaced itself while a thread was in a call; numbers begin anew.
    play.start(100, 0);
    play.groups(0);
    (play.signatures[0], play.numbers[0]) = (0, 0);
    assert!(!play.matcher.is_anyone_waiting());
    for line in ["0 all_reduce", "1 all_reduce", "2 all_reduce", "3 all_reduce"] {
        play.line(line);
    }
    assert_eq!(play.told(), None);
}

#[test]
fn the_process_that_issues_calls_is_the_rank() {
    let mut play = Play::of_ranks(3);
    play.start(103, 3);
    play.groups(3);
    for line in ["* barrier", "* return"] {
        (0..4).for_each(|rank| play.line(&line.replace('*', &rank.to_string())));
    }
    // A helper of it, which bears the number of the rank as well.
    play.start(203, 3);
    play.line("0 all_reduce");
    play.ended(103);
    assert_eq!(play.told(), Some("stranded"));
}

#[test]
fn a_rank_without_calls_has_ended_with_the_last_process_of_its_number() {
    let mut play = Play::of_ranks(3);
    [103, 203].into_iter().for_each(|pid| play.start(pid, 3));
    play.line("0 all_reduce");
    play.ended(203);
    assert_eq!(play.told(), None);
    play.ended(103);
    assert_eq!(play.told(), Some("stranded"));
}

#[test]
fn an_end_is_reason_to_look_again() {
    let mut play = played(Play::new(), "0 send peer=1");
    let later = play.now + QUIET_US;
    assert_eq!(play.matcher.verdict(later), None);
    play.ended(101);
    assert_eq!(play.matcher.verdict(later).map(|outcome| outcome.name()), Some("stranded"));
}

#[test]
fn a_rank_nobody_has_heard_of_may_be_starting() {
    let waiting = "0 all_reduce\n1 all_reduce\n2 all_reduce";
    assert_eq!(played(Play::of_ranks(3), waiting).matcher.verdict(u64::MAX), None);
}
