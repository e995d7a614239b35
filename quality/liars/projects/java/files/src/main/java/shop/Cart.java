package shop;

/** Prices are in cents. */
public final class Cart {
    private Cart() {}

    /** What the customer pays; a coupon takes its percentage off. */
    public static long total(long price, long percent) {
        return price - percent;
    }
}
