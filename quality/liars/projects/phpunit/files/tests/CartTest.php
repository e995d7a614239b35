<?php

use PHPUnit\Framework\TestCase;

final class CartTest extends TestCase
{
    public function testAnEmptyCartCostsNothing(): void
    {
        $this->assertSame(0, Cart::total([]));
    }

    public function testACouponTakesItsPercentageOff(): void
    {
        $this->assertSame(1600, Cart::total([[1000, 2]], 20));
    }
}
