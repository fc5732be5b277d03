use super::*;
use crate::chain::Settings;
use crate::exchange::XffDepth;
use crate::testing::{chain, request, run, send};

fn refused(definition: &str, headers: &[(&str, &str)]) -> bool {
    match send(definition, "GET", "/", headers).status() {
        None => false,
        Some(status) => status == 403,
    }
}

fn from(definition: &str, address: &str) -> bool {
    refused(definition, &[("X-Real-IP", address)])
}

#[test]
fn network_matches_by_prefix() {
    for (entry, address, is_in) in [
        ("203.0.113.9/24", "203.0.113.200", true),
        ("203.0.113.9/24", "203.0.114.9", false),
        ("203.0.113.9", "203.0.113.9", true),
        ("203.0.113.9", "203.0.113.8", false),
        ("0.0.0.0/0", "1.2.3.4", true),
        ("0.0.0.0/0", "::1", false),
        ("::ffff:10.0.0.1", "10.0.0.1", true),
        ("::ffff:10.0.0.1/104", "10.9.9.9", true),
        ("::ffff:10.0.0.1/104", "11.0.0.1", false),
        ("2001:db8::1/32", "2001:db8:1::", true),
        ("2001:db8::/32", "2001:db9::", false),
        ("::/0", "10.0.0.1", false),
    ] {
        let network = Network::parse(entry).unwrap();
        assert_eq!(
            network.contains(address.parse().unwrap()),
            is_in,
            "{entry} {address}"
        );
    }
    for entry in [
        "",
        "localhost",
        "10.0.0.0/33",
        "10.0.0/8",
        "::/129",
        "10.0.0.1/",
        "10.0.0.1/+8",
        "10.0.0.1/8/8",
        " 10.0.0.1",
    ] {
        assert_eq!(Network::parse(entry), None, "{entry}");
    }
}

#[test]
fn list_applies_unless_disabled() {
    let allow = r#""allowed_ips":["10.0.0.1"]"#;
    let block = r#""blacklisted_ips":["10.0.0.9"]"#;
    for (members, is_refused) in [
        (allow.to_owned(), true),
        (block.to_owned(), true),
        (
            format!(r#"{allow},"ip_access_control_disabled":true"#),
            false,
        ),
        (
            format!(r#"{block},"ip_access_control_disabled":true"#),
            false,
        ),
        (
            format!(r#"{allow},"ip_access_control_disabled":true,"enable_ip_whitelisting":true"#),
            true,
        ),
        (
            format!(r#"{block},"ip_access_control_disabled":true,"enable_ip_blacklisting":true"#),
            true,
        ),
        (format!(r#"{allow},"enable_ip_whitelisting":false"#), true),
        (
            r#""allowed_ips":[],"enable_ip_whitelisting":true"#.to_owned(),
            false,
        ),
        (r#""allowed_ips":null"#.to_owned(), false),
    ] {
        assert_eq!(
            from(&format!("{{{members}}}"), "10.0.0.9"),
            is_refused,
            "{members}"
        );
    }
}

#[test]
fn invalid_entries_allow_nothing() {
    let allow = r#"{"allowed_ips":["no-address","","10.0.0.3/99","10.0.0.2"]}"#;
    assert!(!from(allow, "10.0.0.2"));
    assert!(!from(allow, "::ffff:10.0.0.2"));
    assert!(from(allow, "10.0.0.3"));
    assert!(from(r#"{"blacklisted_ips":["no-address"]}"#, "10.0.0.3"));
    assert!(from(r#"{"allowed_ips":[7]}"#, "10.0.0.3"));
}

#[test]
fn both_lists_apply() {
    let both = r#"{"allowed_ips":["10.0.0.0/8"],"blacklisted_ips":["10.0.0.9"]}"#;
    assert!(!from(both, "10.0.0.8"));
    assert!(from(both, "10.0.0.9"));
    assert!(from(both, "11.0.0.1"));
}

#[test]
fn addresses_parse_as_in_the_reference() {
    let allow = r#"{"allowed_ips":["10.0.0.1"]}"#;
    for (headers, is_refused) in [
        (vec![("X-Forwarded-For", "10.0.0.1, 10.0.0.2")], false),
        (vec![("X-Forwarded-For", "10.0.0.2, 10.0.0.1")], true),
        (
            vec![("X-Real-IP", "10.0.0.2"), ("X-Forwarded-For", "10.0.0.1")],
            true,
        ),
        (
            vec![
                ("X-Real-IP", "10.0.0.1:4711"),
                ("X-Forwarded-For", "  10.0.0.1 "),
            ],
            false,
        ),
        (
            vec![("X-Real-IP", "unknown"), ("X-Forwarded-For", "unknown")],
            true,
        ),
        (vec![("Forwarded", "for=10.0.0.1")], true),
    ] {
        assert_eq!(refused(allow, &headers), is_refused, "{headers:?}");
    }
}

#[test]
fn invalid_forwarded_header_does_not_hide_the_client() {
    let unknown = [("X-Real-IP", "unknown"), ("X-Forwarded-For", "unknown, x")];
    for (list, is_refused) in [
        (r#"{"blacklisted_ips":["192.0.2.7"]}"#, true),
        (r#"{"allowed_ips":["192.0.2.7"]}"#, false),
    ] {
        let mut request = request("GET", "/", &unknown);
        request.connection_address = "192.0.2.7".into();
        let sent = run(chain(list, &Settings::default()), request, "");
        assert_eq!(sent.status(), is_refused.then_some(403), "{list}");
    }
}

#[test]
fn a_client_without_an_address_passes_no_list() {
    let block = r#"{"blacklisted_ips":["10.0.0.9"]}"#;
    let unknown = [("X-Forwarded-For", "unknown")];
    let trusting = [
        Settings {
            client_ip_header: Some("cf-connecting-ip".to_owned()),
            ..Settings::default()
        },
        Settings {
            xff_depth: XffDepth(2),
            ..Settings::default()
        },
    ];
    for settings in trusting {
        let sent = run(chain(block, &settings), request("GET", "/", &unknown), "");
        assert_eq!(sent.status(), Some(403), "{settings:?}");
    }
    let mut nowhere = request("GET", "/", &[]);
    nowhere.connection_address = "".into();
    let sent = run(chain(block, &Settings::default()), nowhere, "");
    assert_eq!(sent.status(), Some(403));
}
