use super::*;
use gatewright_model::json::parse;

/// `anna` with the password `secret`.
const ANNA: &str = "Basic YW5uYTpzZWNyZXQ=";
const SESSION: &str = r#"{"basic_auth_data":{"hash_type":"murmur32","password":"b0d6e7cb"}}"#;

fn murmur(text: &str) -> String {
    format!(
        "{:08x}",
        murmur3::murmur3_32(&mut text.as_bytes(), 0).unwrap()
    )
}

fn session(password: &str) -> String {
    SESSION.replace("b0d6e7cb", &murmur(password))
}

fn proved(settings: &str, facts: &str) -> String {
    let facts = format!("{{\"now\":1700000000000,\"org\":\"acme\",{facts}}}");
    let (settings, facts) = (parse(settings).unwrap(), parse(&facts).unwrap());
    let facts = Facts::read(facts).unwrap();
    match prove(&settings, &facts) {
        Ok(report) => report.text(),
        Err(stop) => stop.text(),
    }
}

fn sent(credential: &str) -> String {
    let facts = format!(
        "\"credential\":{}",
        gatewright_model::json::quote(credential)
    );
    proved(r#"{"name":"Orders"}"#, &facts)
}

#[test]
fn user_session_is_requested() {
    assert_eq!(sent(ANNA), r#"{"key":"anna"}"#);
    // The first colon separates user and password, and the scheme is ignored.
    assert_eq!(sent("Bearer YW5uYTphOmI="), r#"{"key":"anna"}"#);
    assert_eq!(
        sent("Basic YW5uYTpzZWNyZXQ=, Basic Og=="),
        r#"{"key":"anna"}"#
    );
    assert_eq!(sent("Basic Og=="), r#"{"key":""}"#);
}

#[test]
fn malformed_credentials_have_the_reference_message() {
    for (credential, end) in [
        ("YW5uYTpzZWNyZXQ=", "header not in basic auth format"),
        ("Basic  YW5uYTpzZWNyZXQ=", "header not in basic auth format"),
        ("Basic a b", "header not in basic auth format"),
        ("Basic YW5uYTpzZWNyZXQ", "auth data not encoded correctly"),
        ("Basic %%%%", "auth data not encoded correctly"),
        ("Basic YW5uYQ==", "values not in basic auth format"),
    ] {
        let text = sent(credential);
        let message = format!("Attempted access with malformed header, {end}");
        assert!(
            text.contains(&message) && text.contains("\"status\":400"),
            "{text}"
        );
        assert!(text.contains("\"is\":\"malformed\""), "{text}");
        assert!(!text.contains("authenticate"), "{text}");
    }
}

#[test]
fn another_encoding_is_a_wrong_password() {
    // `anna:p\xe4`
    assert_eq!(sent("Basic YW5uYTpw5A=="), r#"{"key":"anna"}"#);
}

#[test]
fn retryable_refusal_has_a_challenge() {
    let name = r#"{"name":"Orders \"v1\" & \\ mö\nre"}"#;
    let realm = r#""www-authenticate":"Basic realm=\"Orders \\\"v1\\\" & \\\\ mre\"""#;
    let missing = proved(name, "\"credential\":null");
    assert!(
        missing.contains("Authorization field missing") && missing.contains(realm),
        "{missing}"
    );
    assert!(missing.contains("\"is\":\"missing\""), "{missing}");
    let credential = format!("\"credential\":\"{ANNA}\"");
    for facts in [
        format!("{credential},\"session\":null"),
        format!("{credential},\"session\":{{}}"),
        format!("{credential},\"session\":{}", session("other")),
    ] {
        let wrong = proved(name, &facts);
        assert!(
            wrong.contains("User not authorised") && wrong.contains(realm),
            "{wrong}"
        );
    }
}

#[test]
fn correct_password_is_cached_unless_disabled() {
    let facts = format!(
        "\"credential\":\"{ANNA}\",\"session\":{}",
        session("secret")
    );
    for (settings, report) in [
        ("{}", r#"{"stored":true,"until":1700000060000}"#),
        (
            r#"{"basic_auth":{"cache_ttl":5}}"#,
            r#"{"stored":true,"until":1700000005000}"#,
        ),
        (
            r#"{"basic_auth":{"cache_ttl":3600}}"#,
            r#"{"stored":true,"until":1700000060000}"#,
        ),
        (
            r#"{"basic_auth":{"disable_caching":true}}"#,
            r#"{"stored":true}"#,
        ),
    ] {
        assert_eq!(proved(settings, &facts), report);
    }
}

#[test]
fn credentials_may_come_from_the_body() {
    let settings = r#"{"name":"a","basic_auth":{"extract_from_body":true,
        "body_user_regexp":"user=([^&]*)","body_password_regexp":"pass=([^&]*)"}}"#;
    let of = |body: &str| {
        proved(
            settings,
            &format!("\"credential\":null,\"body\":\"{body}\""),
        )
    };
    assert_eq!(of("pass=secret&user=anna"), r#"{"key":"anna"}"#);
    assert!(of("pass=x").contains("Body do not contain username"));
    assert!(of("user=x").contains("Body do not contain password"));
    let groupless = settings.replace("pass=([^&]*)", "pass=[^&]*");
    let text = proved(&groupless, "\"credential\":null,\"body\":\"user=a&pass=b\"");
    assert!(
        text.contains("password should be inside regexp match group"),
        "{text}"
    );
    assert!(text.contains("\"flag\":\"BIV\""), "{text}");
    // Braces that count nothing are text, as in RE2.
    let json = settings.replace("user=([^&]*)", r#"{\"user\":\"(\\w+)"#);
    let json = json.replace("pass=([^&]*)", "x");
    let text = proved(&json, r#""credential":null,"body":"{\"user\":\"bob\",x""#);
    assert!(text.contains("password should be"), "{text}");
    let optional = settings.replace("user=([^&]*)", "user=(a)?");
    let text = proved(&optional, "\"credential\":null,\"body\":\"user=&pass=b\"");
    assert_eq!(text, r#"{"key":""}"#);
    // A header that can be parsed is final, one that can't is ignored.
    let both = |credential: &str| {
        let body = "\"body\":\"user=bob&pass=x\"";
        proved(settings, &format!("\"credential\":\"{credential}\",{body}"))
    };
    assert_eq!(both(ANNA), r#"{"key":"anna"}"#);
    assert_eq!(both("nonsense"), r#"{"key":"bob"}"#);
    let good = format!(
        "\"credential\":null,\"body\":\"user=anna&pass=secret\",\"session\":{}",
        session("secret")
    );
    assert_eq!(proved(settings, &good), r#"{"stored":true}"#);
}

#[test]
fn wrong_passwords_are_limited_by_network() {
    let facts = |password: &str, network: &str| {
        format!(
            "\"credential\":\"{ANNA}\",\"network\":\"{network}\",\"session\":{}",
            session(password)
        )
    };
    let tried = |password, network| proved("{}", &facts(password, network));
    for _ in 0..19 {
        assert!(tried("other", "192.0.2.1").contains("Another password"));
    }
    assert!(tried("secret", "192.0.2.1").contains("\"stored\":true"));
    assert!(tried("other", "192.0.2.1").contains("Another password"));
    assert!(tried("secret", "192.0.2.1").contains("too many wrong passwords"));
    assert!(tried("secret", "192.0.2.2").contains("\"stored\":true"));
    assert!(attempts::may_try("192.0.2.1", 1_700_000_010));
}

#[test]
fn unknown_user_takes_as_long_as_a_known_one() {
    use super::password::tests::COSTS;
    let bcrypt = |cost: u32| {
        let hash = "DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.";
        let stored = format!("$2a${cost:02}${hash}");
        format!(r#"{{"basic_auth_data":{{"hash_type":"bcrypt","password":"{stored}"}}}}"#)
    };
    let costs = |session: &str, network: &str| {
        let facts = format!(r#""credential":"{ANNA}","network":"{network}","session":{session}"#);
        let report = proved("{}", &facts);
        assert!(report.contains("User not authorised"), "{report}");
        COSTS.with_borrow_mut(std::mem::take)
    };
    // Before anything was checked, the cost is that of new hashes.
    assert_eq!(costs("null", "a"), [10]);
    assert_eq!(costs(&bcrypt(5), "b"), [5]);
    for nobody in ["null", "{}", r#"{"basic_auth_data":{}}"#, &bcrypt(31)] {
        assert_eq!(costs(nobody, "b"), [5], "{nobody}");
    }
    assert_eq!(costs(&session("other"), "b"), [0_u32; 0]);
    assert_eq!(costs("null", "b"), [0_u32; 0]);
    // After too many attempts, nothing is checked at all.
    assert_eq!(costs(&bcrypt(4), "c"), [4]);
    for _ in 0..19 {
        assert_eq!(costs("null", "c"), [4]);
    }
    assert_eq!(costs("null", "c"), [0_u32; 0]);
}
