//! Categories of an API, which users of this API family append to its name.

/// Returns the categories in an API's name: the text after each `#`, as in `Orders #sales #eu west`, without
/// surrounding whitespace. Duplicates, ignoring case, count once.
#[must_use]
pub fn categories(name: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for category in name.split('#').skip(1).map(str::trim) {
        let known = |other: &&str| other.to_lowercase() == category.to_lowercase();
        if !category.is_empty() && !found.iter().any(known) {
            found.push(category);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_follow_the_name() {
        assert_eq!(
            categories("Orders #sales #EU west #Sales ##"),
            ["sales", "EU west"]
        );
        assert_eq!(categories("Orders"), [""; 0]);
    }
}
