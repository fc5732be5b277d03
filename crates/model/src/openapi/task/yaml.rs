//! Documents that are sent or administered as YAML.
//!
//! Checking, compiling and serving use the JSON equivalent, and the text stays as sent except for what the gateway
//! writes into it. A document that is administered as YAML remains so when it is replaced by JSON: its text is edited
//! to match, and keeps its comments.

use super::{Act, Compiled, Format, Made, Refusal, Report, Task, malformed, parse, stored};
use crate::issue::Issue;
use crate::yaml::{self, Edited};

pub(super) fn make(task: &Task, before: &str, sent: &str) -> Result<(Report, String), Refusal> {
    let own = stored::yaml(before).filter(|_| task.version.is_none());
    let document = stored::document(before).map_or("", |(_, document)| document);
    let (mut made, mut compiled) = match task.format {
        Format::Json => super::make(task, document, sent)?,
        Format::Yaml => as_json(task, document, sent)?,
    };
    let document = &compiled.document;
    let source = match task.format {
        Format::Yaml => Some((sent, own.as_deref().filter(|_| task.act == Act::Patch))),
        Format::Json => own.as_deref().map(|own| (own, None)),
    };
    if let Some((source, donor)) = source.filter(|_| !document.is_empty()) {
        // A PATCH preserves the extension, with its comments.
        let donor = donor.map(|own| yaml::edited(own, document, None).text);
        let Edited { text: yaml, lost } = yaml::edited(source, document, donor.as_deref());
        made.issues.extend(lost);
        let definition = stored::with_yaml(&compiled.definition, &yaml);
        compiled.definition = definition.map_err(|_| malformed(Vec::new()))?;
    }
    Ok((Report::Made(made), compiled.text()?))
}

/// Makes what to store from a document in YAML, and issues with their positions in it.
fn as_json(task: &Task, before: &str, sent: &str) -> Result<(Made, Compiled), Refusal> {
    let (json, notes) = yaml::read(sent)
        .and_then(|yaml| yaml.json())
        .map_err(malformed)?;
    match super::make(task, before, &json) {
        Ok((mut made, compiled)) => {
            made.issues = in_place(made.issues, sent);
            made.issues.extend(notes);
            Ok((made, compiled))
        }
        Err(mut refusal) => {
            refusal.issues = in_place(refusal.issues, sent);
            Err(refusal)
        }
    }
}

fn in_place(issues: Vec<Issue>, sent: &str) -> Vec<Issue> {
    if issues.is_empty() {
        return issues;
    }
    match yaml::read(sent) {
        Ok(yaml) => yaml.placed(issues),
        _ => issues,
    }
}

pub(super) fn shown(own: &str, document: &str) -> Result<(Report, String), Refusal> {
    let yaml = match own.is_empty() {
        true => yaml::written(&parse(document).map_err(malformed)?),
        false => yaml::edited(own, document, None).text,
    };
    Ok((Report::Definition, yaml))
}

pub(super) fn placed(issues: &[Issue], sent: &str) -> Result<(Report, String), Refusal> {
    let issues = in_place(issues.to_vec(), sent);
    Ok((Report::Placed(issues), String::new()))
}

#[cfg(test)]
mod tests {
    use super::super::{Call, run};
    use super::*;
    use crate::openapi::DocumentKind;
    use crate::openapi::administered::Parameters;

    const PETS: &str = r##"# Pets of the town
openapi: 3.0.3
info: {title: Pets, version: "1"}
paths:
  /pets: # all of them
    get:
      responses:
        200: {description: ok}
x-gateway-api-gateway:
  info:
    name: Pets # its name
    state: {active: true}
  upstream: {url: http://up} # inside
  server:
    listenPath: {value: /pets/}
"##;

    fn task(act: Act, format: Format) -> Task {
        Task {
            act,
            format,
            kind: DocumentKind::Oas,
            id: "pets".to_owned(),
            origin: "http://gw".to_owned(),
            parameters: Parameters::default(),
            version: None,
        }
    }

    fn made(act: Act, format: Format, before: &str, sent: &str) -> (Vec<Issue>, String) {
        let (report, text) = run(&Call::Make(task(act, format)), before, sent);
        match report {
            Report::Made(made) => (made.issues, text),
            other => panic!("{other:?}"),
        }
    }

    fn refusal(act: Act, sent: &str) -> Refusal {
        let (report, text) = run(&Call::Make(task(act, Format::Yaml)), "", sent);
        assert_eq!(text, "");
        match report {
            Report::Refused(refusal) => refusal,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn patch_of_nothing_is_only_checked() {
        let plain = PETS.split("x-gateway").next().unwrap();
        assert_eq!(made(Act::Patch, Format::Yaml, "", plain).1, "");
        let refused = refusal(Act::Patch, &plain.replace("title: Pets", "title: ''"));
        assert!(refused.message.contains("title"), "{refused:?}");
    }

    fn shown(text: &str) -> String {
        let own = stored::yaml(text).unwrap_or_default();
        let (_, document) = stored::document(text).unwrap();
        run(&Call::Yaml, &own, document).1
    }

    fn stored_pets() -> String {
        let (issues, text) = made(Act::Store, Format::Yaml, "", PETS);
        assert_eq!(issues, []);
        text
    }

    #[test]
    fn server_changes_are_applied_and_other_text_kept() {
        let text = stored_pets();
        let expected = PETS
            .replace(
                "        200: {description: ok}\n",
                "        200: {description: ok}\n      operationId: petsGET\n",
            )
            .replace("{active: true}\n", "{active: true}\n    id: pets\n")
            + "servers:\n  - url: http://gw/pets\n  - url: /pets\ncomponents: {}\n";
        assert_eq!(stored::yaml(&text).as_deref(), Some(expected.as_str()));
        assert_eq!(shown(&text), expected);
        // The definition is the same as for the document in JSON.
        let (json, _) = yaml::read(PETS).unwrap().json().unwrap();
        let (_, same) = made(Act::Store, Format::Json, "", &json);
        assert_eq!(stored::served(&same), stored::served(&text));
        assert_eq!(stored::document(&same), stored::document(&text));
        // Sent again, it stays unchanged.
        let (_, again) = made(Act::Store, Format::Yaml, &text, &expected);
        assert_eq!(again, text);
    }

    #[test]
    fn json_replacement_is_written_into_the_yaml() {
        let before = stored_pets();
        let (_, document) = stored::document(&before).unwrap();
        let sent = document.replace("\"Pets\"", "\"Animals\"");
        let (issues, text) = made(Act::Store, Format::Json, &before, &sent);
        assert_eq!(issues, []);
        assert_eq!(stored::document(&text).unwrap().1, sent);
        let yaml = stored::yaml(&text).unwrap();
        assert!(yaml.contains("    name: Animals # its name\n"), "{yaml}");
        assert!(yaml.starts_with("# Pets of the town\n"), "{yaml}");
        // A document sent as JSON has no YAML text.
        let (_, text) = made(Act::Store, Format::Json, "", document);
        assert_eq!(stored::yaml(&text), None);
        assert!(shown(&text).contains("\n  info:\n    name: Pets\n"));
    }

    #[test]
    fn a_patch_keeps_the_extension_with_its_comments() {
        let before = stored_pets();
        let sent = "# New\nopenapi: 3.0.3\ninfo: {title: New, version: '2'}\npaths: {} # none\n";
        let (issues, text) = made(Act::Patch, Format::Yaml, &before, sent);
        assert_eq!(issues, []);
        let yaml = shown(&text);
        for line in [
            "# New",
            "paths: {} # none",
            "    name: Pets # its name",
            "  upstream: {url: http://up} # inside",
            "    id: pets",
        ] {
            assert!(yaml.lines().any(|is| is == line), "{line}\n{yaml}");
        }
    }

    #[test]
    fn an_import_gets_its_extension_in_yaml() {
        let sent = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\nservers:\n- url: http://up/v1 # up\n";
        let (_, text) = made(Act::Import, Format::Yaml, "", sent);
        let yaml = shown(&text);
        assert!(
            yaml.starts_with("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\nservers:\n- url: http://gw/\n- url: /\n- url: http://up/v1 # up\nx-gateway-api-gateway:\n  info:\n"),
            "{yaml}"
        );
        let refused = refusal(Act::Import, PETS);
        assert_eq!(refused.message, super::super::EXTENSION_IN_IMPORT);
    }

    #[test]
    fn refusals_point_into_the_yaml() {
        for (sent, message, place) in [
            (
                PETS.replace("version: \"1\"", "version: 1.0"),
                "request malformed",
                (3, 30, "/info/version"),
            ),
            (
                PETS.replace("value: /pets/", "value: 7"),
                "x-gateway-api-gateway.server.listenPath.value: Invalid type. Expected: string, given: integer",
                (15, 25, "/x-gateway-api-gateway/server/listenPath/value"),
            ),
            (
                PETS.replace("    get:\n", "    get:\n    get:\n"),
                "request malformed",
                (7, 5, "/paths/~1pets/get"),
            ),
            ("- 1".to_owned(), "request malformed", (1, 1, "")),
        ] {
            let refused = refusal(Act::Store, &sent);
            assert_eq!(refused.message, message, "{:?}", refused.issues);
            let found = &refused.issues[0];
            let at = (found.start.line, found.start.column, &*found.pointer);
            assert_eq!(at, place, "{:?}", refused.issues);
        }
    }

    #[test]
    fn json_text_is_distinguished_from_yaml() {
        let (report, _) = run(&Call::Make(task(Act::Store, Format::Json)), "", PETS);
        let Report::Refused(refused) = report else {
            panic!("{report:?}");
        };
        assert_eq!(refused.message, "request malformed");
        assert!(refused.issues[0].message.contains("application/yaml"));
    }

    #[test]
    fn issues_have_positions() {
        let issue = refusal(Act::Store, "[").issues.remove(0);
        let issue = Issue {
            pointer: "/info/title".to_owned(),
            ..issue
        };
        let (report, _) = run(&Call::Place(vec![issue]), "", PETS);
        let Report::Placed(issues) = report else {
            panic!("{report:?}");
        };
        assert_eq!((issues[0].start.line, issues[0].start.column), (3, 15));
    }
}
