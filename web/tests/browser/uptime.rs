//! The history of an uptime test.

use gatewright_web::api::upstreams::Check;
use gatewright_web::state::uptime::{BARS, Span, bars, runs, up_permille};
use wasm_bindgen_test::wasm_bindgen_test;

/// Returns checks ten seconds apart, one per letter: good, wrong status, no response.
fn checks(letters: &str) -> Vec<Check> {
    let check = |(at, letter): (i64, char)| Check {
        at,
        up: letter == 'u',
        status: match letter {
            'u' => 200,
            's' => 503,
            _ => 0,
        },
        ms: 20,
        error: if letter == 't' {
            "no answer within 10 s".to_owned()
        } else {
            String::new()
        },
    };
    (0..).step_by(10).zip(letters.chars()).map(check).collect()
}

fn descriptions(spans: &[Span]) -> Vec<String> {
    let one = |span: &Span| {
        format!(
            "{}-{} {}: {}",
            span.from,
            span.to,
            span.state(),
            span.says()
        )
    };
    spans.iter().map(one).collect()
}

#[wasm_bindgen_test]
fn each_check_is_a_bar_until_there_are_too_many() {
    assert_eq!(
        descriptions(&bars(&checks("us"))),
        ["0-0 up: up, 20 ms", "10-10 down: down: status 503"]
    );
    assert_eq!(bars(&[]), []);
    let many = "u".repeat(BARS * 2) + "t";
    let drawn = bars(&checks(&many));
    assert!(drawn.len() <= BARS);
    assert_eq!(drawn.iter().map(|bar| bar.checks).sum::<u64>(), 181);
    // The newest bar is full, the oldest may not be.
    let last = drawn.last().unwrap();
    assert_eq!(last.checks, 3);
    assert_eq!(
        descriptions(std::slice::from_ref(last)),
        ["1780-1800 mixed: 1 of 3 failed: no answer within 10 s, 20 ms"]
    );
}

#[wasm_bindgen_test]
fn unchanged_periods_are_listed_newest_first() {
    assert_eq!(
        descriptions(&runs(&checks("uusxu"))),
        [
            "40-40 up: up, 20 ms",
            "20-30 down: down: no answer",
            "0-10 up: up, 20 ms"
        ]
    );
    assert_eq!(runs(&[]), []);
}

#[wasm_bindgen_test]
fn the_share_of_good_checks_is_of_all_of_them() {
    assert_eq!(up_permille(&checks("uus")), Some(666));
    assert_eq!(up_permille(&[]), None);
}
