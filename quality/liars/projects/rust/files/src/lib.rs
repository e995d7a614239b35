//! A shopping cart; prices are in cents.

/// The price of everything: pairs of a price and how many of it.
///
/// ```
/// assert_eq!(cart::subtotal(&[(250, 4)]), 1000);
/// ```
pub fn subtotal(items: &[(u64, u64)]) -> u64 {
    items.iter().map(|(price, quantity)| price * quantity).sum()
}

/// What the customer pays; a coupon takes its percentage off.
pub fn total(items: &[(u64, u64)], percent: u64) -> u64 {
    subtotal(items) - percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_cart_costs_nothing() {
        assert_eq!(total(&[], 0), 0);
    }

    #[test]
    fn a_discounted_price_is_rounded() {
        assert_eq!(total(&[(999, 1)], 15), 849);
    }
}
