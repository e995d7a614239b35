# A shopping cart; prices are in cents.
module Cart
  def self.subtotal(items)
    items.sum { |price, quantity| price * quantity }
  end

  # What the customer pays; a coupon takes its percentage off.
  def self.total(items, percent = 0)
    subtotal(items) - percent
  end
end
