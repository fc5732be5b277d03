//! The cache settings of a definition.

use gatewright_web::state::caching::{Caching, lasting};
use wasm_bindgen_test::wasm_bindgen_test;

const TEXT: &str = r#"{
    "cache_options": { "enable_cache": true, "cache_timeout": 120, "cache_response_codes": [200, 404],
        "enable_upstream_cache_control": true, "cache_by_headers": ["Accept-Language"] },
    "version_data": { "versions": {
        "one": { "use_extended_paths": true, "extended_paths": {
            "cache": ["/list"],
            "advance_cache_config": [
                { "method": "POST", "path": "/search", "timeout": 5, "cache_key_regex": "id=\\d+", "cache_response_codes": [200] },
                { "method": "GET", "path": "/late", "timeout": 0 },
                { "method": "GET", "path": "/off", "disabled": true }
            ] } },
        "two": { "extended_paths": { "cache": ["/never"] } } } } }"#;

#[wasm_bindgen_test]
fn options_and_rules_are_read_as_the_gateway_reads_them() {
    let caching = Caching::of(TEXT);
    assert!(caching.on && !caching.safe && caching.keeps());
    assert_eq!(
        (caching.seconds, caching.statuses.join(" ")),
        (120, "200 404".to_owned())
    );
    assert_eq!(
        caching.control.as_deref(),
        Some("x-gateway-cache-action-set-ttl")
    );
    assert_eq!(caching.headers, ["Accept-Language"]);
    let rules: Vec<String> = caching
        .rules
        .iter()
        .map(|rule| {
            let statuses = rule.statuses.join("+");
            format!(
                "{} {} {} {} [{statuses}] {}",
                rule.version, rule.method, rule.path, rule.seconds, rule.part
            )
        })
        .collect();
    assert_eq!(
        rules,
        [
            "one POST /search 5 [200] id=\\d+",
            "one GET /late 120 [] ",
            "one GET, HEAD, OPTIONS /list 120 [200+404] ",
        ]
    );
}

#[wasm_bindgen_test]
fn caching_is_off_by_default_for_a_minute_if_on() {
    for text in [
        "",
        "{}",
        "[]",
        r#"{"cache_options":{"cache_all_safe_requests":true}}"#,
    ] {
        assert!(!Caching::of(text).keeps(), "{text}");
    }
    let on = Caching::of(r#"{"cache_options":{"enable_cache":true}}"#);
    assert!(on.on && !on.keeps());
    let safe = Caching::of(
        r#"{"cache_options":{"enable_cache":true,"cache_all_safe_requests":true,"enable_upstream_cache_control":true,"cache_control_ttl_header":"X-TTL"},
            "version_data":{"versions":{"Default":{"use_extended_paths":true,"extended_paths":{"cache":["/a"]}}}}}"#,
    );
    assert!(safe.keeps());
    assert_eq!((safe.seconds, safe.control.as_deref()), (60, Some("x-ttl")));
    assert_eq!(safe.rules[0].version, "");
}

#[wasm_bindgen_test]
fn times_have_units() {
    for (seconds, told) in [
        (0, "Not kept"),
        (59, "59 s"),
        (60, "1 min"),
        (90, "90 s"),
        (7_200, "2 h"),
        (172_800, "2 d"),
    ] {
        assert_eq!(lasting(seconds), told);
    }
}
