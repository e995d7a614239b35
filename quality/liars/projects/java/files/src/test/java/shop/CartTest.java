package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CartTest {
    @Test
    void withoutCouponNothingChanges() {
        assertEquals(1000, Cart.total(1000, 0));
    }

    @Test
    void aCouponTakesItsPercentageOff() {
        assertEquals(1600, Cart.total(2000, 20));
    }
}
