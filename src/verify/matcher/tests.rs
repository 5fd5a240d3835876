//! Scenarios: one line an event, `RANK OP [key=value…]`, and the verdict they lead to.

use super::Matcher;
use crate::verify::event::{
    Event, Fact, Family, Frame, Group, Joined, Lost, Moment, Raised, Signature, SiteFact, Start, Tensor, What,
};
use crate::verify::outcome::{Ending, Outcome};
use crate::verify::watch::Watch;

struct Play {
    matcher: Matcher,
    now: u64,
    /// By rank: numbers of signatures and calls given out, and the calls that are open.
    signatures: Vec<u32>,
    numbers: Vec<u64>,
    open: Vec<Vec<u64>>,
}

/// Groups that every scenario has, by number.
const GROUPS: [&[u32]; 4] = [&[0, 1, 2, 3], &[0, 1], &[2, 3], &[0, 1, 2, 3]];

impl Play {
    /// All four ranks have joined the job.
    fn new() -> Play {
        Play::of_ranks(4)
    }

    /// The first ranks of four have joined the job; nothing is known of the others.
    fn of_ranks(count: u32) -> Play {
        let mut play = Play {
            matcher: Matcher::new(4),
            now: 0,
            signatures: vec![0; 4],
            numbers: vec![0; 4],
            open: vec![Vec::new(); 4],
        };
        for rank in 0..count {
            play.fact(rank, Fact::Joined(Joined { rank, world: 4 }));
            play.groups(rank);
        }
        play
    }

    /// The groups of a rank.
    fn groups(&mut self, rank: u32) {
        for (id, ranks) in (0..).zip(GROUPS) {
            let group = Group {
                id,
                ranks: ranks.to_vec(),
                ordinal: u32::from(id == 3),
                backend: "gloo".into(),
                label: String::new(),
                world: id == 0,
            };
            self.fact(rank, Fact::Group(group));
        }
    }

    /// A process says that it has started, with the number of a rank in its environment.
    fn start(&mut self, pid: u32, rank: u32) {
        let start = Start {
            version: 1,
            pid,
            ppid: 1,
            rank: Some(rank),
            world: Some(4),
            host: String::new(),
            argv: Vec::new(),
            executable: String::new(),
            python: String::new(),
            cwd: String::new(),
            time_us: 0,
            monotonic_us: 0,
        };
        self.matcher.event(pid, &Event::Fact(Box::new(Fact::Start(start))));
    }

    fn ended(&mut self, pid: u32) {
        self.now += 10;
        let ending = Ending { code: Some(0), signal: None, told: false, exception: String::new(), time_us: self.now };
        self.matcher.ended(pid, &ending);
    }

    fn told(&mut self) -> Option<&'static str> {
        self.matcher.verdict(u64::MAX).map(|outcome| outcome.name())
    }

    fn fact(&mut self, rank: u32, fact: Fact) {
        self.matcher.event(100 + rank, &Event::Fact(Box::new(fact)));
    }

    fn moment(&mut self, rank: u32, what: What, call: u64) {
        self.now += 10;
        self.matcher.event(100 + rank, &Event::Moment(Moment { what, call, time_us: self.now }));
    }

    /// Plays one line.
    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rank: u32 = words[0].parse().expect("a line begins with a rank");
        let index = rank as usize;
        let value = |key: &str| {
            words[2..].iter().find_map(|word| word.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')))
        };
        let number = |key: &str| value(key).map(|text| text.parse::<u32>().expect("a number"));
        match words[1] {
            "return" => {
                let call = self.open[index].pop().expect("a call is open");
                self.moment(rank, What::Return, call);
            }
            "lost" => self.fact(rank, Fact::Lost(Lost { why: "no space left on device".into() })),
            "raise" => {
                let open = self.open[index].pop();
                let call = number("call").map(u64::from).or(open).expect("a call is open");
                self.moment(rank, What::Raise, call);
            }
            "wait" => self.moment(rank, What::Wait, number("call").map_or(self.numbers[index] - 1, u64::from)),
            "drop" => self.moment(rank, What::Drop, self.numbers[index] - 1),
            "exception" => {
                let frames = vec![Frame { path: "/w/t.py".into(), line: 7, function: "f".into() }];
                let (class, message, thread) = ("ValueError".into(), "bad shard".into(), "MainThread".into());
                self.fact(rank, Fact::Raised(Raised { class, message, frames, thread }));
            }
            "end" => {
                self.now += 10;
                let code = number("code").map_or(0, |code| code as i32);
                let ending =
                    Ending { code: Some(code), signal: None, told: false, exception: String::new(), time_us: self.now };
                self.matcher.ended(100 + rank, &ending);
            }
            op => {
                let family = match op {
                    "send" => Family::Send,
                    "recv" => Family::Receive,
                    "new_group" => Family::MakeGroup,
                    "destroy_process_group" => Family::Leave,
                    "init_process_group" => Family::Join,
                    _ => Family::Collective,
                };
                let (signature, call) = (self.signatures[index], self.numbers[index]);
                self.signatures[index] += 1;
                self.numbers[index] += 1;
                let line = number("line").unwrap_or(10);
                let frames = vec![Frame { path: "/w/t.py".into(), line, function: "f".into() }];
                self.fact(rank, Fact::Site(SiteFact { id: signature, frames }));
                let sizes =
                    value("shape").unwrap_or("3").split('x').map(|size| size.parse().expect("a size")).collect();
                let group = (family != Family::Leave).then(|| number("group").unwrap_or(0));
                self.fact(
                    rank,
                    Fact::Signature(Signature {
                        id: signature,
                        op: op.into(),
                        family,
                        group,
                        site: signature,
                        reduce: value("reduce").map(Into::into),
                        root: number("root"),
                        peer: number("peer"),
                        tag: number("tag").map_or(0, i64::from),
                        tensors: vec![Tensor { dtype: value("dtype").unwrap_or("float32").into(), shape: sizes }],
                        asynchronous: words.contains(&"async"),
                        members: value("members")
                            .unwrap_or("")
                            .split('-')
                            .filter_map(|rank| rank.parse().ok())
                            .collect(),
                        implicit: String::new(),
                        label: value("label").unwrap_or("").into(),
                    }),
                );
                let thread = number("thread").unwrap_or(0);
                self.moment(rank, What::Enter { signature, thread }, call);
                self.open[index].push(call);
            }
        }
    }
}

/// Plays a scenario; a rank written `*` stands for all four.
fn outcome(scenario: &str) -> Option<Outcome> {
    played(Play::new(), scenario).matcher.verdict(u64::MAX)
}

fn played(mut play: Play, scenario: &str) -> Play {
    for line in scenario.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix('*') {
            Some(rest) => (0..4).for_each(|rank| play.line(&format!("{rank}{rest}"))),
            None => play.line(line),
        }
    }
    play
}

/// The name of the outcome and its sentence.
fn told(scenario: &str) -> String {
    match outcome(scenario) {
        None => "in step".into(),
        Some(outcome) => {
            let divergence = outcome.divergence().expect("the matcher tells of divergences only");
            format!("{}: {}", outcome.name(), divergence.message)
        }
    }
}

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
fn the_cause_is_told_also_where_a_consequence_was_seen_first() {
    // Rank 1 fails in its call because rank 0 is gone, and leaves; rank 2 waits for it in another group of the same ranks.
    let told = told("1 all_reduce\n3 all_reduce\n1 raise\n2 barrier group=3\n1 destroy_process_group\n0 end code=3");
    assert!(told.contains("rank 3 waits in all_reduce") && told.ends_with("rank 0 has ended (exit code 3)"), "{told}");
}

#[test]
fn a_receive_from_somebody_gone_is_told_at_once() {
    let mut play = played(Play::new(), "0 destroy_process_group\n1 recv peer=0");
    let outcome = play.matcher.verdict(play.now).or_else(|| play.matcher.verdict(play.now + super::SETTLING_US));
    assert_eq!(outcome.map(|outcome| outcome.name()), Some("stranded"));
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
fn a_rank_nobody_has_heard_of_may_be_starting() {
    let waiting = "0 all_reduce\n1 all_reduce\n2 all_reduce";
    assert_eq!(played(Play::of_ranks(3), waiting).matcher.verdict(u64::MAX), None);
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
fn the_same_names_in_another_order_diverge() {
    let told = told(
        "0 all_reduce label=a\n1 all_reduce label=b\n2 all_reduce label=a\n3 all_reduce label=a\n* return
        0 all_reduce label=b\n1 all_reduce label=a\n2 all_reduce label=b\n3 all_reduce label=b",
    );
    assert_eq!(
        told,
        "diverged: ranks go through the same names in different orders: all_reduce is issued by ranks 0, 2 and 3 with a, by rank 1 with b"
    );
}

#[test]
fn ends_of_a_message_must_fit() {
    assert_eq!(
        told("0 send peer=1 shape=3\n1 recv peer=0 shape=4"),
        "mismatched: shape differs between the ends of a message: rank 0 sends float32[3], rank 1 expects float32[4]"
    );
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

#[test]
fn calls_without_names_are_in_no_order() {
    let (named, bare) = ("all_reduce label=a", "all_reduce");
    let round = |first: &str, others: &str| format!("0 {first}\n1 {others}\n2 {others}\n3 {others}\n* return\n");
    assert_eq!(told(&(round(named, bare) + &round(bare, named))), "in step");
}

#[test]
fn names_are_followed_for_so_long_only() {
    let mut scenario = String::new();
    for (one, other) in [("a", "b"), ("b", "a")] {
        for number in 0..300 {
            scenario.push_str(&format!("0 all_reduce group=1 label={one}{number}\n0 return\n"));
            scenario.push_str(&format!("1 all_reduce group=1 label={other}{number}\n1 return\n"));
        }
    }
    assert_eq!(told(&scenario), "in step");
}

#[test]
fn a_call_that_raises_late_keeps_its_place() {
    // A thread of rank 0 has gone on to the next place when the call before it raises.
    let started = "0 all_reduce\n0 all_reduce thread=1\n0 raise call=0\n";
    let others: String =
        (1..4).map(|rank| format!("{rank} all_reduce\n{rank} return\n{rank} all_reduce\n{rank} return\n")).collect();
    assert_eq!(told(&format!("{started}{others}0 barrier\n1 barrier\n2 barrier\n3 barrier")), "in step");
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
    let later = play.now + super::QUIET_US;
    assert_eq!(play.matcher.verdict(later), None);
    play.ended(101);
    assert_eq!(play.matcher.verdict(later).map(|outcome| outcome.name()), Some("stranded"));
}
