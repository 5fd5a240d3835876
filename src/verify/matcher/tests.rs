//! Scenarios: one line an event, `RANK OP [key=value…]`, and the verdict they lead to.

mod messages;
mod names;
mod play;
mod processes;

use crate::verify::watch::Watch;
use play::{Play, played, told};

#[test]
fn ranks_in_step_are_left_alone() {
    assert_eq!(
        told("* all_reduce reduce=SUM\n* return\n* barrier\n* return\n* destroy_process_group\n* end"),
        "in step"
    );
    // The last one is on its way.
    assert_eq!(told("0 all_reduce\n1 all_reduce\n2 all_reduce"), "in step");
    // Elements are moved, not shapes.
    assert_eq!(told("0 broadcast root=0 shape=2x3\n1 broadcast root=0 shape=6"), "in step");
    // Each half on a group of its own.
    assert_eq!(
        told("0 all_reduce group=1\n1 all_reduce group=1\n2 all_reduce group=2\n3 all_reduce group=2"),
        "in step"
    );
    // A loop over shards names different ones.
    assert_eq!(told("* all_reduce label=a\n* return\n0 all_reduce label=s0\n1 all_reduce label=s1"), "in step");
}

#[test]
fn different_operations_diverge() {
    let told = told("0 all_reduce\n1 barrier\n2 all_reduce\n3 all_reduce");
    assert_eq!(
        told,
        "diverged: ranks issue different operations at the same place: ranks 0, 2 and 3 issue all_reduce, rank 1 issues barrier"
    );
}

#[test]
fn parameters_that_do_not_fit_are_named() {
    assert_eq!(
        told(
            "* all_reduce reduce=SUM\n* return\n0 all_reduce reduce=MAX\n1 all_reduce reduce=SUM\n2 all_reduce reduce=SUM"
        ),
        "mismatched: reduce op of all_reduce differs between ranks: SUM on ranks 1 and 2, MAX on rank 0"
    );
    assert_eq!(
        told("0 broadcast root=0\n1 broadcast root=1"),
        "mismatched: root of broadcast differs between ranks: 0 on rank 0, 1 on rank 1"
    );
    assert_eq!(
        told("0 checkpoint.save place=/runs/1\n1 checkpoint.save place=/runs/2"),
        "mismatched: place of checkpoint.save differs between ranks: /runs/1 on rank 0, /runs/2 on rank 1"
    );
    assert_eq!(
        told("0 all_reduce shape=3\n1 all_reduce shape=4"),
        "mismatched: shape of all_reduce differs between ranks: float32[3] on rank 0, float32[4] on rank 1"
    );
    assert_eq!(
        told("0 new_group members=0-1\n1 new_group members=0-1-2-3"),
        "diverged: ranks make different groups at the same place: rank 0 makes a group of ranks 0 and 1, rank 1 makes a group of ranks 0-3"
    );
}

#[test]
fn who_waits_for_somebody_gone_is_stranded() {
    assert_eq!(
        told("0 destroy_process_group\n1 all_reduce\n2 all_reduce\n3 all_reduce"),
        "stranded: ranks 1-3 wait in all_reduce for ever: rank 0 has left by destroy_process_group"
    );
    assert_eq!(
        told("1 all_reduce\n0 exception\n0 end code=1"),
        "stranded: rank 1 waits in all_reduce for ever: ranks 2 and 3 are elsewhere, rank 0 has ended (ValueError: bad shard)"
    );
    assert_eq!(
        told("1 recv peer=0\n0 send peer=1\n0 return\n1 return\n1 recv peer=0\n0 destroy_process_group"),
        "stranded: rank 1 waits in recv for ever: rank 0 has left by destroy_process_group"
    );
}

#[test]
fn a_call_that_raises_is_not_taken_part_in() {
    // Nothing was sent: the object could not be pickled. The others wait for it.
    assert_eq!(
        told(
            "0 broadcast root=0\n0 raise\n0 destroy_process_group\n1 broadcast root=0\n2 broadcast root=0\n3 broadcast root=0"
        ),
        "stranded: ranks 1-3 wait in broadcast for ever: rank 0 has left by destroy_process_group"
    );
    // A second attempt takes the place of the first.
    assert_eq!(
        told("0 broadcast root=0\n0 raise\n0 broadcast root=0\n1 broadcast root=0\n2 broadcast root=0"),
        "in step"
    );
}

#[test]
fn the_cause_comes_before_its_consequences() {
    // Rank 0 ends; rank 1 fails in its call and leaves before anybody sees that rank 0 has ended.
    let told = told("1 all_reduce\n2 all_reduce\n1 raise\n1 destroy_process_group\n0 end code=3");
    assert!(told.ends_with("rank 0 has ended (exit code 3)"), "{told}");
}

#[test]
fn who_has_waited_need_not_wait_any_more() {
    // Rank 0 comes when the others are gone; its call fails, and it goes as well.
    let others = "1 exception\n1 end code=1\n2 exception\n2 end code=1\n3 exception\n3 end code=1\n";
    assert_eq!(
        told(&format!("{others}0 all_reduce\n0 raise\n0 exception\n0 end code=1")),
        "stranded: ranks were waited for that do not come: rank 0 has ended (ValueError: bad shard), ranks 1-3 have ended (ValueError: bad shard)"
    );
}

#[test]
fn the_cause_is_told_also_where_a_consequence_was_seen_first() {
    // Rank 1 fails in its call because rank 0 is gone, and leaves; rank 2 waits for it in another group of the same ranks.
    let told = told("1 all_reduce\n3 all_reduce\n1 raise\n2 barrier group=3\n1 destroy_process_group\n0 end code=3");
    assert!(told.contains("rank 3 waits in all_reduce") && told.ends_with("rank 0 has ended (exit code 3)"), "{told}");
}

#[test]
fn the_first_place_is_told_in_whatever_order_the_logs_were_read() {
    // Rank 2's log is read up to its first call, then those of the others, then the rest of rank 2's.
    let first = "2 all_reduce async shape=5 at=100\n1 all_reduce async shape=3 at=200\n1 all_reduce async shape=5\n";
    let others = "0 all_reduce async shape=5\n0 all_reduce async shape=3\n3 all_reduce async shape=3\n3 all_reduce async shape=5\n";
    let told = told(&format!("{first}{others}2 all_reduce async shape=3 at=110"));
    assert_eq!(
        told,
        "mismatched: shape of all_reduce differs between ranks: float32[5] on ranks 0 and 2, float32[3] on ranks 1 and 3"
    );
}

#[test]
fn the_first_place_is_told_also_where_it_is_seen_after_the_second() {
    // Ranks 0 and 1 differ at the second place before rank 2 comes to the first, where nobody has passed it.
    let first = "0 all_reduce async\n1 all_reduce async\n0 all_reduce async shape=4\n1 all_reduce async shape=5\n";
    let rest = "2 barrier async\n3 all_reduce async\n2 all_reduce async shape=4\n3 all_reduce async shape=4";
    assert_eq!(
        told(&format!("{first}{rest}")),
        "diverged: ranks issue different operations at the same place: ranks 0, 1 and 3 issue all_reduce, rank 2 issues barrier"
    );
}

#[test]
fn the_job_may_be_joined_again() {
    // The groups of the second job would be others; joining it is the same sequence.
    let round = "* init_process_group\n* return\n";
    assert_eq!(told(&format!("{round}* destroy_process_group\n* return\n{round}")), "in step");
    // One by one: the first has joined again before the last has left.
    let again = "0 destroy_process_group\n0 return\n0 init_process_group\n1 destroy_process_group\n1 return\n1 init_process_group";
    assert_eq!(told(&format!("{round}{again}")), "in step");
}

#[test]
fn a_verdict_waits_for_ranks_that_are_about_to_arrive() {
    let mut play = played(Play::new(), "0 all_reduce\n1 barrier");
    let seen = play.now;
    assert_eq!(play.matcher.verdict(seen), None);
    assert_eq!(play.matcher.verdict(seen + super::SETTLING_US - 1), None);
    assert!(play.matcher.verdict(seen + super::SETTLING_US).is_some());
    // All are there: nothing more can be learned.
    let mut play = played(Play::new(), "0 all_reduce\n1 barrier\n2 barrier\n3 barrier");
    assert!(play.matcher.verdict(play.now).is_some());
}

#[test]
fn ranks_that_wait_for_each_other_are_stranded() {
    assert_eq!(
        told("0 all_reduce group=0\n1 all_reduce group=3\n2 all_reduce group=0\n3 all_reduce group=3"),
        "stranded: ranks wait for each other: ranks 0 and 2 in all_reduce, ranks 1 and 3 in all_reduce on the group of ranks 0-3 (number 2)"
    );
    assert_eq!(
        told("0 recv peer=1\n1 recv peer=0"),
        "stranded: ranks wait for each other: rank 0 in recv from rank 1, rank 1 in recv from rank 0"
    );
    // Rank 2 computes and may come.
    assert_eq!(
        told("2 barrier group=2\n3 barrier group=2\n2 return\n0 all_reduce\n1 all_reduce\n3 return\n3 all_reduce"),
        "in step"
    );
}

#[test]
fn another_thread_may_free_the_rank() {
    let scenario = "0 all_reduce thread=1\n* return\n";
    let waits = "0 all_reduce group=3\n1 all_reduce\n2 all_reduce\n3 all_reduce";
    let both = scenario.replace("* return", "1 all_reduce\n2 all_reduce\n3 all_reduce\n* return");
    assert_eq!(told(&format!("{both}{waits}")), "in step");
}

#[test]
fn handles_nobody_waits_for_are_counted() {
    let mut play = Play::new();
    for line in ["0 all_reduce async", "0 return", "0 drop"] {
        play.line(line);
    }
    let unawaited = play.matcher.unawaited();
    assert_eq!(
        unawaited.iter().map(|(call, count)| (call.op.as_str(), *count)).collect::<Vec<_>>(),
        [("all_reduce", 1)]
    );
}

#[test]
fn a_handle_that_is_waited_for_blocks() {
    assert_eq!(
        told("0 all_reduce async\n0 return\n0 wait\n1 destroy_process_group"),
        "stranded: rank 0 waits in all_reduce for ever: ranks 2 and 3 are elsewhere, rank 1 has left by destroy_process_group"
    );
}

#[test]
fn a_call_that_raises_late_keeps_its_place() {
    // A thread of rank 0 has gone on to the next place when the call before it raises.
    let started = "0 all_reduce\n0 all_reduce thread=1\n0 raise call=0\n";
    let others: String =
        (1..4).map(|rank| format!("{rank} all_reduce\n{rank} return\n{rank} all_reduce\n{rank} return\n")).collect();
    assert_eq!(told(&format!("{started}{others}0 barrier\n1 barrier\n2 barrier\n3 barrier")), "in step");
}
