//! The grammar of Go's `text/template`: texts with actions between `{{` and `}}`.

use crate::functions;
use std::collections::BTreeMap;

/// A part of a template.
#[derive(Debug)]
pub(crate) enum Node {
    Text(String),
    Action(Pipe),
    If(Pipe, Vec<Node>, Vec<Node>),
    With(Pipe, Vec<Node>, Vec<Node>),
    Range(Pipe, Vec<Node>, Vec<Node>),
    Template(String, Option<Pipe>),
    Break,
    Continue,
}

/// Commands, each with the value of the one before as its last argument.
#[derive(Debug, Default)]
pub(crate) struct Pipe {
    /// Variables that it sets.
    pub variables: Vec<String>,
    /// True if they are declared with it.
    pub declares: bool,
    pub commands: Vec<Vec<Arg>>,
}

/// An operand.
#[derive(Debug)]
pub(crate) enum Arg {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Field(Vec<String>),
    Variable(String, Vec<String>),
    Function(String),
    Pipe(Box<Pipe>, Vec<String>),
}

/// A template with those that it defines; its own is named "".
#[derive(Debug, Default)]
pub(crate) struct Template {
    pub named: BTreeMap<String, Vec<Node>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Text(String),
    Left,
    Right,
    Word(String),
    Field(String),
    Variable(String),
    Str(String),
    Int(i64),
    Float(f64),
    Dot,
    Pipe,
    Open,
    Close,
    Comma,
    Declare,
    Assign,
    Space,
}

/// How deep actions and parentheses may stand in each other.
const DEPTH: usize = 100;

/// Reads a template.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(source: &str) -> Result<Template, String> {
    let mut parser = Parser {
        tokens: lex(source)?,
        at: 0,
        variables: vec!["$".to_owned()],
        template: Template::default(),
        loops: 0,
        depth: 0,
    };
    let (nodes, end) = parser.nodes(&[])?;
    if !end.is_empty() {
        return Err(format!("unexpected {{{{{end}}}}}"));
    }
    parser.template.named.insert(String::new(), nodes);
    Ok(parser.template)
}

fn lex(source: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut trims = false;
    while let Some(at) = rest.find("{{") {
        let (text, behind) = rest.split_at(at);
        let text = if trims {
            text.trim_start_matches(SPACE)
        } else {
            text
        };
        let mut inner = behind.get(2..).unwrap_or_default();
        let mut text = text;
        if let Some(behind) = inner.strip_prefix('-')
            && behind.starts_with(SPACE)
        {
            text = text.trim_end_matches(SPACE);
            inner = behind.trim_start_matches(SPACE);
        }
        if !text.is_empty() {
            tokens.push(Token::Text(text.to_owned()));
        }
        if let Some(comment) = inner.strip_prefix("/*") {
            let end = comment.find("*/").ok_or("unclosed comment")?;
            let behind = comment.get(end.saturating_add(2)..).unwrap_or_default();
            let dashed = behind.trim_start_matches(SPACE);
            (rest, trims) = match (behind.strip_prefix("}}"), dashed.strip_prefix("-}}")) {
                (Some(behind), _) => (behind, false),
                (None, Some(behind))
                    if dashed.len() < behind.len().saturating_add(4)
                        && behind.len() < rest.len() =>
                {
                    (behind, true)
                }
                _ => return Err("comment ends before closing delimiter".to_owned()),
            };
            continue;
        }
        tokens.push(Token::Left);
        (rest, trims) = inside(inner, &mut tokens)?;
        tokens.push(Token::Right);
    }
    let rest = if trims {
        rest.trim_start_matches(SPACE)
    } else {
        rest
    };
    if !rest.is_empty() {
        tokens.push(Token::Text(rest.to_owned()));
    }
    Ok(tokens)
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// The tokens of an action; what is behind it, and whether blanks there are cut.
fn inside<'s>(mut rest: &'s str, tokens: &mut Vec<Token>) -> Result<(&'s str, bool), String> {
    loop {
        let blank = rest.trim_start_matches(SPACE);
        if blank.len() < rest.len() {
            if let Some(behind) = blank.strip_prefix("-}}") {
                return Ok((behind, true));
            }
            tokens.push(Token::Space);
            rest = blank;
        }
        if let Some(behind) = rest.strip_prefix("}}") {
            return Ok((behind, false));
        }
        let mut letters = rest.chars();
        let first = letters.next().ok_or("unclosed action")?;
        let after = letters.as_str();
        let (token, behind) = match first {
            '|' => (Token::Pipe, after),
            '(' => (Token::Open, after),
            ')' => (Token::Close, after),
            ',' => (Token::Comma, after),
            '=' => (Token::Assign, after),
            ':' => (
                Token::Declare,
                after.strip_prefix('=').ok_or("expected :=")?,
            ),
            '"' => {
                let (text, behind) = quoted(after)?;
                (Token::Str(text), behind)
            }
            '`' => {
                let (text, behind) = after
                    .split_once('`')
                    .ok_or("unterminated raw quoted string")?;
                (Token::Str(text.to_owned()), behind)
            }
            '\'' => {
                let mut letters = after.chars();
                let mut letter = letters.next().ok_or("unterminated character constant")?;
                if letter == '\\' {
                    letter = match letters.next() {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some('r') => '\r',
                        Some(other) => other,
                        None => return Err("unterminated character constant".to_owned()),
                    };
                }
                let behind = letters.as_str().strip_prefix('\'');
                let behind = behind.ok_or("malformed character constant")?;
                (Token::Int(i64::from(u32::from(letter))), behind)
            }
            '$' => {
                let (name, behind) = word(after);
                (Token::Variable(format!("${name}")), behind)
            }
            '.' if !after.starts_with(|c: char| c.is_ascii_digit()) => {
                let (name, behind) = word(after);
                if name.is_empty() {
                    (Token::Dot, behind)
                } else {
                    (Token::Field(name.to_owned()), behind)
                }
            }
            '+' | '-' | '.' | '0'..='9' => number(rest)?,
            c if c.is_alphabetic() || c == '_' => {
                let (name, behind) = word(rest);
                (Token::Word(name.to_owned()), behind)
            }
            c => return Err(format!("unexpected {c:?} in an action")),
        };
        tokens.push(token);
        rest = behind;
    }
}

fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.split_at(end.unwrap_or(text.len()))
}

fn number(text: &str) -> Result<(Token, &str), String> {
    let is_part = |(at, c): (usize, char)| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '.')
            || (matches!(c, '+' | '-')
                && (at == 0
                    || text.get(..at).is_some_and(|before| {
                        before.ends_with(['e', 'E']) && !before.contains("0x")
                    })))
    };
    let end = text
        .char_indices()
        .find(|found| !is_part(*found))
        .map_or(text.len(), |(at, _)| at);
    let (written, behind) = text.split_at(end);
    let plain = written.replace('_', "");
    let (sign, digits) = match plain.strip_prefix(['+', '-']) {
        Some(digits) => (if plain.starts_with('-') { "-" } else { "" }, digits),
        None => ("", plain.as_str()),
    };
    let radix = |prefix: &str, radix| {
        let digits = digits.to_ascii_lowercase();
        let digits = digits.strip_prefix(prefix)?;
        i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
    };
    let whole = radix("0x", 16)
        .or_else(|| radix("0o", 8))
        .or_else(|| radix("0b", 2));
    let whole = whole.or_else(|| plain.trim_start_matches('+').parse::<i64>().ok());
    if let Some(whole) = whole {
        return Ok((Token::Int(whole), behind));
    }
    let is_float = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    match plain.parse::<f64>() {
        // A constant of 1e3 is an integer as well.
        Ok(number) if is_float => Ok((Token::Float(number), behind)),
        _ => Err(format!("bad number syntax: {written:?}")),
    }
}

/// A string in quotes, behind its first one.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let mut out = String::new();
    let mut letters = text.chars();
    let bad = || "bad escape in a quoted string".to_owned();
    while let Some(letter) = letters.next() {
        let escape = match letter {
            '"' => return Ok((out, letters.as_str())),
            '\n' => break,
            '\\' => letters.next().ok_or_else(bad)?,
            plain => {
                out.push(plain);
                continue;
            }
        };
        let mut code = |length: usize| {
            let digits: String = letters.by_ref().take(length).collect();
            u32::from_str_radix(&digits, 16)
                .ok()
                .and_then(char::from_u32)
        };
        out.push(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '"' => escape,
            'x' => code(2).ok_or_else(bad)?,
            'u' => code(4).ok_or_else(bad)?,
            'U' => code(8).ok_or_else(bad)?,
            _ => return Err(bad()),
        });
    }
    Err("unterminated quoted string".to_owned())
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    variables: Vec<String>,
    template: Template,
    loops: usize,
    depth: usize,
}

impl Parser {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at = self.at.saturating_add(1);
        token
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn space(&mut self) {
        while self.peek() == Some(&Token::Space) {
            self.at = self.at.saturating_add(1);
        }
    }

    fn close(&mut self) -> Result<(), String> {
        self.space();
        match self.next() {
            Some(Token::Right) => Ok(()),
            other => Err(format!("unexpected {other:?} in an action")),
        }
    }

    /// Nodes up to one of these words, which is answered; "" for the end of the text.
    fn nodes(&mut self, ends: &[&str]) -> Result<(Vec<Node>, String), String> {
        let mut nodes = Vec::new();
        while let Some(token) = self.next() {
            if let Token::Text(text) = token {
                nodes.push(Node::Text(text));
                continue;
            }
            self.space();
            let keyword = match self.peek() {
                Some(Token::Word(word)) => word.clone(),
                _ => String::new(),
            };
            if matches!(keyword.as_str(), "end" | "else") {
                if !ends.contains(&keyword.as_str()) {
                    return Err(format!("unexpected {{{{{keyword}}}}}"));
                }
                self.next();
                return Ok((nodes, keyword));
            }
            self.action(&keyword, &mut nodes)?;
        }
        if ends.is_empty() {
            return Ok((nodes, String::new()));
        }
        Err("unexpected end of the template".to_owned())
    }

    fn action(&mut self, keyword: &str, nodes: &mut Vec<Node>) -> Result<(), String> {
        let node = match keyword {
            "if" | "with" | "range" => {
                self.next();
                self.control(keyword)?
            }
            "define" => {
                self.next();
                let name = self.name()?;
                self.close()?;
                let body = self.defined()?;
                self.template.named.insert(name, body);
                return Ok(());
            }
            "template" | "block" => {
                self.next();
                let name = self.name()?;
                self.space();
                let pipe = match self.peek() {
                    Some(Token::Right) => None,
                    _ => Some(self.pipe(&Token::Right)?),
                };
                if pipe.is_none() {
                    self.close()?;
                }
                if keyword == "block" {
                    if pipe.is_none() {
                        return Err("missing value for block clause".to_owned());
                    }
                    let body = self.defined()?;
                    self.template.named.entry(name.clone()).or_insert(body);
                }
                Node::Template(name, pipe)
            }
            "break" | "continue" => {
                self.next();
                self.close()?;
                if self.loops == 0 {
                    return Err(format!("{{{{{keyword}}}}} outside {{{{range}}}}"));
                }
                if keyword == "break" {
                    Node::Break
                } else {
                    Node::Continue
                }
            }
            _ => {
                let pipe = self.pipe(&Token::Right)?;
                Node::Action(pipe)
            }
        };
        nodes.push(node);
        Ok(())
    }

    /// The body of a template with a name, whose variables are its own.
    fn defined(&mut self) -> Result<Vec<Node>, String> {
        let outer = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let loops = std::mem::take(&mut self.loops);
        let (body, _) = self.nodes(&["end"])?;
        self.close()?;
        self.variables = outer;
        self.loops = loops;
        Ok(body)
    }

    fn name(&mut self) -> Result<String, String> {
        self.space();
        match self.next() {
            Some(Token::Str(name)) => Ok(name),
            other => Err(format!("a template's name is expected, not {other:?}")),
        }
    }

    fn control(&mut self, keyword: &str) -> Result<Node, String> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEPTH {
            return Err("actions stand too deep in each other".to_owned());
        }
        let known = self.variables.len();
        let pipe = self.pipe(&Token::Right)?;
        if keyword == "range" {
            self.loops = self.loops.saturating_add(1);
        }
        let (then, end) = self.nodes(&["end", "else"])?;
        if keyword == "range" {
            self.loops = self.loops.saturating_sub(1);
        }
        let mut otherwise = Vec::new();
        if end == "else" {
            self.space();
            match self.peek() {
                Some(Token::Word(word)) if (word == "if" || word == "with") && word == keyword => {
                    let word = word.clone();
                    self.next();
                    // It takes the end of both.
                    otherwise.push(self.control(&word)?);
                    self.variables.truncate(known);
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(made(keyword, pipe, then, otherwise));
                }
                _ => self.close()?,
            }
            (otherwise, _) = self.nodes(&["end"])?;
        }
        self.close()?;
        self.variables.truncate(known);
        self.depth = self.depth.saturating_sub(1);
        Ok(made(keyword, pipe, then, otherwise))
    }

    fn pipe(&mut self, end: &Token) -> Result<Pipe, String> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEPTH {
            return Err("parentheses stand too deep in each other".to_owned());
        }
        let mut pipe = Pipe::default();
        self.declaration(&mut pipe)?;
        loop {
            let command = self.command()?;
            pipe.commands.push(command);
            match self.next() {
                Some(Token::Pipe) => {}
                Some(token) if token == *end => break,
                other => return Err(format!("unexpected {other:?} in an action")),
            }
        }
        for command in pipe.commands.iter().skip(1) {
            if !matches!(
                command.first(),
                Some(Arg::Function(_) | Arg::Field(_) | Arg::Variable(..) | Arg::Pipe(..))
            ) {
                return Err("non executable command in pipeline".to_owned());
            }
        }
        if pipe.declares {
            self.variables.extend(pipe.variables.iter().cloned());
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(pipe)
    }

    /// `$a :=`, `$a, $b :=` or `$a =` at the beginning of a pipeline.
    fn declaration(&mut self, pipe: &mut Pipe) -> Result<(), String> {
        self.space();
        let start = self.at;
        let mut names = Vec::new();
        while let Some(Token::Variable(name)) = self.peek() {
            names.push(name.clone());
            self.next();
            self.space();
            match self.next() {
                Some(Token::Comma) => self.space(),
                Some(Token::Declare) => {
                    pipe.variables = names;
                    pipe.declares = true;
                    return Ok(());
                }
                Some(Token::Assign) => {
                    for name in &names {
                        self.known(name)?;
                    }
                    pipe.variables = names;
                    return Ok(());
                }
                _ => break,
            }
        }
        self.at = start;
        Ok(())
    }

    fn known(&self, name: &str) -> Result<(), String> {
        if self.variables.iter().any(|known| known == name) {
            return Ok(());
        }
        Err(format!("undefined variable {name:?}"))
    }

    fn command(&mut self) -> Result<Vec<Arg>, String> {
        let mut args = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(Token::Pipe | Token::Right | Token::Close) | None => break,
                _ => args.push(self.operand()?),
            }
            match self.peek() {
                Some(Token::Space | Token::Pipe | Token::Right | Token::Close) => {}
                other => return Err(format!("unexpected {other:?} in an operand")),
            }
        }
        match args.as_slice() {
            [] => Err("missing value for command".to_owned()),
            [Arg::Nil] => Err("nil is not a command".to_owned()),
            _ => Ok(args),
        }
    }

    fn operand(&mut self) -> Result<Arg, String> {
        Ok(match self.next() {
            Some(Token::Dot) => Arg::Dot,
            Some(Token::Str(text)) => Arg::Str(renamed(&text).to_owned()),
            Some(Token::Int(number)) => Arg::Int(number),
            Some(Token::Float(number)) => Arg::Float(number),
            Some(Token::Field(name)) => {
                let mut fields = vec![renamed(&name).to_owned()];
                self.fields(&mut fields);
                Arg::Field(fields)
            }
            Some(Token::Variable(name)) => {
                self.known(&name)?;
                let mut fields = Vec::new();
                self.fields(&mut fields);
                Arg::Variable(name, fields)
            }
            Some(Token::Open) => {
                let pipe = self.pipe(&Token::Close)?;
                let mut fields = Vec::new();
                self.fields(&mut fields);
                Arg::Pipe(Box::new(pipe), fields)
            }
            Some(Token::Word(word)) => match word.as_str() {
                "nil" => Arg::Nil,
                "true" => Arg::Bool(true),
                "false" => Arg::Bool(false),
                name if functions::is_known(name) => Arg::Function(word),
                name => return Err(format!("function {name:?} not defined")),
            },
            other => return Err(format!("unexpected {other:?} in a command")),
        })
    }

    fn fields(&mut self, fields: &mut Vec<String>) {
        while let Some(Token::Field(name)) = self.peek() {
            fields.push(renamed(name).to_owned());
            self.at = self.at.saturating_add(1);
        }
    }
}

fn made(keyword: &str, pipe: Pipe, then: Vec<Node>, otherwise: Vec<Node>) -> Node {
    match keyword {
        "if" => Node::If(pipe, then, otherwise),
        "with" => Node::With(pipe, then, otherwise),
        _ => Node::Range(pipe, then, otherwise),
    }
}

/// Older names of what the gateway tells templates.
fn renamed(name: &str) -> &str {
    match name {
        "_tyk_context" => "_gateway_context",
        "_tyk_meta" => "_gateway_meta",
        other => other,
    }
}
