import test from "ava";
import { total } from "../src/cart.js";

test("a coupon takes its percentage off", (t) => {
  t.is(total([{ price: 1000, quantity: 2 }], { percent: 20 }), 1600);
});

test("a discounted price is rounded to whole cents", (t) => {
  t.is(total([{ price: 999, quantity: 1 }], { percent: 15 }), 849);
});
