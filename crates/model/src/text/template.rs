//! Templates of Go's `text/template`: checks that actions are closed and blocks balanced.
//!
//! Functions and members are known only when a template runs, so names aren't checked
//! (<https://pkg.go.dev/text/template>).

use super::Problem;

/// Keywords that open a block.
const BLOCKS: [&str; 5] = ["if", "range", "with", "define", "block"];

/// An open block.
#[derive(Debug)]
struct Block<'a> {
    word: &'a str,
    start: usize,
    /// Whether its `else` has been seen.
    alternative: bool,
}

/// Checks a template.
///
/// # Errors
/// The first thing that is invalid, with its range.
pub fn check(text: &str) -> Result<(), Problem> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("{{")) {
        let start = at.saturating_add(found);
        let inside = start.saturating_add(2);
        let body = text.get(inside..).unwrap_or_default();
        let length = action(body).map_err(|message| Problem::at(start, inside, message))?;
        let end = inside.saturating_add(length).saturating_add(2);
        let action = body.get(..length).unwrap_or_default();
        let action = action.strip_prefix("- ").unwrap_or(action);
        let action = action.strip_suffix(" -").unwrap_or(action).trim();
        if !action.starts_with("/*") {
            command(action, &mut blocks, start)
                .map_err(|message| Problem::at(start, end, message))?;
        }
        at = end;
    }
    match blocks.pop() {
        Some(block) => Err(Problem::at(
            block.start,
            block.start.saturating_add(2),
            format!(
                "the {{{{{}}}}} that begins here has no {{{{end}}}}",
                block.word
            ),
        )),
        None => Ok(()),
    }
}

/// Returns the length of an action, up to its `}}`.
fn action(body: &str) -> Result<usize, &'static str> {
    const OPEN: &str = "this '{{' has no '}}'";
    let comment = body.strip_prefix("- ").unwrap_or(body).trim_start();
    if comment.starts_with("/*") {
        let end = body
            .find("*/")
            .ok_or("the comment that begins here has no '*/'")?;
        let behind = body.get(end.saturating_add(2)..).unwrap_or_default();
        let close = behind.trim_start_matches([' ', '-']);
        return if close.starts_with("}}") {
            Ok(body.len().saturating_sub(close.len()))
        } else {
            Err("behind the '*/' of a comment '}}' follows at once")
        };
    }
    let mut characters = body.char_indices();
    let mut depth = 0_usize;
    while let Some((at, character)) = characters.next() {
        match character {
            '}' if body.get(at..).is_some_and(|rest| rest.starts_with("}}")) => {
                return if depth == 0 {
                    Ok(at)
                } else {
                    Err("a '(' of the action has no ')'")
                };
            }
            '(' => depth = depth.saturating_add(1),
            ')' => {
                depth = depth
                    .checked_sub(1)
                    .ok_or("a ')' of the action has no '('")?
            }
            '\n' => {}
            '"' | '\'' => loop {
                match characters.next() {
                    None | Some((_, '\n')) => return Err("a quote in the action isn't closed"),
                    Some((_, '\\')) => {
                        characters.next();
                    }
                    Some((_, close)) if close == character => break,
                    Some(_) => {}
                }
            },
            '`' if !characters.any(|(_, close)| close == '`') => {
                return Err("a quote in the action isn't closed");
            }
            _ => {}
        }
    }
    Err(OPEN)
}

/// Tracks the blocks that a command opens or closes.
fn command<'a>(
    action: &'a str,
    blocks: &mut Vec<Block<'a>>,
    start: usize,
) -> Result<(), &'static str> {
    let (word, rest) =
        match action.find(|character: char| character.is_whitespace() || character == '(') {
            Some(end) => action.split_at_checked(end).unwrap_or((action, "")),
            None => (action, ""),
        };
    let rest = rest.trim();
    match word {
        "" => Err("the action is empty; write what it shows"),
        "end" => blocks.pop().map(drop).ok_or("this {{end}} ends nothing"),
        "else" => alternative(rest, blocks),
        "break" | "continue" => {
            let inside = blocks.iter().any(|block| block.word == "range");
            inside
                .then_some(())
                .ok_or("break and continue stand inside {{range}} only")
        }
        _ if BLOCKS.contains(&word) => {
            if rest.is_empty() {
                return Err("the action has no value; write one behind its word");
            }
            blocks.push(Block {
                word,
                start,
                alternative: false,
            });
            Ok(())
        }
        _ => Ok(()),
    }
}

fn alternative(rest: &str, blocks: &mut [Block<'_>]) -> Result<(), &'static str> {
    let block = blocks
        .last_mut()
        .filter(|block| matches!(block.word, "if" | "range" | "with"))
        .ok_or("this {{else}} belongs to no {{if}}, {{range}} or {{with}}")?;
    if block.alternative {
        return Err("two {{else}} stand in one block; remove one");
    }
    block.alternative = rest.is_empty();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_go_are_accepted() {
        for text in [
            "",
            "plain } text }}",
            "{\"a\": \"{{.Message}}\"}",
            "{{- .x -}}",
            "{{if .a}}x{{else if .b}}y{{else}}z{{end}}",
            "{{range $i, $e := .list}}{{$e}}{{if eq $i 3}}{{break}}{{end}}{{end}}",
            "{{with (index .a 0)}}{{.}}{{end}}",
            "{{/* a comment }} */}}",
            "{{- /* a comment */ -}}",
            "{{define \"x\"}}{{end}}{{template \"x\" .}}",
            "{{printf \"}}\" }}",
            "{{printf `}}` | html}}",
            "{{ .a | jsonMarshal }}",
            "{{'}'}}",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn unbalanced_template_is_refused() {
        for text in [
            "{{",
            "{{.a",
            "{{.a}",
            "{{}}",
            "{{ - }}{{end}}",
            "{{end}}",
            "{{if .a}}",
            "{{if}}x{{end}}",
            "{{if .a}}{{else}}{{else}}{{end}}",
            "{{else}}",
            "{{define \"x\"}}{{else}}{{end}}",
            "{{break}}",
            "{{\"a}}",
            "{{\"a\n\"}}",
            "{{`a}}",
            "{{(.a}}",
            "{{.a)}}",
            "{{/* a }}",
            "{{/* a */ b}}",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }

    #[test]
    fn problems_have_positions() {
        assert_eq!(check("ab{{if .a}}").unwrap_err().range, Some((2, 4)));
        assert_eq!(check("a{{end}}").unwrap_err().range, Some((1, 8)));
    }
}
