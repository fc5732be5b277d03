//! The contract of [`Kv`]. The limits are those of Workers KV
//! (<https://developers.cloudflare.com/kv/platform/limits/>).

use super::{Case, Outcome, cases, ensure, ensure_eq, unexpected};
use futures_util::future::try_join_all;
use gatewright_controlplane::ports::Kv;

/// More keys than Workers KV lists at once.
const MANY: usize = 1100;

/// Returns every case.
#[must_use]
pub fn cases<K: Kv>() -> Vec<Case<K>> {
    cases![
        a_key_that_was_never_set_has_no_value,
        a_value_comes_back_byte_for_byte,
        an_empty_value_is_a_value,
        a_key_may_be_any_text,
        the_last_value_counts_with_its_metadata,
        a_deleted_key_is_gone_and_may_be_deleted_again,
        a_chunk_of_a_set_comes_back_whole,
        a_value_that_is_too_large_changes_nothing,
        a_key_that_is_none_is_refused,
        a_list_has_every_key_with_the_prefix_in_the_order_of_bytes,
        a_prefix_is_no_pattern,
        a_list_is_whole_however_long,
        metadata_comes_back_as_the_text_it_was,
        metadata_that_is_too_long_is_refused,
    ]
}

async fn put<K: Kv>(kv: &K, key: &str, value: &str) -> Outcome {
    kv.put(key, value, None).await.map_err(unexpected)
}

async fn get<K: Kv>(kv: &K, key: &str) -> Result<Option<String>, String> {
    kv.get(key).await.map_err(unexpected)
}

async fn names<K: Kv>(kv: &K, prefix: &str) -> Result<Vec<String>, String> {
    let listed = kv.list(prefix).await.map_err(unexpected)?;
    Ok(listed.into_iter().map(|(name, _)| name).collect())
}

async fn a_key_that_was_never_set_has_no_value<K: Kv>(kv: &K) -> Outcome {
    ensure_eq("its value", get(kv, "never/set").await?, None::<String>)?;
    ensure_eq(
        "keys below it",
        names(kv, "never/").await?,
        Vec::<String>::new(),
    )
}

async fn a_value_comes_back_byte_for_byte<K: Kv>(kv: &K) -> Outcome {
    let texts = [
        "{\"n\": 1.0, \"big\": 12345678901234567890}\r\n",
        "ü \u{20ac} \u{1f600} e\u{301}",
        "\u{0}\u{1}\u{7f}\u{2028}\u{ffff}",
        " \n",
    ];
    for (number, text) in texts.into_iter().enumerate() {
        let key = format!("bytes/{number}");
        put(kv, &key, text).await?;
        ensure_eq("the value", get(kv, &key).await?.as_deref(), Some(text))?;
    }
    Ok(())
}

async fn an_empty_value_is_a_value<K: Kv>(kv: &K) -> Outcome {
    put(kv, "empty", "").await?;
    ensure_eq("the value", get(kv, "empty").await?.as_deref(), Some(""))
}

async fn a_key_may_be_any_text<K: Kv>(kv: &K) -> Outcome {
    let keys = [
        "any/a b",
        "any/a%20b",
        "any/a+b",
        "any/a?b=c&d#e",
        "any/../up",
        "any//double",
        "any/\u{fc}\u{20ac}\u{1f600}",
        "any/\"quoted\\\"",
        "any/line\nbreak",
    ];
    for key in keys {
        put(kv, key, key).await?;
    }
    for key in keys {
        ensure_eq(key, get(kv, key).await?.as_deref(), Some(key))?;
    }
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    ensure_eq("the list", names(kv, "any/").await?, sorted)
}

async fn the_last_value_counts_with_its_metadata<K: Kv>(kv: &K) -> Outcome {
    kv.put("last", "longer than the second", Some("1"))
        .await
        .map_err(unexpected)?;
    put(kv, "last", "second").await?;
    ensure_eq(
        "the value",
        get(kv, "last").await?.as_deref(),
        Some("second"),
    )?;
    let listed = kv.list("last").await.map_err(unexpected)?;
    ensure_eq("the list", listed, vec![("last".to_owned(), None)])
}

async fn a_deleted_key_is_gone_and_may_be_deleted_again<K: Kv>(kv: &K) -> Outcome {
    put(kv, "deleted/one", "1").await?;
    put(kv, "deleted/one/more", "2").await?;
    for _ in 0..2 {
        kv.delete("deleted/one").await.map_err(unexpected)?;
        ensure_eq("its value", get(kv, "deleted/one").await?, None::<String>)?;
        ensure_eq(
            "the list",
            names(kv, "deleted/").await?,
            ["deleted/one/more"],
        )?;
    }
    put(kv, "deleted/one", "again").await?;
    let value = get(kv, "deleted/one").await?;
    ensure_eq("what was set again", value.as_deref(), Some("again"))
}

async fn a_chunk_of_a_set_comes_back_whole<K: Kv>(kv: &K) -> Outcome {
    // Three bytes per character, so that a split at any power of two falls inside one.
    let chunk = "\u{20ac}uro ".repeat(750_000);
    put(kv, "large", &chunk).await?;
    let found = get(kv, "large").await?.unwrap_or_default();
    ensure_eq("its length", found.len(), chunk.len())?;
    ensure("it has another text", found == chunk)
}

async fn a_value_that_is_too_large_changes_nothing<K: Kv>(kv: &K) -> Outcome {
    put(kv, "too-large", "before").await?;
    let value = "x".repeat(25 * 1024 * 1024 + 1);
    let refused = kv.put("too-large", &value, None).await.is_err();
    ensure("a value above 25 MiB was taken", refused)?;
    let found = get(kv, "too-large").await?;
    ensure_eq("the value", found.as_deref(), Some("before"))
}

async fn a_key_that_is_none_is_refused<K: Kv>(kv: &K) -> Outcome {
    let most = "k".repeat(512);
    put(kv, &most, "512 bytes").await?;
    ensure_eq(
        "its value",
        get(kv, &most).await?.as_deref(),
        Some("512 bytes"),
    )?;
    // 257 characters of two bytes each.
    let long = "\u{fc}".repeat(257);
    for key in ["", ".", "..", &long] {
        let refused = kv.put(key, "x", None).await.is_err();
        ensure(format!("the key {key:?} was taken"), refused)?;
    }
    Ok(())
}

async fn a_list_has_every_key_with_the_prefix_in_the_order_of_bytes<K: Kv>(kv: &K) -> Outcome {
    // U+FF5E sorts before U+1F600 in UTF-8 and after it in UTF-16.
    let sorted = [
        "list/",
        "list/10",
        "list/9",
        "list/B",
        "list/a",
        "list/\u{ff5e}",
        "list/\u{1f600}",
    ];
    for key in sorted.iter().rev() {
        put(kv, key, "x").await?;
    }
    put(kv, "lis", "x").await?;
    put(kv, "list0", "x").await?;
    ensure_eq("the list", names(kv, "list/").await?, sorted)?;
    ensure_eq(
        "below a longer prefix",
        names(kv, "list/1").await?,
        ["list/10"],
    )
}

async fn a_prefix_is_no_pattern<K: Kv>(kv: &K) -> Outcome {
    for key in [
        "pattern/a%b",
        "pattern/axb",
        "pattern/a_b",
        "pattern/A%B",
        "pattern/a*b",
    ] {
        put(kv, key, "x").await?;
    }
    ensure_eq("%", names(kv, "pattern/a%").await?, ["pattern/a%b"])?;
    ensure_eq("_", names(kv, "pattern/a_").await?, ["pattern/a_b"])?;
    ensure_eq("*", names(kv, "pattern/a*").await?, ["pattern/a*b"])
}

async fn a_list_is_whole_however_long<K: Kv>(kv: &K) -> Outcome {
    let keys: Vec<String> = (0..MANY).map(|n| format!("many/{n:04}")).collect();
    for some in keys.chunks(100) {
        try_join_all(some.iter().map(|key| kv.put(key, "", Some(key))))
            .await
            .map_err(unexpected)?;
    }
    let listed = kv.list("many/").await.map_err(unexpected)?;
    ensure_eq("its length", listed.len(), MANY)?;
    let wanted = keys.into_iter().map(|key| (key.clone(), Some(key)));
    ensure("a key is missing or has other metadata", wanted.eq(listed))
}

async fn metadata_comes_back_as_the_text_it_was<K: Kv>(kv: &K) -> Outcome {
    let texts = ["7", "null", "{\"a\": 1}", "\u{fc} \"\\\n", ""];
    for (number, text) in texts.into_iter().enumerate() {
        let key = format!("metadata/{number}");
        kv.put(&key, "x", Some(text)).await.map_err(unexpected)?;
        let listed = kv.list(&key).await.map_err(unexpected)?;
        ensure_eq("the list", listed, vec![(key, Some(text.to_owned()))])?;
    }
    put(kv, "metadata/none", "x").await?;
    let listed = kv.list("metadata/none").await.map_err(unexpected)?;
    let none = vec![("metadata/none".to_owned(), None)];
    ensure_eq("the list", listed, none)
}

async fn metadata_that_is_too_long_is_refused<K: Kv>(kv: &K) -> Outcome {
    // It is stored as JSON, so quotation marks are added.
    let most = "m".repeat(1022);
    kv.put("too-long", "x", Some(&most))
        .await
        .map_err(unexpected)?;
    let longer = "m".repeat(1023);
    let refused = kv.put("too-long", "y", Some(&longer)).await.is_err();
    ensure("more than 1024 bytes of metadata were taken", refused)?;
    let value = get(kv, "too-long").await?;
    ensure_eq("the value", value.as_deref(), Some("x"))
}
