//! Formats of strings.

use super::*;

#[test]
fn times_are_parsed_as_in_the_reference() {
    let as_date = "parsing time \"*\" as \"2006-01-02\": cannot parse";
    let as_time = "parsing time \"*\" as \"2006-01-02T15:04:05Z07:00\": cannot parse";
    for (format, text, start, end) in [
        ("date", "2024-02-29", "", ""),
        (
            "date",
            "2024-02-30",
            "parsing time \"*\"",
            ": day out of range",
        ),
        (
            "date",
            "2024-13-01",
            "parsing time \"*\"",
            ": month out of range",
        ),
        ("date", "2024-1-1", as_date, " \"1-1\" as \"01\""),
        ("date", "yesterday", as_date, " \"yesterday\" as \"2006\""),
        ("date", "", as_date, " \"\" as \"2006\""),
        ("date", "2024-01", as_date, " \"\" as \"-\""),
        (
            "date",
            "2024-01-011",
            "parsing time \"*\"",
            ": extra text: \"1\"",
        ),
        ("date-time", "2024-01-01T00:00:00Z", "", ""),
        ("date-time", "2024-01-01T7:00:00,5-24:60", "", ""),
        ("date-time", "2024-01-01", as_time, " \"\" as \"T\""),
        (
            "date-time",
            "2024-01-01t00:00:00Z",
            as_time,
            " \"t00:00:00Z\" as \"T\"",
        ),
        (
            "date-time",
            "2024-01-01T00:00:00",
            as_time,
            " \"\" as \"Z07:00\"",
        ),
        (
            "date-time",
            "2024-01-01T00:00:00 é",
            as_time,
            r#" " \xc3\xa9" as "Z07:00""#,
        ),
        (
            "date-time",
            "2024-01-01T24:00:00Z",
            "parsing time \"*\"",
            ": hour out of range",
        ),
        (
            "date-time",
            "2024-01-01T23:59:60Z",
            "parsing time \"*\"",
            ": second out of range",
        ),
        (
            "date-time",
            "2024-01-01T00:00:00+25:00",
            "parsing time \"*\"",
            ": time zone offset hour out of range",
        ),
    ] {
        let schema = format!(r#"{{"type":"string","format":"{format}"}}"#);
        let message = of_body(&schema, "", &quote(text));
        let shown = text.replace('é', r"\xc3\xa9");
        let expected = match start {
            "" => "{}".to_owned(),
            start => format!(
                "doesn't match schema: string doesn't match the format \"{format}\": {}{end}",
                start.replace('*', &shown)
            ),
        };
        assert_eq!(message, expected);
    }
}
