//! The geometry of charts, and the formatting of their numbers.

use gatewright_web::state::chart::{
    HEIGHT, WIDTH, band, column_at, columns, count, line, pace, scale, share, tenths,
};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn a_scale_ends_at_a_round_number() {
    for (most, end) in [
        (0, 10),
        (3, 10),
        (10, 10),
        (11, 20),
        (21, 50),
        (51, 100),
        (999, 1000),
        (1001, 2000),
    ] {
        assert_eq!(scale(most), end, "{most}");
    }
    assert!(scale(u64::MAX / 2) >= u64::MAX / 2);
}

#[wasm_bindgen_test]
fn columns_stand_on_those_below_them() {
    let below = vec![5, 0, 10];
    assert_eq!(
        columns(std::slice::from_ref(&below), 10),
        "M166 1000v-500h1667v500zM4166 1000v-1000h1667v1000z"
    );
    // A bar that would exceed the top is cut, and a tiny one is drawn all the same.
    let above = vec![5, 1, 10];
    let path = columns(&[below, above], 10);
    assert!(path.starts_with("M166 500v-500h"), "{path}");
    assert!(path.ends_with("M4166 0v-0h1667v0z"), "{path}");
    assert!(columns(&[vec![1]], 1_000_000).contains("v-14"));
    assert_eq!(columns(&[], 10), "");
}

#[wasm_bindgen_test]
fn a_line_has_gaps_where_there_is_no_value() {
    let values = [Some(5), Some(10), None, Some(0)];
    assert_eq!(line(&values, 10), "M0 500H1500V0H3000M4500 1000H6000");
    assert_eq!(line(&[None, None], 10), "");
}

#[wasm_bindgen_test]
fn a_point_lies_in_one_column() {
    assert_eq!(column_at(0, 300, 3), Some(0));
    assert_eq!(column_at(299, 300, 3), Some(2));
    for (x, room) in [(300, 300), (-1, 300), (5, 0)] {
        assert_eq!(column_at(x, room, 3), None, "{x} of {room}");
    }
    assert_eq!(band(1, 1, 2), format!("M3000 0H{WIDTH}V{HEIGHT}H3000z"));
}

#[wasm_bindgen_test]
fn numbers_are_written_for_people() {
    assert_eq!(
        [count(0), count(999), count(1_000), count(1_234_567)],
        ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
    );
    assert_eq!(
        [tenths(4), tenths(99), tenths(1234), tenths(12_340)],
        ["0.4 ms", "9.9 ms", "123 ms", "1.2 s"]
    );
    let shares = [(0, 9), (1, 9999), (1, 200), (1, 2)].map(|(part, of)| share(part, of).unwrap());
    assert_eq!(shares, ["0 %", "<0.1 %", "0.5 %", "50 %"]);
    assert_eq!(share(0, 0), None);
    assert_eq!(
        [pace(120, 60), pace(6, 60), pace(1, 3600)],
        ["2.0/s", "6.0/min", "1.0/h"]
    );
}
