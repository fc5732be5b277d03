use super::*;

#[test]
fn every_word_of_the_tables_is_known() {
    for version in [Version::V3_0, Version::V3_1] {
        for kind in [DocumentKind::Oas, DocumentKind::Mcp] {
            let table = table(version, kind);
            assert!(table.number(true, DOCUMENT).is_some());
            assert!(table.number(false, EXTENSION).is_some());
            assert_eq!(
                table.number(false, MCP_SERVER).is_some(),
                kind == DocumentKind::Mcp
            );
        }
    }
}
