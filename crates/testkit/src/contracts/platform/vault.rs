//! Sealing the secrets of an export, and those that the gateway shows again.

use super::super::{Case, Outcome, cases, ensure, ensure_eq, unexpected};
use gatewright_controlplane::ports::{Platform, Vault};

pub(super) fn cases<P: Platform>() -> Vec<Case<P>> {
    cases![
        what_was_sealed_is_opened_by_the_same_passphrase,
        nothing_else_opens_it,
        a_seal_shows_nothing_of_the_text,
        the_gateway_opens_what_it_has_sealed_itself,
    ]
}

const TEXT: &str = "{\"secret\":\"\u{fc}\u{1f511}\\n\"}";

async fn vault<P: Platform>(
    platform: &P,
    passphrase: &str,
    salt: &str,
) -> Result<P::Vault, String> {
    platform.vault(passphrase, salt).await.map_err(unexpected)
}

async fn what_was_sealed_is_opened_by_the_same_passphrase<P: Platform>(platform: &P) -> Outcome {
    let sealed = vault(platform, "correct horse \u{fc}", "salt").await?;
    for text in [TEXT, ""] {
        let sealed = sealed.seal("name", text).await.map_err(unexpected)?;
        let again = vault(platform, "correct horse \u{fc}", "salt").await?;
        ensure_eq(
            "what is opened",
            again.open("name", &sealed).await,
            Some(text.to_owned()),
        )?;
    }
    Ok(())
}

async fn nothing_else_opens_it<P: Platform>(platform: &P) -> Outcome {
    let right = vault(platform, "correct horse", "salt").await?;
    let sealed = right.seal("name", TEXT).await.map_err(unexpected)?;
    for (passphrase, salt, name) in [
        ("Correct horse", "salt", "name"),
        ("correct horse", "other", "name"),
        ("correct horse", "salt", "names"),
    ] {
        let other = vault(platform, passphrase, salt).await?;
        let opened = other.open(name, &sealed).await;
        ensure_eq(
            &format!("{passphrase}, {salt}, {name}"),
            opened,
            None::<String>,
        )?;
    }
    let (head, tail) = sealed.split_at_checked(20).unwrap_or_default();
    let mut letters = tail.chars();
    let other = if letters.next() == Some('0') {
        '1'
    } else {
        '0'
    };
    let changed = format!("{head}{other}{}", letters.as_str());
    for wrong in [changed.as_str(), head, "", "\u{fc}", "no base64!"] {
        ensure_eq(wrong, right.open("name", wrong).await, None::<String>)?;
    }
    Ok(())
}

async fn a_seal_shows_nothing_of_the_text<P: Platform>(platform: &P) -> Outcome {
    let vault = vault(platform, "correct horse", "salt").await?;
    let sealed = vault.seal("name", TEXT).await.map_err(unexpected)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    ensure("it shows the text", !sealed.contains("secret"))?;
    ensure(
        "it needs escapes in JSON",
        !sealed.is_empty() && sealed.bytes().all(plain),
    )
}

async fn the_gateway_opens_what_it_has_sealed_itself<P: Platform>(platform: &P) -> Outcome {
    let own = platform.own_vault().await.map_err(unexpected)?;
    let sealed = own.seal("name", TEXT).await.map_err(unexpected)?;
    let again = platform.own_vault().await.map_err(unexpected)?;
    let opened = again.open("name", &sealed).await;
    ensure_eq("what is opened", opened, Some(TEXT.to_owned()))?;
    ensure_eq("by another name", again.open("names", &sealed).await, None)?;
    let other = vault(platform, "correct horse", "salt").await?;
    ensure_eq("by another key", other.open("name", &sealed).await, None)
}
