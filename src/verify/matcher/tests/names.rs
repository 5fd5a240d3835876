//! Calls that bear names, and the order of these.

use super::play::told;

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
