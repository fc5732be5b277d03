//! Regular expressions of schemas. Most are a few sets of characters between `^` and `$`, which need no engine: those
//! are matched character by character, the others by `regex-lite`.

use crate::categories::{self, with_classes};
use gatewright_model::text::pattern::{class, portable};
use regex_lite::{Error, Regex, RegexBuilder};
use std::borrow::Cow;

/// The memory limit of one regular expression, in bytes.
const MAX_EXPRESSION: usize = 1 << 20;

/// A compiled regular expression.
#[derive(Debug)]
pub(crate) enum Pattern {
    Simple(Simple),
    Full(Regex),
}

impl Pattern {
    /// Compiles an expression in the syntax of RE2. Of the classes of Unicode it may have general categories.
    ///
    /// # Errors
    /// If it is invalid or too large.
    pub(crate) fn compile(text: &str) -> Result<Self, Error> {
        let text = portable(text);
        // The engine has no classes, and as ranges they may make an expression too large that is simple here.
        let without = with_classes(&text, |_| "a".to_owned());
        let compiled = build(&without)?;
        match (Simple::read(&text), without) {
            (Some(simple), _) => Ok(Self::Simple(simple)),
            (None, Cow::Borrowed(_)) => Ok(Self::Full(compiled)),
            (None, _) => build(&with_classes(&text, categories::ranges)).map(Self::Full),
        }
    }

    /// Whether it matches in a text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Simple(simple) => simple.is_match(text),
            Self::Full(compiled) => compiled.is_match(text),
        }
    }
}

fn build(text: &str) -> Result<Regex, Error> {
    RegexBuilder::new(text).size_limit(MAX_EXPRESSION).build()
}

/// A sequence of repeated sets at the start of a text, in which what follows a repetition never continues it. So no
/// character has to be tried twice.
#[derive(Debug)]
pub(crate) struct Simple {
    items: Vec<Item>,
    /// Whether the text ends after them.
    to_end: bool,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    set: Set,
    least: u32,
    most: u32,
}

/// A set of characters.
#[derive(Clone, Copy, Debug, Default)]
struct Set {
    /// One bit for each ASCII character.
    ascii: u128,
    /// The categories of which all other characters are in it.
    others: u32,
}

/// All categories.
const ALL: u32 = u32::MAX;

/// The bit of an ASCII character.
fn bit(byte: u8) -> u128 {
    1_u128.checked_shl(u32::from(byte)).unwrap_or_default()
}

impl Set {
    fn add(&mut self, first: u8, last: u8) {
        for byte in first..=last {
            self.ascii |= bit(byte);
        }
    }

    fn has(self, character: char) -> bool {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.ascii & bit(byte) != 0,
            _ => {
                self.others == ALL
                    || self.others != 0 && self.others & categories::of(character) != 0
            }
        }
    }

    const fn meets(self, other: Self) -> bool {
        self.ascii & other.ascii != 0 || self.others & other.others != 0
    }
}

impl Simple {
    /// Reads an expression that `regex-lite` accepts; `None` for one that is not as simple as that.
    fn read(text: &str) -> Option<Self> {
        let mut reader = Reader(text.strip_prefix('^')?.as_bytes());
        let mut simple = Self {
            items: Vec::new(),
            to_end: false,
        };
        while !reader.0.is_empty() {
            if reader.0 == b"$" {
                simple.to_end = true;
                break;
            }
            let set = reader.set()?;
            let (least, most) = reader.repetition()?;
            simple.items.push(Item { set, least, most });
        }
        simple.is_definite().then_some(simple)
    }

    /// Whether no repetition can go on with what may follow it.
    fn is_definite(&self) -> bool {
        let mut rest = self.items.as_slice();
        while let Some((item, behind)) = rest.split_first() {
            rest = behind;
            if item.least == item.most {
                continue;
            }
            for next in behind {
                if item.set.meets(next.set) {
                    return false;
                }
                if next.least > 0 {
                    break;
                }
            }
        }
        true
    }

    fn is_match(&self, text: &str) -> bool {
        let mut rest = text.chars();
        for item in &self.items {
            let mut count = 0;
            while count < item.most {
                let mut ahead = rest.clone();
                if !ahead.next().is_some_and(|next| item.set.has(next)) {
                    break;
                }
                rest = ahead;
                count = count.saturating_add(1);
            }
            if count < item.least {
                return false;
            }
        }
        !self.to_end || rest.as_str().is_empty()
    }
}

/// Reads an expression; every function returns `None` for what is not simple.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        byte.is_ascii().then_some(*byte)
    }

    fn takes(&mut self, wanted: u8) -> bool {
        let takes = self.0.first() == Some(&wanted);
        if takes {
            self.next();
        }
        takes
    }

    /// Reads a set, or a single character.
    fn set(&mut self) -> Option<Set> {
        let mut set = Set::default();
        match self.next()? {
            b'[' => return self.bracketed(),
            b'\\' => {
                self.escape(&mut set)?;
            }
            b'.' => {
                set.add(0, 127);
                set.ascii &= !bit(b'\n');
                set.others = ALL;
            }
            b'(' | b')' | b'|' | b'*' | b'+' | b'?' | b'{' | b'}' | b'^' | b'$' | b']' => {
                return None;
            }
            byte => set.add(byte, byte),
        }
        Some(set)
    }

    /// Reads what follows a backslash; the character itself, if it is one.
    fn escape(&mut self, set: &mut Set) -> Option<Option<u8>> {
        if let Some((length, categories)) = std::str::from_utf8(self.0).ok().and_then(class) {
            self.0 = self.0.get(length..)?;
            set.others |= categories;
            let ascii = 0..=127_u8;
            for byte in ascii.filter(|byte| categories::of(char::from(*byte)) & categories != 0) {
                set.add(byte, byte);
            }
            return Some(None);
        }
        match self.next()? {
            b'd' => set.add(b'0', b'9'),
            b'w' => {
                set.add(b'0', b'9');
                set.add(b'A', b'Z');
                set.add(b'a', b'z');
                set.add(b'_', b'_');
            }
            // regex-lite gives these a meaning.
            b'<' | b'>' => return None,
            byte if byte.is_ascii_punctuation() => {
                set.add(byte, byte);
                return Some(Some(byte));
            }
            _ => return None,
        }
        Some(None)
    }

    fn bracketed(&mut self) -> Option<Set> {
        let mut set = Set::default();
        let is_negated = self.takes(b'^');
        let mut is_first = true;
        while is_first || !self.takes(b']') {
            let first = match self.next()? {
                b'\\' => self.escape(&mut set)?,
                // At the start, or twice, these have a special meaning.
                b'[' | b'&' | b'~' => return None,
                b']' | b'-' if is_first => return None,
                b'-' if self.0.first() != Some(&b']') => return None,
                byte => {
                    set.add(byte, byte);
                    Some(byte)
                }
            };
            is_first = false;
            // A hyphen before the closing bracket is one.
            if self.0.starts_with(b"-") && !self.0.starts_with(b"-]") {
                self.next();
                let last = match self.next()? {
                    b'\\' => self.escape(&mut set)?,
                    b'[' | b'-' | b'&' | b'~' => return None,
                    byte => Some(byte),
                };
                set.add(first?, last?);
            }
        }
        if is_negated {
            set.ascii = !set.ascii;
            set.others = !set.others;
        }
        Some(set)
    }

    /// Reads how often something is repeated, at least and at most.
    fn repetition(&mut self) -> Option<(u32, u32)> {
        let (least, most) = match self.0.first() {
            Some(b'*') => (0, u32::MAX),
            Some(b'+') => (1, u32::MAX),
            Some(b'?') => (0, 1),
            Some(b'{') => {
                let end = self.0.iter().position(|byte| *byte == b'}')?;
                let counts = std::str::from_utf8(self.0.get(1..end)?).ok()?;
                self.0 = self.0.get(end..)?;
                match counts.split_once(',') {
                    None => (counts.parse().ok()?, counts.parse().ok()?),
                    Some((least, "")) => (least.parse().ok()?, u32::MAX),
                    Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
                }
            }
            _ => return Some((1, 1)),
        };
        self.next();
        // As in `a+?`, which takes as few as possible.
        let is_last = !matches!(self.0.first(), Some(b'*' | b'+' | b'?' | b'{'));
        is_last.then_some((least, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIMPLE: [&str; 24] = [
        "^[A-Z]-[0-9]+$",
        "^[^@]+@[^@]+$",
        "^[a-z0-9-]+$",
        r"^\d{3}$",
        r"^[\w.-]{2,4}@[\w]+\.[a-z]{2,}$",
        "^a*b?c+$",
        "^a?b?$",
        "^$",
        "^",
        "^a",
        "^a.b$",
        r"^.{1,3}$",
        r"^[^a\-b]*$",
        r"^[+-]?\d+$",
        r"^a\.b\\c\$$",
        "^[a-c]{2}[d-f]?[0-9]*$",
        "^é?",
        r"^[\d\-]+$",
        "^[^\\n]+$",
        "^[a^]+$",
        "^#a b$",
        "^a{0}b$",
        "^[!-/]+$",
        "^a-b~&$",
    ];

    const OTHERS: [&str; 19] = [
        "a",
        "a$",
        "^a+ab$",
        "^[a-z]+[0-9a]$",
        "^(a|b)$",
        "^a|b$",
        "^a+?b",
        r"^\bword",
        "^[[:alpha:]]+$",
        "^[é]$",
        r"^\s+$",
        "^a?a$",
        "^a*b*a$",
        "^a{1,2}{3}$",
        "(?i)^a$",
        r"^a\z",
        "^[a-z]*z$",
        "^a^b$",
        "^a$b",
    ];

    /// What these become depends on how they are rewritten.
    const REWRITTEN: [&str; 5] = ["^[a&&b]$", "^[]a]$", "^[-a]$", "^[a{}]+$", r"^\Qa.b\E$"];

    /// All texts of up to four of these characters.
    fn texts() -> Vec<String> {
        let letters = ["a", "b", "c", "A", "-", "0", "@", ".", "é", "\n"];
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..4 {
            let known = all.len();
            for at in from..known {
                for letter in letters {
                    all.push(format!("{}{letter}", all[at]));
                }
            }
            from = known;
        }
        let more = [
            "A-1000",
            "some@body",
            "a.b\\c$",
            "123",
            "12",
            "+12",
            "#a b",
            "aab",
            "ab@ab.com",
            "!/",
            "a-b~&",
        ];
        all.extend(more.map(str::to_owned));
        all
    }

    #[test]
    fn simple_ones_match_what_the_engine_matches() {
        let texts = texts();
        for pattern in SIMPLE.iter().chain(&OTHERS).chain(&REWRITTEN) {
            let Ok(compiled) = Pattern::compile(pattern) else {
                continue;
            };
            let engine = Regex::new(&portable(pattern)).unwrap();
            for text in &texts {
                let is_match = engine.is_match(text);
                assert_eq!(compiled.is_match(text), is_match, "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn simple_ones_need_no_engine() {
        let is_simple =
            |pattern: &&&str| matches!(Pattern::compile(pattern), Ok(Pattern::Simple(_)));
        let others: Vec<&&str> = SIMPLE
            .iter()
            .filter(|pattern| !is_simple(pattern))
            .collect();
        // They have characters that are written in other ways than in ASCII.
        assert_eq!(others, [&"^é?", &"^[^\\n]+$"]);
    }

    #[test]
    fn classes_are_general_categories() {
        let texts = [
            "", "a", "É", "ñandú", "Zoë-Ann", "5", "٣", "a5", "-", "漢字", "\u{301}", "aB", "É\n",
        ];
        for (pattern, simple, fitting) in [
            (
                r"^[\p{L}\- ]+$",
                true,
                &["a", "É", "ñandú", "Zoë-Ann", "-", "漢字", "aB"][..],
            ),
            (r"^\p{Lu}?\pN*$", true, &["", "É", "5", "٣"]),
            (r"^[^\pL]$", true, &["5", "٣", "-", "\u{301}"]),
            (r"^\P{L}$", true, &["5", "٣", "-", "\u{301}"]),
            (r"^[\P{L}]$", true, &["5", "٣", "-", "\u{301}"]),
            (r"^(\pL|\pM)$", false, &["a", "É", "\u{301}"]),
            (r"^[[:alpha:]]+[\p{Nd}\pM]$", false, &["a5"]),
            (r"\p{Ll}\p{Lu}", false, &["aB"]),
            (r"\\pL", false, &[]),
            (r"\p{Cs}", false, &[]),
            (
                r"^[\p{L}]{1,255}$",
                true,
                &["a", "É", "ñandú", "漢字", "aB"],
            ),
        ] {
            let compiled = Pattern::compile(pattern).unwrap();
            assert_eq!(matches!(compiled, Pattern::Simple(_)), simple, "{pattern}");
            let matched: Vec<&str> = texts
                .into_iter()
                .filter(|text| compiled.is_match(text))
                .collect();
            assert_eq!(matched, fitting, "{pattern}");
        }
        assert!(Pattern::compile(r"\p{Greek}").is_err());
    }

    #[test]
    fn characters_may_be_written_by_their_numbers() {
        let compiled = Pattern::compile(r"^[\u0041-\u005A\u00e0-\u00ff]+$").unwrap();
        assert!(compiled.is_match("AZé"));
        assert!(!compiled.is_match("az"));
    }

    #[test]
    fn others_are_left_to_the_engine() {
        for pattern in OTHERS {
            let compiled = Pattern::compile(pattern);
            assert!(!matches!(compiled, Ok(Pattern::Simple(_))), "{pattern}");
        }
    }
}
