use cart::total;

#[test]
fn a_coupon_takes_its_percentage_off() {
    assert_eq!(total(&[(1000, 2)], 20), 1600);
}
