//! The format of errors: JSON, or XML for a client that sent XML (reference 3.2).

use std::fmt::Write;

/// The media types of requests that are answered in XML.
const XML: [&str; 3] = ["application/xml", "text/xml", "application/soap+xml"];

/// The format of an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A JSON object.
    #[default]
    Json,
    /// An XML element, with the request's media type.
    Xml(&'static str),
}

impl Format {
    /// The format for a request's `Content-Type`, ignoring parameters.
    #[must_use]
    pub fn of(content_type: &str) -> Self {
        let media = content_type.split(';').next().unwrap_or_default().trim();
        let known = XML.into_iter().find(|xml| media.eq_ignore_ascii_case(xml));
        known.map_or(Self::Json, Self::Xml)
    }

    /// The format of an answer's own `Content-Type`; `None` for anything but JSON and XML, such as plain text (RFC 6839
    /// section 3.1, RFC 7303 section 4.2).
    #[must_use]
    pub fn written(content_type: &str) -> Option<Self> {
        let media = content_type.split(';').next().unwrap_or_default().trim();
        let media = media.to_ascii_lowercase();
        match Self::of(&media) {
            Self::Json if media.ends_with("+xml") => Some(Self::Xml("application/xml")),
            Self::Json if media != "application/json" && !media.ends_with("+json") => None,
            known => Some(known),
        }
    }

    /// The `Content-Type` of an answer.
    #[must_use]
    pub const fn media(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Xml(media) => media,
        }
    }

    /// The default body of an error. Quotes have no special meaning in XML text (XML 1.0 section 2.4), and the reference
    /// leaves them unescaped.
    #[must_use]
    pub fn body(self, message: &str) -> String {
        let message = self.escape(message);
        self.body_of(&message.replace("&#34;", "\"").replace("&#39;", "'"))
    }

    /// The default body with a message that is escaped already.
    pub(super) fn body_of(self, message: &str) -> String {
        match self {
            Self::Json => format!("{{\n    \"error\": \"{message}\"\n}}"),
            Self::Xml(_) => format!(
                "<?xml version = \"1.0\" encoding = \"UTF-8\"?>\n<error>{message}</error>\n"
            ),
        }
    }

    /// Escapes a value for a text of this format.
    #[must_use]
    pub fn escape(self, value: &str) -> String {
        let mut escaped = String::with_capacity(value.len());
        for character in value.chars() {
            match self {
                Self::Json => push_json(&mut escaped, character),
                Self::Xml(_) => push_xml(&mut escaped, character),
            }
        }
        escaped
    }
}

/// Escapes as in a JSON string (RFC 8259 section 7); characters that could end a script in a page are escaped too.
fn push_json(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '&' | '<' | '>' | '\u{2028}' | '\u{2029}' | '\u{0}'..='\u{1f}' => {
            // Writing to a string can't fail.
            let _ = write!(out, "\\u{:04X}", u32::from(character));
        }
        character => out.push(character),
    }
}

/// Escapes as in an XML element; characters that XML 1.0 can't represent (section 2.2) are replaced.
fn push_xml(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("&#34;"),
        '\'' => out.push_str("&#39;"),
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '\n' | '\r' | '\t' => out.push(character),
        '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
        character => out.push(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_media_type_of_the_request_decides() {
        for (content_type, format) in [
            ("", Format::Json),
            ("application/json", Format::Json),
            ("application/problem+xml", Format::Json),
            ("application/xml", Format::Xml("application/xml")),
            ("Text/XML ; charset=utf-8", Format::Xml("text/xml")),
            ("application/soap+xml", Format::Xml("application/soap+xml")),
        ] {
            assert_eq!(Format::of(content_type), format, "{content_type}");
        }
    }

    #[test]
    fn values_are_escaped() {
        let value = "a\"<b>&'\\\u{1}\né";
        let json = Format::Json.body(value);
        assert_eq!(
            json,
            "{\n    \"error\": \"a\\\"\\u003Cb\\u003E\\u0026'\\\\\\u0001\\né\"\n}"
        );
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["error"], value);
        assert_eq!(
            Format::Xml("text/xml").body(value),
            "<?xml version = \"1.0\" encoding = \"UTF-8\"?>\n<error>a\"&lt;b&gt;&amp;'\\\u{fffd}\né</error>\n"
        );
    }
}
