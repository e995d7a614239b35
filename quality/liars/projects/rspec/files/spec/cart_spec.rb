RSpec.describe Cart do
  it "costs nothing when it is empty" do
    expect(Cart.total([])).to eq(0)
  end

  it "takes the percentage of a coupon off" do
    expect(Cart.total([[1000, 2]], 20)).to eq(1600)
  end

  it "rounds to whole cents" do
    expect(Cart.total([[999, 1]], 15)).to eq(849)
  end
end
