<?php

/** Prices are in cents; an item is a price and how many of it. */
final class Cart
{
    public static function subtotal(array $items): int
    {
        return array_sum(array_map(fn ($item) => $item[0] * $item[1], $items));
    }

    /** What the customer pays; a coupon takes its percentage off. */
    public static function total(array $items, int $percent = 0): int
    {
        return self::subtotal($items) - $percent;
    }
}
