//! What the server of a proxy lists, and how much of it is known.

use gatewright_model::mcp::{self, Category, behind_capability};

use crate::state::mcp::Listed;

/// Pages of a list that are asked for: a server that never ends is no reason to ask for ever.
pub const PAGES: usize = 20;

/// The methods that a server is asked by, and the list that each is answered with.
pub fn asked() -> impl Iterator<Item = (&'static str, mcp::Listed)> {
    let methods = Category::ALL.into_iter().flat_map(behind_capability);
    methods.filter_map(|method| Some((*method, mcp::listed(method)?)))
}

/// How the answers to a method ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// There is nothing more.
    Whole,
    /// There is more, after [`PAGES`] pages.
    TooLong,
    /// The next page was not answered, for this reason.
    Failed(String),
}

/// What a server offers, as far as it said so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// What it lists.
    pub listed: Vec<(Category, Listed)>,
    /// What it did not answer, and why.
    pub troubles: Vec<(String, String)>,
    /// The methods that it answered to the end.
    whole: Vec<&'static str>,
}

impl Offer {
    /// One of tools alone, of which nothing is missing.
    #[must_use]
    pub fn of_tools(tools: Vec<Listed>) -> Self {
        let tools = tools.into_iter();
        Self {
            listed: tools.map(|tool| (Category::Tool, tool)).collect(),
            troubles: Vec::new(),
            whole: asked().map(|(method, _)| method).collect(),
        }
    }

    /// One of which nothing is known, and why.
    #[must_use]
    pub fn refused(what: String, why: String) -> Self {
        Self {
            troubles: vec![(what, why)],
            ..Self::default()
        }
    }

    /// Takes what a method was answered with.
    pub fn take(
        &mut self,
        category: Category,
        method: &'static str,
        listed: Vec<Listed>,
        end: End,
    ) {
        let has_some = !listed.is_empty();
        let listed = listed.into_iter().map(|listed| (category, listed));
        self.listed.extend(listed);
        let trouble = match end {
            End::Whole => {
                self.whole.push(method);
                return;
            }
            End::TooLong => (
                format!("{method} has more than {PAGES} pages:"),
                "what comes after them is not shown.".to_owned(),
            ),
            End::Failed(why) if has_some => (format!("{method} is not answered to its end."), why),
            End::Failed(why) => (format!("{method} is not answered."), why),
        };
        self.troubles.push(trouble);
    }

    /// Whether all that the server has of a category is known.
    #[must_use]
    pub fn is_whole(&self, category: Category) -> bool {
        let mut own = asked().filter(|(_, listed)| listed.category == category);
        own.all(|(method, _)| self.whole.contains(&method))
    }
}
