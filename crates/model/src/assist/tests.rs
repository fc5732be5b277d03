mod completion;
mod fix_all;
mod fixes;
mod ids;
mod openapi;
mod openapi_fixes;
mod rulesets;

use super::hover;
use crate::shape::Root;

const ROOT: Root = Root::ApiDefinition;

#[test]
fn members_are_explained() {
    let text = r#"{"proxy": {"listen_path": "/a"}, "error_overrides": {"403": []}, "zzz": 1}"#;
    let at = |needle: &str| hover(ROOT.into(), text, text.find(needle).unwrap());
    let found = at("listen_path").unwrap();
    assert_eq!(found.title, "proxy.listen_path");
    assert_eq!(
        (found.support.as_str(), found.kind.as_str()),
        ("enforced", "a string: a listen path")
    );
    assert_eq!(&text[found.from..found.to], "\"listen_path\"");
    assert_eq!(at("/a").unwrap().doc, found.doc);
    assert_eq!(at("403").unwrap().title, "error_overrides.403");
    assert!(at("zzz").is_none() && hover(ROOT.into(), text, 0).is_none());
}
