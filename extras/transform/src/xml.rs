//! Conversion between XML and values: attributes are members with `-` before their names, text next to members is
//! `#text`, prefixes are dropped, and repeated elements are a list (reference 3.6).

use crate::text::Text;
use crate::value::{Map, Value, single};
use std::borrow::Cow;
use std::rc::Rc;

/// The maximum nesting of elements.
const DEPTH: usize = 200;

/// The characters of Windows-1252 from 0x80 on that aren't those of Unicode.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Decodes a document that is UTF-8, or else Windows-1252, which includes ISO-8859-1, if it names another encoding.
///
/// # Errors
/// If it is neither.
pub(crate) fn text(body: &[u8]) -> Result<Cow<'_, str>, String> {
    if let Ok(text) = std::str::from_utf8(body) {
        return Ok(Cow::Borrowed(text));
    }
    let end = body
        .iter()
        .position(|byte| *byte == b'>')
        .unwrap_or_default();
    let declaration = String::from_utf8_lossy(body.get(..end).unwrap_or_default()).to_lowercase();
    let names = |mark: &str| declaration.contains(&format!("encoding={mark}"));
    let is_utf8 = names("\"utf-8") || names("'utf-8");
    if !declaration.starts_with("<?xml") || !declaration.contains("encoding") || is_utf8 {
        return Err("the body is no text".to_owned());
    }
    let decode = |byte: &u8| match byte {
        0x80..0xa0 => WINDOWS.chars().nth(usize::from(byte & 0x1f)),
        other => Some(char::from(*other)),
    };
    Ok(Cow::Owned(body.iter().filter_map(decode).collect()))
}

/// Parses a document into a map with one member, its root.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if let Some(letter) = text.chars().find(|letter| !is_allowed(*letter)) {
        return Err(format!("illegal character {:#x}", u32::from(letter)));
    }
    let mut reader = Reader { rest: &text };
    loop {
        let (before, _) = reader.rest.split_once('<').ok_or("no element")?;
        if !before.trim_matches('\u{feff}').trim().is_empty() {
            return Err("text before the root element".to_owned());
        }
        reader.rest = reader.rest.get(before.len()..).unwrap_or_default();
        if !reader.skip()? {
            break;
        }
    }
    let (name, value) = reader.element(DEPTH)?;
    Ok(Value::map(single(name, value)))
}

/// Whether a character may occur in a document (XML 1.0 section 2.2).
const fn is_allowed(letter: char) -> bool {
    !matches!(letter, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// Skips a comment, an instruction or a declaration; returns false if there is none here.
    fn skip(&mut self) -> Result<bool, String> {
        if self.rest.starts_with("<!D") {
            self.declaration()?;
            return Ok(true);
        }
        let end = if self.rest.starts_with("<!--") {
            "-->"
        } else if self.rest.starts_with("<?") {
            "?>"
        } else if self.rest.starts_with("<!") && !self.rest.starts_with("<![CDATA[") {
            ">"
        } else {
            return Ok(false);
        };
        let (_, behind) = self.rest.split_once(end).ok_or("unclosed declaration")?;
        self.rest = behind;
        Ok(true)
    }

    /// Skips a document type with what it declares.
    fn declaration(&mut self) -> Result<(), String> {
        let mut depth = 0_usize;
        let mut quote = None;
        for (at, letter) in self.rest.char_indices() {
            match (quote, letter) {
                (Some(open), _) if open == letter => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(letter),
                (None, '<') => depth = depth.saturating_add(1),
                (None, '>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                self.rest = self.rest.get(at.saturating_add(1)..).unwrap_or_default();
                return Ok(());
            }
        }
        Err("unclosed declaration".to_owned())
    }

    fn until(&mut self, end: &str) -> Result<&'t str, String> {
        let (before, behind) = self
            .rest
            .split_once(end)
            .ok_or_else(|| format!("{end} is missing"))?;
        self.rest = behind;
        Ok(before)
    }

    fn name(&mut self) -> Result<&'t str, String> {
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '=' | '<' | '"' | '\''));
        let (name, behind) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if name.is_empty() {
            return Err("a name is missing".to_owned());
        }
        if name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
            return Err(format!("{name} is no name"));
        }
        self.rest = behind;
        Ok(name)
    }

    /// Parses the element that starts here.
    fn element(&mut self, depth: usize) -> Result<(Text, Value), String> {
        if depth == 0 {
            return Err("elements stand too deep in each other".to_owned());
        }
        self.rest = self
            .rest
            .strip_prefix('<')
            .ok_or("an element is expected")?;
        let tag = self.name()?;
        let mut members = Map::new();
        let text = match self.attributes(&mut members)? {
            true => String::new(),
            false => self.content(tag, depth, &mut members)?,
        };
        Ok((local(tag), made(members, text)))
    }

    /// Parses the attributes of an element, to the end of its start tag. Returns whether that is the whole element.
    fn attributes(&mut self, members: &mut Map) -> Result<bool, String> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(behind) = self.rest.strip_prefix("/>") {
                self.rest = behind;
                return Ok(true);
            }
            if let Some(behind) = self.rest.strip_prefix('>') {
                self.rest = behind;
                return Ok(false);
            }
            let name = self.name()?;
            let behind = self.rest.trim_start().strip_prefix('=');
            self.rest = behind.ok_or("an attribute has no value")?.trim_start();
            let is_double = self.rest.starts_with('"');
            let mark = if is_double { "\"" } else { "'" };
            let behind = self.rest.strip_prefix(mark);
            self.rest = behind.ok_or("an attribute is not quoted")?;
            let value = self.until(mark)?;
            if value.contains('<') {
                return Err("unescaped < in an attribute".to_owned());
            }
            let value = Value::str(decoded(value)?);
            members.insert(format!("-{}", &*local(name)).into(), value);
        }
    }

    /// Parses what an element contains, and its end tag. Returns its text.
    fn content(&mut self, tag: &str, depth: usize, members: &mut Map) -> Result<String, String> {
        let mut text = String::new();
        loop {
            let before = self.rest.split_once('<').map(|(before, _)| before);
            let before = before.ok_or("an element is not closed")?;
            if before.contains("]]>") {
                return Err("]]> stands in a text".to_owned());
            }
            let part = decoded(before)?;
            if !part.trim().is_empty() {
                text = part.trim().to_owned();
            }
            self.rest = self.rest.get(before.len()..).unwrap_or_default();
            if let Some(behind) = self.rest.strip_prefix("</") {
                self.rest = behind;
                let end = self.until(">")?.trim_end();
                if end != tag {
                    return Err(format!("<{tag}> is closed by </{end}>"));
                }
                return Ok(text);
            }
            if let Some(behind) = self.rest.strip_prefix("<![CDATA[") {
                self.rest = behind;
                let raw = self.until("]]>")?.trim();
                if !raw.is_empty() {
                    text = raw.to_owned();
                }
            } else if !self.skip()? {
                let (name, value) = self.element(depth.saturating_sub(1))?;
                add(members, name, value);
            }
        }
    }
}

/// Adds an element to those of its parent; several of one name are a list.
fn add(members: &mut Map, name: Text, value: Value) {
    match members.remove(&name) {
        None => members.insert(name, value),
        // Nothing else refers to it, so it is not copied.
        Some(Value::List(mut items)) => {
            Rc::make_mut(&mut items).push(value);
            members.insert(name, Value::List(items))
        }
        Some(first) => members.insert(name, Value::list(vec![first, value])),
    };
}

fn made(mut members: Map, text: String) -> Value {
    if members.is_empty() {
        return Value::str(text);
    }
    if !text.is_empty() {
        members.insert("#text".into(), Value::str(text));
    }
    Value::map(members)
}

fn local(name: &str) -> Text {
    name.rsplit(':').next().unwrap_or(name).into()
}

/// Resolves the references in a text (XML 1.0 section 4.1).
fn decoded(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let (name, behind) = behind.split_once(';').ok_or("a reference is not closed")?;
        let code = |digits: &str, radix| {
            u32::from_str_radix(digits, radix)
                .ok()
                .and_then(char::from_u32)
        };
        let letter = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match (name.strip_prefix("#x"), name.strip_prefix('#')) {
                (Some(digits), _) => code(digits, 16),
                (None, Some(digits)) => code(digits, 10),
                (None, None) => None,
            },
        };
        let letter = letter.filter(|letter| is_allowed(*letter));
        out.push(letter.ok_or_else(|| format!("&{name}; is not known"))?);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// Serialises a value as XML. A map with one member becomes that element, or several of its name if it is a list of
/// maps; any other map is wrapped in `doc`. A value that isn't a map is written as by another Go library, which doesn't
/// support maps in lists.
///
/// # Errors
/// If it contains something that can't be written.
pub(crate) fn marshal(value: &Value) -> Result<String, String> {
    let mut out = String::new();
    let Value::Map(members) = value else {
        plain(value, DEPTH, &mut out)?;
        return Ok(out);
    };
    let is_map = |item: &Value| matches!(item, Value::Map(_));
    let members = members.read();
    let only = members.iter().next().filter(|_| members.len() == 1);
    let only = only.filter(|(name, value)| {
        let fits = !matches!(value, Value::List(items) if !items.iter().all(is_map));
        fits && !name.starts_with(['-', '#'])
    });
    let (name, value) = only.map_or(("doc", value), |(name, value)| (&**name, value));
    element(name, value, DEPTH, &mut out);
    Ok(out)
}

/// Serialises a value that isn't a map, or a list of such values, as elements named by their types.
fn plain(value: &Value, depth: usize, out: &mut String) -> Result<(), String> {
    let text = match value {
        Value::Nil => return Ok(()),
        Value::List(items) => {
            let depth = depth.checked_sub(1).ok_or("lists stand too deep")?;
            return items.iter().try_for_each(|item| plain(item, depth, out));
        }
        Value::Map(_) => return Err(format!("xml: unsupported type: {}", value.type_name())),
        Value::Time(seconds) => crate::dates::format(*seconds, "2006-01-02T15:04:05Z07:00"),
        other => other.print(),
    };
    if !out.is_empty() {
        out.push('\n');
    }
    let name = match value {
        Value::Time(_) => "Time",
        other => other.kind(),
    };
    let text = escaped(&text)
        .replace("&quot;", "&#34;")
        .replace("&apos;", "&#39;")
        .replace('\t', "&#x9;")
        .replace('\n', "&#xA;")
        .replace('\r', "&#xD;");
    out.push_str(&format!("<{name}>{text}</{name}>"));
    Ok(())
}

fn element(name: &str, value: &Value, depth: usize, out: &mut String) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match value {
        Value::List(items) if items.is_empty() => out.push_str(&format!("<{name}/>")),
        Value::List(items) => items
            .iter()
            .for_each(|item| element(name, item, depth, out)),
        Value::Map(members) => {
            let members = members.read();
            out.push_str(&format!("<{name}"));
            for (attribute, value) in members.iter() {
                if let Some(attribute) = attribute.strip_prefix('-') {
                    out.push_str(&format!(" {attribute}=\"{}\"", escaped(&value.print())));
                }
            }
            let text = members.get("#text").map(Value::print).unwrap_or_default();
            let children: Vec<_> = members
                .iter()
                .filter(|(name, _)| !name.starts_with(['-', '#']))
                .collect();
            if !members.contains_key("#text") && children.is_empty() {
                out.push_str("/>");
                return;
            }
            out.push('>');
            out.push_str(&escaped(&text));
            for (child, value) in children {
                element(child, value, depth, out);
            }
            out.push_str(&format!("</{name}>"));
        }
        Value::Nil => out.push_str(&format!("<{name}/>")),
        Value::Str(text) if text.is_empty() => out.push_str(&format!("<{name}/>")),
        other => out.push_str(&format!("<{name}>{}</{name}>", escaped(&other.print()))),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            other => out.push(other),
        }
    }
    out
}
