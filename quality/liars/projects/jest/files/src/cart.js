/** The price of everything in the cart, in cents. */
function subtotal(items) {
  return items.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
}

/** What the customer pays, in whole cents; a coupon takes its percentage off. */
function total(items, coupon = { percent: 0 }) {
  return subtotal(items) - coupon.percent;
}

module.exports = { subtotal, total };
