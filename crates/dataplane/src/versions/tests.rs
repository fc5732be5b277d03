use super::*;
use crate::testing::request;

/// Chooses a version for a request to an API that listens on `/base/`.
fn choose(definition: &str, path: &str, headers: &[(&str, &str)]) -> Result<Choice, Failure> {
    let value = gatewright_model::json::parse(definition).unwrap();
    let loaded = |id: &str| id.starts_with("api-");
    Versions::compile(&value).choose(&request("GET", path, headers), 6, &loaded)
}

/// The name of the version, and what serves it.
fn served(definition: &str, path: &str, header: &str) -> Result<(String, Serves), Failure> {
    let headers: &[(&str, &str)] = if header == "none" {
        &[]
    } else {
        &[("x-version", header)]
    };
    choose(definition, path, headers).map(|choice| (choice.name, choice.serves))
}

fn own(name: &str, at: usize) -> Result<(String, Serves), Failure> {
    Ok((name.to_owned(), Serves::Own(Some(at))))
}

fn child(name: &str, id: &str) -> Result<(String, Serves), Failure> {
    Ok((name.to_owned(), Serves::Child(id.to_owned())))
}

fn older(chooser: &str, default: &str) -> String {
    format!(
        r#"{{"definition":{{{chooser}}},"version_data":{{"not_versioned":false,"default_version":"{default}",
            "versions":{{"v1":{{"name":"v1"}},"v2":{{"override_target":"http://two/x?k=1"}}}}}}}}"#
    )
}

fn newer(rest: &str) -> String {
    format!(
        r#"{{"definition":{{"enabled":true,"name":"v1","location":"header","key":"X-Version",
            "versions":{{"v2":"api-2","v3":"gone"}},{rest}}},
            "version_data":{{"not_versioned":true,"versions":{{"Default":{{}}}}}}}}"#
    )
}

#[test]
fn an_older_version_is_chosen_by_name() {
    let header = r#""location":"header","key":"x-Version""#;
    let with_default = older(header, "v1");
    for (asked, expected) in [
        ("v1", own("v1", 0)),
        ("v2", own("v2", 1)),
        ("v2, v1", own("v2", 1)),
        ("", own("v1", 0)),
        ("none", own("v1", 0)),
        ("V2", Err(Failure::VersionUnknownHere)),
        ("v9", Err(Failure::VersionUnknownHere)),
    ] {
        assert_eq!(served(&with_default, "/base/x", asked), expected, "{asked}");
    }
    let falls_back = format!(r#"{header},"fallback_to_default":true"#);
    for (chooser, default, asked, expected) in [
        (header, "", "none", Err(Failure::VersionMissing)),
        (header, "nope", "none", Err(Failure::VersionUnknownHere)),
        (&falls_back, "v2", "v9", own("v2", 1)),
        (&falls_back, "nope", "v9", Err(Failure::VersionUnknownHere)),
        (&falls_back, "", "v9", Err(Failure::VersionUnknownHere)),
        (r#""location":"header""#, "v1", "v2", own("v1", 0)),
        (
            r#""location":"elsewhere","key":"x-version""#,
            "",
            "v2",
            Err(Failure::VersionMissing),
        ),
    ] {
        let definition = older(chooser, default);
        assert_eq!(
            served(&definition, "/base/x", asked),
            expected,
            "{chooser} {default}"
        );
    }
}

#[test]
fn version_in_query_is_kept_or_removed() {
    let kept = older(r#""location":"url-param","key":"v""#, "v1");
    let stripped = older(
        r#""location":"url-param","key":"v","strip_versioning_data":true"#,
        "v1",
    );
    for (path, version) in [
        ("/base/x?v=v2&v=v1", own("v2", 1)),
        ("/base/x?v=&a=1", own("v1", 0)),
        ("/base/x?V=v2", own("v1", 0)),
        ("/base/x?a=1&%76=v%32", own("v2", 1)),
    ] {
        assert_eq!(served(&kept, path, "none"), version, "{path}");
        assert_eq!(served(&stripped, path, "none"), version, "{path}");
    }
    assert_eq!(
        choose(&kept, "/base/x?v=v2", &[]).unwrap().strips,
        Strip::Nothing
    );
    let strips = choose(&stripped, "/base/x?v=v2", &[]).unwrap().strips;
    for (query, rest) in [
        ("b=2&v=v2&a=x%20y", "b=2&a=x%20y"),
        ("v=v2", ""),
        ("b=2&a=1", "b=2&a=1"),
        ("v&b=%zz;c&%76=1&&vv=1", "b=%zz;c&&vv=1"),
    ] {
        assert_eq!(strips.query(query).as_deref(), Some(rest), "{query}");
    }
}

#[test]
fn stripping_the_version_changes_nothing_else() {
    for location in [r#""header","key":"x-version""#, r#""url-param","key":"v""#] {
        let chooser = format!(r#""strip_path":true,"location":{location}"#);
        let choice = choose(
            &older(&chooser, "v1"),
            "/base/x?v=v2",
            &[("x-version", "v2")],
        );
        let choice = choice.map(|choice| (choice.name, choice.strips));
        assert_eq!(choice, Ok(("v2".to_owned(), Strip::Nothing)), "{location}");
    }
}

#[test]
fn a_version_in_the_path_is_a_segment() {
    let url = |rest: &str| older(&format!(r#""location":"url"{rest}"#), "v1");
    let stripping = url(r#","strip_path":true"#);
    let choice = |definition: &str, path: &str| {
        let choice = choose(definition, path, &[])?;
        Ok((choice.name, choice.segment, choice.strips))
    };
    let found = |name: &str, segment: usize, strips: Strip| Ok((name.to_owned(), segment, strips));
    assert_eq!(
        choice(&stripping, "/base/v2/x"),
        found("v2", 2, Strip::Segment)
    );
    assert_eq!(
        choice(&stripping, "/base/v%32"),
        found("v2", 2, Strip::Segment)
    );
    assert_eq!(choice(&stripping, "/base/"), found("v1", 0, Strip::Nothing));
    assert_eq!(
        choice(&stripping, "/base/x"),
        Err(Failure::VersionUnknownHere)
    );
    assert_eq!(
        choice(&url(""), "/base/v2/x"),
        found("v2", 2, Strip::Nothing)
    );
    let pattern = url(
        r#","strip_path":true,"url_versioning_pattern":"^v[0-9]+$","fallback_to_default":true"#,
    );
    assert_eq!(
        choice(&pattern, "/base/pets/7"),
        found("v1", 0, Strip::Nothing)
    );
    assert_eq!(
        choice(&pattern, "/base/v9/x"),
        found("v1", 2, Strip::Segment)
    );
    // A last segment that is no version is what the client asks for.
    let any = url(r#","strip_path":true,"fallback_to_default":true"#);
    for (path, expected) in [
        ("/base/pets/7", found("v1", 4, Strip::Segment)),
        ("/base/pets", found("v1", 0, Strip::Nothing)),
        ("/base/v2", found("v2", 2, Strip::Segment)),
    ] {
        assert_eq!(choice(&any, path), expected, "{path}");
    }
    let without_fallback = pattern.replace("\"fallback_to_default\":true", "\"enabled\":false");
    for (path, expected) in [
        ("/base/pets/7", Err(Failure::VersionUnknownHere)),
        ("/base/v9/x", Err(Failure::VersionUnknownHere)),
        ("/base/v2/x", found("v2", 2, Strip::Segment)),
        ("/base/", found("v1", 0, Strip::Nothing)),
    ] {
        assert_eq!(choice(&without_fallback, path), expected, "{path}");
    }
    // The listen path need not end with a slash.
    let value = gatewright_model::json::parse(&stripping).unwrap();
    let versions = Versions::compile(&value);
    let choice = versions.choose(&request("GET", "/base/v2/x", &[]), 5, &|_| false);
    assert_eq!(choice.unwrap().segment, 3);
}

#[test]
fn a_newer_version_is_itself_or_another_api() {
    let with_self = newer(r#""default":"self","strip_versioning_data":true"#);
    for (asked, expected) in [
        ("none", own("Default", 0)),
        ("v1", own("Default", 0)),
        ("self", own("Default", 0)),
        ("v2", child("v2", "api-2")),
        ("v3", Err(Failure::VersionUnknown)),
        ("v9", Err(Failure::VersionUnknown)),
    ] {
        assert_eq!(served(&with_self, "/base/x", asked), expected, "{asked}");
    }
    let strips = choose(&with_self, "/base/x", &[("x-version", "v2")]);
    assert_eq!(
        strips.unwrap().strips,
        Strip::Header("x-version".to_owned())
    );
    for (rest, asked, expected) in [
        (r#""default":"""#, "none", Err(Failure::VersionMissing)),
        (r#""default":"nope""#, "none", Err(Failure::VersionUnknown)),
        (r#""default":"v2""#, "none", child("v2", "api-2")),
        (
            r#""default":"v1","fallback_to_default":true"#,
            "v9",
            own("Default", 0),
        ),
        (
            r#""default":"v2","fallback_to_default":true"#,
            "v3",
            child("v2", "api-2"),
        ),
        (
            r#""default":"v3","fallback_to_default":true"#,
            "v9",
            Err(Failure::FallbackBroken),
        ),
        (
            r#""default":"nope","fallback_to_default":true"#,
            "v9",
            Err(Failure::FallbackBroken),
        ),
        (
            r#""default":"","fallback_to_default":true"#,
            "v9",
            Err(Failure::FallbackBroken),
        ),
    ] {
        assert_eq!(served(&newer(rest), "/base/x", asked), expected, "{rest}");
    }
    let nameless = newer(r#""default":"""#).replace(r#""name":"v1""#, r#""name":"""#);
    for (asked, expected) in [
        ("none", own("Default", 0)),
        ("", own("Default", 0)),
        ("v2", child("v2", "api-2")),
        ("v9", Err(Failure::VersionUnknown)),
    ] {
        assert_eq!(served(&nameless, "/base/x", asked), expected, "{asked}");
    }
}

#[test]
fn a_last_segment_that_is_no_api_stays() {
    let in_path = r#""default":"v2","strip_path":true,"fallback_to_default":true"#;
    let definition = newer(in_path).replace("header", "url");
    for (path, stripped) in [
        ("/base/pets", 0),
        ("/base/v2", 2),
        ("/base/self", 4),
        ("/base/pets/7", 4),
    ] {
        assert_eq!(
            choose(&definition, path, &[]).unwrap().segment,
            stripped,
            "{path}"
        );
    }
}

#[test]
fn without_versions_one_serves_all_requests() {
    let chosen = |data: &str| {
        let definition = format!(r#"{{"version_data":{{{data}}}}}"#);
        served(&definition, "/base/x", "v2")
    };
    let unversioned = |versions: &str| {
        chosen(&format!(
            r#""not_versioned":true,"default_version":"a","versions":{{{versions}}}"#
        ))
    };
    assert_eq!(unversioned(r#""odd":{"name":"n"}"#), own("n", 0));
    assert_eq!(unversioned(r#""a":{},"Default":{}"#), own("Default", 1));
    assert_eq!(unversioned(r#""a":{},"":{}"#), own("", 1));
    // Only the first version needs no inspection of the request: chains start with it.
    for (versions, plain) in [
        (r#""Default":{},"a":{}"#, true),
        (r#""a":{},"Default":{}"#, false),
    ] {
        let text =
            format!(r#"{{"version_data":{{"not_versioned":true,"versions":{{{versions}}}}}}}"#);
        let value = gatewright_model::json::parse(&text).unwrap();
        assert_eq!(Versions::compile(&value).is_plain(), plain, "{versions}");
    }
    let ambiguous = unversioned(r#""default":{},"Default":{}"#);
    assert_eq!(ambiguous, Err(Failure::AmbiguousDefaultVersion));
    assert_eq!(
        unversioned(r#""a":{},"b":{}"#),
        Err(Failure::NoDefaultVersion)
    );
    assert_eq!(chosen(r#""versions":{"only":{}}"#), own("only", 0));
    assert_eq!(
        chosen(r#""not_versioned":false,"versions":{"only":{}}"#),
        Err(Failure::VersionMissing)
    );
    assert_eq!(chosen(""), Ok(("Default".to_owned(), Serves::Own(None))));
    assert_eq!(
        chosen(r#""versions":{"a":{},"b":{}}"#),
        Err(Failure::VersionMissing)
    );
}

#[test]
fn a_target_of_its_own_is_used_where_there_are_versions() {
    let compiled = |text: &str| Versions::compile(&gatewright_model::json::parse(text).unwrap());
    let versions = compiled(&older(r#""location":"header","key":"v""#, "v1"));
    let targets: Vec<_> = versions
        .own
        .iter()
        .map(|own| own.override_target.as_deref())
        .collect();
    assert_eq!(targets, [None, Some("http://two/x?k=1")]);
    assert!(!versions.is_plain());
    let one = compiled(
        r#"{"version_data":{"not_versioned":true,"versions":{"a":{"override_target":"http://x/"}}}}"#,
    );
    assert!(one.is_plain() && one.own.iter().all(|own| own.override_target.is_none()));
    // If disabled, the list of other APIs is ignored.
    let off = newer(r#""default":"v2""#).replace("\"enabled\":true", "\"enabled\":false");
    assert_eq!(served(&off, "/base/x", "v2"), own("Default", 0));
}
