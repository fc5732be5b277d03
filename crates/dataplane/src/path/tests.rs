use super::*;
use proptest::prelude::*;

fn read(raw: &str) -> Result<(String, String), PathError> {
    RequestPath::parse(raw).map(|path| (path.decoded().to_owned(), path.sent().to_owned()))
}

#[test]
fn rules_see_decoded_path_and_upstream_the_original() {
    let cases = [
        ("", "/", "/"),
        ("/a/b", "/a/b", "/a/b"),
        ("/a/b/", "/a/b/", "/a/b/"),
        ("/a%2Fb", "/a/b", "/a%2Fb"),
        ("/a%2fb", "/a/b", "/a%2fb"),
        ("/%41", "/A", "/%41"),
        ("/a%252Fb", "/a%2Fb", "/a%252Fb"),
        ("/a%5Cb", "/a\\b", "/a%5Cb"),
        ("/a\\b", "/a\\b", "/a%5Cb"),
        ("/list[1]", "/list[1]", "/list%5B1%5D"),
        ("/list(1)!", "/list(1)!", "/list(1)!"),
        ("/list[1](2)", "/list[1](2)", "/list%5B1%5D%282%29"),
        ("/list%5B1](2)", "/list[1](2)", "/list%5B1%5D(2)"),
        ("/{id}/a|b", "/{id}/a|b", "/%7Bid%7D/a%7Cb"),
        ("/caf%c3%a9", "/café", "/caf%c3%a9"),
        ("/café", "/café", "/caf%C3%A9"),
        ("/%FF%FEx", "/%FF%FEx", "/%FF%FEx"),
        ("/a%0D%0AX:%201", "/a\r\nX: 1", "/a%0D%0AX:%201"),
        ("/a%00b", "/a\0b", "/a%00b"),
        ("/a/.../.b/c.", "/a/.../.b/c.", "/a/.../.b/c."),
        ("/a/..;/b", "/a/..;/b", "/a/..;/b"),
        ("/a;v=1/b", "/a;v=1/b", "/a;v=1/b"),
    ];
    for (raw, decoded, sent) in cases {
        assert_eq!(
            read(raw),
            Ok((decoded.to_owned(), sent.to_owned())),
            "{raw}"
        );
    }
}

#[test]
fn unclean_path_is_redirected() {
    let cases = [
        ("/a/./b", "/a/b"),
        ("/a/../b", "/b"),
        ("/a/%2e%2e/b", "/b"),
        ("/a/%2E/b", "/a/b"),
        ("/a/../../b", "/b"),
        ("/a/..%2F..%2Fgo", "/go"),
        ("//", "/"),
        ("//evil.example/x", "/evil.example/x"),
        ("/a//b/", "/a/b/"),
        ("/a/%2Fb", "/a/b"),
        ("/http%3A%2F%2Fexample.com%2Fx", "/http:/example.com/x"),
        ("/a/.", "/a"),
        ("/a/b/..", "/a"),
        ("/..", "/"),
        ("/a//b%20c%0d", "/a/b%20c%0D"),
        ("/a//%ff%25ff%C3%A9", "/a/%FF%25ff%C3%A9"),
    ];
    for (raw, clean) in cases {
        assert_eq!(
            read(raw),
            Err(PathError::Unclean(clean.to_owned())),
            "{raw}"
        );
    }
}

#[test]
fn a_broken_escape_is_refused() {
    for raw in ["/a/%", "/a/%2", "/a/%zz", "/%u0041"] {
        assert_eq!(read(raw), Err(PathError::BrokenEscape), "{raw}");
    }
}

#[test]
fn rest_after_prefix_keeps_its_spelling() {
    let cases = [
        ("/base/x", 6, "x"),
        ("/b%61se%2Fx%2fy", 6, "x%2fy"),
        ("/caf%C3%A9/p%C3%A9ts", 7, "p%C3%A9ts"),
        ("/a", 0, "/a"),
        ("/%FFa", 4, "a"),
        ("/a[b", 3, "b"),
    ];
    for (raw, length, rest) in cases {
        assert_eq!(
            RequestPath::parse(raw).unwrap().sent_behind(length),
            rest,
            "{raw}"
        );
    }
}

proptest! {
    #[test]
    fn both_readings_align_at_every_position(raw in "/[a-c./%\\[é]{0,16}") {
        if let Ok(path) = RequestPath::parse(&raw) {
            prop_assert_eq!(path.sent_behind(path.decoded().len()), "");
            prop_assert_eq!(clean(path.decoded()), path.decoded());
            // The path sent on parses as the one that decisions were based on.
            let again = RequestPath::parse(path.sent()).unwrap();
            prop_assert_eq!(again.decoded(), path.decoded());
        }
    }
}
