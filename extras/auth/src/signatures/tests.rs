use super::*;
use gatewright_model::json::parse;

const DATE: &str = "Tue, 02 Jan 2024 03:04:05 GMT";
const NOW: i64 = 1_704_164_645_000;
const KEY: &str = r#"{"hmac_enabled":true,"hmac_string":"s3cr3t"}"#;

/// Returns the report on a request whose wishes have had these results, or its next wish.
fn proved(settings: &str, facts: &str, answers: &str) -> String {
    said(settings, facts, answers).remove(0)
}

/// Returns the same with what follows a wish.
fn said(settings: &str, facts: &str, answers: &str) -> Vec<String> {
    let (settings, given) = (parse(settings).unwrap(), parse(answers).unwrap());
    let facts = Facts::read(parse(facts).unwrap()).unwrap();
    let mut wishes = Wishes::new("a", 0, &given);
    let proved = prove(&settings, &facts, &mut wishes);
    wishes.outcome(&proved)
}

/// Returns the facts of a request signed according to the drafts, with its session.
fn facts(fields: &str, headers: &str, session: &str) -> String {
    let credential = quote(&format!("Signature {fields}"));
    let session = match session {
        "" => String::new(),
        session => format!(",\"session\":{session}"),
    };
    format!(
        "{{\"now\":{NOW},\"org\":\"acme\",\"method\":\"POST\",\"path\":\"/api/a%20b\",\"query\":\"x=1\",\
         \"scheme\":\"https\",\"authority\":\"example.com\",\"headers\":{headers},\"credential\":{credential}{session}}}"
    )
}

fn dated() -> String {
    format!("{{\"date\":\"{DATE}\"}}")
}

const PLAIN: &str = r#"keyId="k",algorithm="hmac-sha256",signature="YWJjZA%3D%3D""#;

/// Returns the wish for a request: how its key is imported, and what was signed.
fn wish(settings: &str, facts: &str, answers: &str) -> (String, String) {
    let said = said(settings, facts, answers);
    let [text, _, signed, ..] = said.as_slice() else {
        panic!("{said:?}");
    };
    let wish = parse(text).unwrap();
    let check = wish.get("verify").unwrap_or_else(|| panic!("{text}"));
    let import = check.get("import").unwrap().span.of(text).to_owned();
    (import, signed.clone())
}

#[test]
fn key_session_is_requested_before_the_check() {
    assert_eq!(
        proved("{}", &facts(PLAIN, &dated(), ""), "[]"),
        r#"{"key":"k"}"#
    );
    let request = facts(PLAIN, &dated(), KEY);
    assert_eq!(
        said("{}", &request, "[]"),
        [
            "{\"verify\":{\"import\":{\"name\":\"HMAC\",\"hash\":\"SHA-256\"},\"by\":{\"name\":\"HMAC\"},\
             \"format\":\"raw\",\"key\":\"czNjcjN0\"}}",
            "YWJjZA",
            &format!("date: {DATE}"),
            r#"{"stored":true}"#
        ]
    );
    assert_eq!(proved("{}", &request, "[true]"), r#"{"stored":true}"#);
    assert!(proved("{}", &request, "[false]").contains(BAD));
}

#[test]
fn signature_covers_the_listed_headers() {
    let headers = format!("{{\"date\":\"{DATE}\",\"x-a\":\"1, 2\",\"x-b\":\"two  words\"}}");
    let fields = format!("{PLAIN},headers=\"(request-target) X-B x-none host date\"");
    let (_, signed) = wish("{}", &facts(&fields, &headers, KEY), "[]");
    assert_eq!(
        signed,
        format!(
            "(request-target): post /api/a%20b\nx-b: two  words\nx-none: \nhost: example.com\ndate: {DATE}"
        )
    );
    // What the reference signs of a repeated header is tried second.
    let fields = format!("{PLAIN},headers=\"x-a date\"");
    let request = facts(&fields, &headers, KEY);
    assert!(wish("{}", &request, "[]").1.starts_with("x-a: 1, 2\n"));
    assert!(wish("{}", &request, "[false]").1.starts_with("x-a: 1\n"));
    assert!(proved("{}", &request, "[false,false]").contains(BAD));
    // If there is another date header, the usual name signs it as well.
    let aux = format!("{{\"x-aux-date\":\"{DATE}\",\"date\":\"junk\"}}");
    for fields in [PLAIN.to_owned(), format!("{PLAIN},headers=\"Date\"")] {
        let (_, signed) = wish("{}", &facts(&fields, &aux, KEY), "[]");
        assert_eq!(signed, format!("x-aux-date: {DATE}"), "{fields}");
    }
    let empty = format!("{{\"x-aux-date\":\"\",\"date\":\"{DATE}\"}}");
    let (_, signed) = wish("{}", &facts(PLAIN, &empty, KEY), "[]");
    assert_eq!(signed, format!("date: {DATE}"));
    // A path is signed as sent, or as the reference reads it.
    let fields = format!("{PLAIN},headers=\"(request-target)\"");
    let request = facts(&fields, &dated(), KEY);
    assert!(wish("{}", &request, "[]").1.ends_with("/api/a%20b"));
    assert!(wish("{}", &request, "[false]").1.ends_with("/api/a b"));
}

#[test]
fn header_parses_as_in_the_reference() {
    for fields in [
        PLAIN.to_owned(),
        PLAIN.replace("keyId", "KEYID").replace(',', ", "),
        PLAIN.replace("%3D", "%3d"),
        PLAIN.replace("%3D", "="),
        PLAIN.replace("\"k\"", "k"),
        format!("{PLAIN},headers=date,"),
    ] {
        assert_eq!(
            proved("{}", &facts(&fields, &dated(), ""), "[]"),
            r#"{"key":"k"}"#,
            "{fields}"
        );
    }
    let bare = facts(PLAIN, &dated(), "").replace("Signature keyId", "keyId");
    assert_eq!(proved("{}", &bare, "[]"), r#"{"key":"k"}"#);
    for fields in [
        format!("{PLAIN},extra=\"1\""),
        format!("{PLAIN},keyId=\"k\""),
        format!("headers=\"date\",{PLAIN},headers=\"date\""),
        PLAIN.replace('"', ""),
        PLAIN.replace("\"hmac-sha256\"", "hmac-sha256"),
        PLAIN.replace("\"k\"", ""),
        format!("{PLAIN},headers=\"\""),
        PLAIN.replace("keyId=\"k\",", ""),
        PLAIN.replace("\"k\"", "\"\""),
        PLAIN.replace("YWJjZA%3D%3D", "%%%"),
        PLAIN.replace("hmac-sha256", "hmac-md5"),
        PLAIN.replace("hmac-sha256", "HMAC-SHA256"),
        PLAIN.replace("hmac-sha256", ""),
        "k".to_owned(),
    ] {
        let text = proved("{}", &facts(&fields, &dated(), KEY), "[true]");
        assert!(
            text.contains(BAD) && text.contains("\"status\":400"),
            "{fields} {text}"
        );
    }
    for headers in ["{}", r#"{"date":"yesterday"}"#] {
        assert!(
            proved("{}", &facts(PLAIN, headers, KEY), "[true]").contains(BAD),
            "{headers}"
        );
    }
    let missing = "{\"now\":1,\"org\":\"\",\"headers\":{},\"credential\":null}";
    let text = proved("{}", missing, "[]");
    assert!(text.contains(BAD) && text.contains("missing"), "{text}");
}

#[test]
fn only_allowed_algorithms_are_accepted() {
    for (algorithm, hash) in [
        (",algorithm=\"hmac-sha1\"", "SHA-1"),
        ("", "SHA-1"),
        (",algorithm=\"hmac-sha384\"", "SHA-384"),
        (",algorithm=\"hmac-sha512\"", "SHA-512"),
    ] {
        let fields = format!("keyId=\"k\"{algorithm},signature=\"YWJj\"");
        let (import, _) = wish("{}", &facts(&fields, &dated(), KEY), "[]");
        assert_eq!(import, format!("{{\"name\":\"HMAC\",\"hash\":\"{hash}\"}}"));
    }
    let request = facts(PLAIN, &dated(), KEY);
    for (list, passes) in [
        (r#"["hmac-sha256"]"#, true),
        (r#"["hmac-sha512"]"#, false),
        (r#"["HMAC-SHA256"]"#, false),
        ("[]", true),
    ] {
        let settings = format!("{{\"hmac_allowed_algorithms\":{list}}}");
        let text = proved(&settings, &request, "[true]");
        assert_eq!(text == r#"{"stored":true}"#, passes, "{list} {text}");
    }
}

#[test]
fn clock_skew_is_bounded() {
    let date = |date: &str| facts(PLAIN, &format!("{{\"date\":\"{date}\"}}"), KEY);
    let near = "Tue, 02 Jan 2024 03:04:04 GMT";
    let far = "Tue, 02 Jan 2024 03:04:07 GMT";
    for (skew, sent, passes) in [
        ("1000", near, true),
        ("1000", far, false),
        ("1000.5", far, false),
        ("0.5", near, false),
        ("1e3", near, true),
        ("1e300", far, true),
        ("0", far, true),
        ("-1", far, true),
    ] {
        let settings = format!("{{\"hmac_allowed_clock_skew\":{skew}}}");
        let text = proved(&settings, &date(sent), "[true]");
        assert_eq!(text == r#"{"stored":true}"#, passes, "{skew} {sent}");
    }
}

#[test]
fn a_key_signs_only_if_it_may() {
    for (session, passes) in [
        (KEY, true),
        (
            r#"{"enable_http_signature_validation":true,"hmac_string":"s"}"#,
            true,
        ),
        (r#"{"hmac_string":"s"}"#, false),
        (r#"{"hmac_enabled":true}"#, false),
        ("{}", false),
        ("null", false),
    ] {
        let text = proved("{}", &facts(PLAIN, &dated(), session), "[true]");
        assert_eq!(text == r#"{"stored":true}"#, passes, "{session}");
    }
}

#[test]
fn a_key_also_signs_if_its_policies_let_it() {
    for (facts_of_policies, hmac, rsa) in [
        (r#""hmac_enabled":false"#, false, false),
        (r#""hmac_enabled":true"#, true, false),
        (r#""enable_http_signature_validation":true"#, true, true),
    ] {
        let passes = |algorithm: &str, session: &str, answers: &str| {
            let fields = PLAIN.replace("hmac-sha256", algorithm).replace("%3D", "=");
            let facts = facts(&fields, &dated(), session);
            let facts = facts.replacen('{', &format!("{{{facts_of_policies},"), 1);
            proved("{}", &facts, answers) == r#"{"stored":true}"#
        };
        let secret = passes("hmac-sha256", r#"{"hmac_string":"s"}"#, "[true]");
        assert_eq!(secret, hmac, "{facts_of_policies}");
        assert!(!passes("hmac-sha256", "{}", "[true]"));
        let answers = format!("[{CERTIFICATE},true]");
        let session = r#"{"rsa_certificate_id":"acme12"}"#;
        assert_eq!(passes("rsa-sha256", session, &answers), rsa);
    }
}

const BY_CERTIFICATE: &str =
    r#"{"enable_http_signature_validation":true,"rsa_certificate_id":"acme12"}"#;
const CERTIFICATE: &str = r#"{"public":"cHVi","algorithm":"rsa"}"#;

#[test]
fn certificate_verifies_signatures_of_its_key() {
    let fields = PLAIN
        .replace("hmac-sha256", "rsa-sha256")
        .replace("%3D", "=");
    // Unlike HMAC's, its Base64 is plain. It is looked at after the certificate.
    let escaped = fields.replace("==", "%3D%3D");
    let escaped = facts(&escaped, &dated(), BY_CERTIFICATE);
    let answer = proved("{}", &escaped, &format!("[{CERTIFICATE},true]"));
    assert!(answer.contains(BAD), "{answer}");
    assert!(proved("{}", &escaped, "[null]").contains("Certificate not found"));
    let request = facts(&fields, &dated(), BY_CERTIFICATE);
    assert_eq!(proved("{}", &request, "[]"), r#"{"certificate":"acme12"}"#);
    let (import, signed) = wish("{}", &request, &format!("[{CERTIFICATE}]"));
    assert_eq!(import, r#"{"name":"RSASSA-PKCS1-v1_5","hash":"SHA-256"}"#);
    assert_eq!(signed, format!("date: {DATE}"));
    assert_eq!(
        proved("{}", &request, &format!("[{CERTIFICATE},true]")),
        r#"{"stored":true}"#
    );
    let missing = proved("{}", &request, "[null]");
    assert!(
        missing.contains("\"status\":500") && missing.contains("Certificate not found"),
        "{missing}"
    );
    assert!(proved("{}", &request, "[false]").contains("\"is\":\"unavailable\""));
    let other = proved(
        "{}",
        &request,
        r#"[{"public":"cHVi","algorithm":"ec"},true]"#,
    );
    let wrong = "\"status\":500,\"message\":\"Certificate doesn't contain RSA Public key\"";
    assert!(other.contains(wrong), "{other}");
    for session in [
        KEY,
        r#"{"hmac_enabled":true,"rsa_certificate_id":"acme12"}"#,
    ] {
        assert!(
            proved("{}", &facts(&fields, &dated(), session), "[true,true]").contains(BAD),
            "{session}"
        );
    }
    // Nor the other way round: a certificate's public key can't be a secret.
    let text = proved("{}", &facts(PLAIN, &dated(), BY_CERTIFICATE), "[true]");
    assert!(text.contains(BAD), "{text}");
}

/// Returns the facts of a request signed according to RFC 9421, with these two headers.
fn message(input: &str, signature: &str, session: &str) -> String {
    let headers = format!(
        "{{\"date\":\"{DATE}\",\"content-type\":\"application/json\",\"signature-input\":{},\"signature\":{}}}",
        quote(input),
        quote(signature)
    );
    facts("", &headers, session).replace("\"credential\":\"Signature \"", "\"credential\":null")
}

const INPUT: &str = r#"sig1=("date" "@authority" "content-type");created=1704164640;keyid="k""#;

#[test]
fn messages_are_signed_as_rfc_9421_has_it() {
    let signature = "sig1=:YWJjZA==:";
    assert_eq!(
        proved("{}", &message(INPUT, signature, ""), "[]"),
        r#"{"key":"k"}"#
    );
    let (import, signed) = wish("{}", &message(INPUT, signature, KEY), "[]");
    assert_eq!(import, r#"{"name":"HMAC","hash":"SHA-256"}"#);
    // The form of RFC 9421, appendix B.2.5.
    assert_eq!(
        signed,
        format!(
            "\"date\": {DATE}\n\"@authority\": example.com\n\"content-type\": application/json\n\
             \"@signature-params\": (\"date\" \"@authority\" \"content-type\");created=1704164640;keyid=\"k\""
        )
    );
    let parts = r#"sig1=("@method" "@path" "@query" "@request-target" "@target-uri" "@scheme");keyid="k";alg="hmac-sha256""#;
    let (_, signed) = wish("{}", &message(parts, signature, KEY), "[]");
    assert!(
        signed.starts_with(
            "\"@method\": POST\n\"@path\": /api/a%20b\n\"@query\": ?x=1\n\"@request-target\": /api/a%20b?x=1\n\
             \"@target-uri\": https://example.com/api/a%20b?x=1\n\"@scheme\": https\n"
        ),
        "{signed}"
    );
    let pss = INPUT.replace("keyid", "alg=\"rsa-pss-sha512\";keyid");
    let (import, _) = wish(
        "{}",
        &message(&pss, signature, BY_CERTIFICATE),
        &format!("[{CERTIFICATE}]"),
    );
    assert_eq!(import, r#"{"name":"RSA-PSS","hash":"SHA-512"}"#);
    // Without an algorithm, that of the key applies.
    let (import, _) = wish(
        "{}",
        &message(INPUT, signature, BY_CERTIFICATE),
        &format!("[{CERTIFICATE}]"),
    );
    assert!(import.contains("RSASSA-PKCS1-v1_5"));
    let several = format!("other=(\"date\");created=1, {INPUT}");
    let (_, signed) = wish(
        "{}",
        &message(&several, "other=:eA==:, sig1=:YWJjZA==:", KEY),
        "[]",
    );
    assert!(signed.contains("\"content-type\""), "{signed}");
}

#[test]
fn uncheckable_message_signature_is_refused() {
    let good = "sig1=:YWJjZA==:";
    for (input, signature, skew) in [
        (INPUT.replace("\"date\"", "\"x-none\""), good, 0),
        (INPUT.replace("\"date\"", "\"@status\""), good, 0),
        (INPUT.replace("\"date\"", "\"Date\""), good, 0),
        (INPUT.replace("\"date\"", "\"date\";sf"), good, 0),
        (INPUT.replace("\"@authority\"", "\"date\""), good, 0),
        // It would fit every request.
        ("sig1=();created=1704164640;keyid=\"k\"".to_owned(), good, 0),
        (INPUT.replace("\"k\"", "\"k"), good, 0),
        (INPUT.replace(";keyid=\"k\"", ""), good, 0),
        (format!("{INPUT};alg=\"hmac-sha1\""), good, 0),
        (format!("{INPUT};alg=\"none\""), good, 0),
        (format!("{INPUT};expires=1704164645"), good, 0),
        (format!("{INPUT};expires=soon"), good, 0),
        (INPUT.to_owned(), "sig2=:YWJjZA==:", 0),
        (INPUT.to_owned(), "sig1=YWJjZA==", 0),
        (INPUT.to_owned(), "", 0),
        (INPUT.to_owned(), good, 4000),
        (INPUT.replace("created=1704164640;", ""), good, 10_000),
    ] {
        let settings = format!("{{\"hmac_allowed_clock_skew\":{skew}}}");
        let text = proved(&settings, &message(&input, signature, KEY), "[true]");
        assert!(text.contains(BAD), "{input} {signature} {skew} {text}");
    }
    let near = proved(
        r#"{"hmac_allowed_clock_skew":5000}"#,
        &message(INPUT, good, KEY),
        "[true]",
    );
    assert_eq!(near, r#"{"stored":true}"#);
}

#[test]
fn a_signed_digest_of_the_body_is_compared_with_it() {
    let digest = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
    let body = BASE64_STANDARD.encode("{\"hello\": \"world\"}\n");
    let other = BASE64_STANDARD.encode("{\"hello\": \"moon\"}\n");
    let sent = |request: &str, body: &str| {
        let header = format!("\"headers\":{{\"content-digest\":\"{digest}\",");
        let request = request.replace("\"headers\":{", &header);
        request.replace(
            "\"credential\"",
            &format!("\"body\":\"{body}\",\"credential\""),
        )
    };
    let good = r#"{"stored":true}"#;
    let named = INPUT.replace("\"date\"", "\"content-digest\"");
    let message = |input: &str| message(input, "sig1=:YWJjZA==:", KEY);
    let draft = |fields: &str| facts(&format!("{PLAIN}{fields}"), &dated(), KEY);
    for (request, is_signed) in [
        (message(&named), true),
        (message(INPUT), false),
        (draft(",headers=\"date Content-Digest\""), true),
        (draft(",headers=\"date\""), false),
    ] {
        assert_eq!(proved("{}", &sent(&request, &body), "[true]"), good);
        let text = proved("{}", &sent(&request, &other), "[true]");
        assert_eq!(text != good && text.contains(BAD), is_signed, "{text}");
        // A client that can't sign learns nothing about the digest.
        let text = proved("{}", &sent(&request, &other), "[false,false]");
        assert!(text.contains("Something else was signed"), "{text}");
    }
    // The drafts sign the names of absent headers, too.
    let text = draft(",headers=\"date content-digest\"");
    assert_eq!(proved("{}", &text, "[true]"), good);
}
