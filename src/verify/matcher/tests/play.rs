//! Four ranks that play a scenario: one line an event, `RANK OP [key=value…]`; `at=` sets the clock back or forth.

use super::super::Matcher;
use crate::verify::event::{
    Event, Fact, Family, Frame, Group, Joined, Lost, Moment, Raised, Signature, SiteFact, Start, Tensor, What,
};
use crate::verify::outcome::{Ending, Outcome};
use crate::verify::watch::Watch;

/// Ranks whose events are written down by hand.
pub(super) struct Play {
    pub(super) matcher: Matcher,
    pub(super) now: u64,
    /// By rank: numbers of signatures and calls given out, and the calls that are open.
    pub(super) signatures: Vec<u32>,
    pub(super) numbers: Vec<u64>,
    open: Vec<Vec<u64>>,
}

/// Groups that every scenario has, by number.
const GROUPS: [&[u32]; 4] = [&[0, 1, 2, 3], &[0, 1], &[2, 3], &[0, 1, 2, 3]];

impl Play {
    /// All four ranks have joined the job.
    pub(super) fn new() -> Play {
        Play::of_ranks(4)
    }

    /// The first ranks of four have joined the job; nothing is known of the others.
    pub(super) fn of_ranks(count: u32) -> Play {
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
    pub(super) fn groups(&mut self, rank: u32) {
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
    pub(super) fn start(&mut self, pid: u32, rank: u32) {
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

    pub(super) fn ended(&mut self, pid: u32) {
        self.now += 10;
        let ending = Ending { code: Some(0), signal: None, told: false, exception: String::new(), time_us: self.now };
        self.matcher.ended(pid, &ending);
    }

    pub(super) fn told(&mut self) -> Option<&'static str> {
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
    pub(super) fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rank: u32 = words[0].parse().expect("a line begins with a rank");
        let index = rank as usize;
        let value = |key: &str| {
            words[2..].iter().find_map(|word| word.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')))
        };
        let number = |key: &str| value(key).map(|text| text.parse::<u32>().expect("a number"));
        // Logs are read one after the other: an event may be told later than it was.
        if let Some(at) = number("at") {
            self.now = u64::from(at);
        }
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
                        place: value("place").unwrap_or("").into(),
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

pub(super) fn played(mut play: Play, scenario: &str) -> Play {
    for line in scenario.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix('*') {
            Some(rest) => (0..4).for_each(|rank| play.line(&format!("{rank}{rest}"))),
            None => play.line(line),
        }
    }
    play
}

/// The name of the outcome and its sentence.
pub(super) fn told(scenario: &str) -> String {
    match outcome(scenario) {
        None => "in step".into(),
        Some(outcome) => {
            let divergence = outcome.divergence().expect("the matcher tells of divergences only");
            format!("{}: {}", outcome.name(), divergence.message)
        }
    }
}
