//! The grammar of Go's `text/template`: texts with actions between `{{` and `}}`.

use crate::functions;
use crate::lex::{Token, lex};
use crate::place::Broken;
use std::collections::BTreeMap;

/// A node of a template: text or an action.
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

/// Commands, each of which gets the value of the previous one as its last argument.
#[derive(Debug, Default)]
pub(crate) struct Pipe {
    /// The variables that it sets.
    pub variables: Vec<String>,
    /// Whether they are declared by it.
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

/// A template with those that it defines, by name; its own name is "".
#[derive(Debug, Default)]
pub(crate) struct Template {
    pub named: BTreeMap<String, Vec<Node>>,
}

/// The maximum nesting of actions and parentheses.
const DEPTH: usize = 100;

/// Parses a template.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(source: &str) -> Result<Template, Broken> {
    let lexed = lex(source).map_err(|(why, left)| Broken::new(why, source, left))?;
    let mut parser = Parser {
        tokens: lexed.tokens,
        at: 0,
        variables: vec!["$".to_owned()],
        template: Template::default(),
        loops: 0,
        depth: 0,
        settable: 1,
    };
    match parser.nodes(&[]) {
        Ok((nodes, _)) => {
            parser.template.named.insert(String::new(), nodes);
            Ok(parser.template)
        }
        Err(why) => {
            // The position of the last token read.
            let left = lexed.left.get(parser.at.saturating_sub(1));
            Err(Broken::new(why, source, left.copied().unwrap_or(0)))
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    variables: Vec<String>,
    template: Template,
    loops: usize,
    depth: usize,
    /// How many variables the next pipeline may set.
    settable: usize,
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
            other => Err(unexpected(other.as_ref(), "an action")),
        }
    }

    /// Parses nodes up to one of these keywords, which is returned; "" for the end of the text.
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
                return self.define(name, body);
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
                    self.define(name.clone(), body)?;
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

    /// Adds a named template. Only one of the same name may print anything.
    fn define(&mut self, name: String, body: Vec<Node>) -> Result<(), String> {
        let is_blank = |body: &[Node]| {
            let blank = |node: &Node| matches!(node, Node::Text(text) if text.trim().is_empty());
            body.iter().all(blank)
        };
        match self.template.named.get(&name) {
            Some(_) if is_blank(&body) => return Ok(()),
            Some(known) if !is_blank(known) => {
                return Err(format!("multiple definition of template {name:?}"));
            }
            _ => {}
        }
        self.template.named.insert(name, body);
        Ok(())
    }

    /// Parses the body of a named template, whose variables are its own.
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
            other => {
                let found = Token::written(other.as_ref());
                Err(format!("a template's name is expected, not {found}"))
            }
        }
    }

    fn control(&mut self, keyword: &str) -> Result<Node, String> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEPTH {
            return Err("actions stand too deep in each other".to_owned());
        }
        let known = self.variables.len();
        self.settable = if keyword == "range" { 2 } else { 1 };
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
                    // A single `end` closes both.
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
        let settable = std::mem::replace(&mut self.settable, 1);
        self.declaration(&mut pipe)?;
        if pipe.variables.len() > settable {
            return Err("too many declarations".to_owned());
        }
        loop {
            let command = self.command()?;
            pipe.commands.push(command);
            match self.next() {
                Some(Token::Pipe) => {
                    self.space();
                    // Nothing has to follow.
                    if self.peek() == Some(end) {
                        self.next();
                        break;
                    }
                }
                Some(token) if token == *end => break,
                other => return Err(unexpected(other.as_ref(), "an action")),
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

    /// Parses `$a :=`, `$a, $b :=` or `$a =` at the start of a pipeline.
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
                other => return Err(unexpected(other, "an operand")),
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
            other => return Err(unexpected(other.as_ref(), "a command")),
        })
    }

    fn fields(&mut self, fields: &mut Vec<String>) {
        while let Some(Token::Field(name)) = self.peek() {
            fields.push(renamed(name).to_owned());
            self.at = self.at.saturating_add(1);
        }
    }
}

fn unexpected(token: Option<&Token>, place: &str) -> String {
    format!("unexpected {} in {place}", Token::written(token))
}

fn made(keyword: &str, pipe: Pipe, then: Vec<Node>, otherwise: Vec<Node>) -> Node {
    match keyword {
        "if" => Node::If(pipe, then, otherwise),
        "with" => Node::With(pipe, then, otherwise),
        _ => Node::Range(pipe, then, otherwise),
    }
}

/// Translates older names of the gateway's inputs to templates.
fn renamed(name: &str) -> &str {
    match name {
        "_tyk_context" => "_gateway_context",
        "_tyk_meta" => "_gateway_meta",
        other => other,
    }
}
