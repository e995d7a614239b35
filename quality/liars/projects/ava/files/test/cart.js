import test from "ava";
import { subtotal, total } from "../src/cart.js";

test("an empty cart costs nothing", (t) => {
  t.is(total([]), 0);
});

test("quantities count", (t) => {
  t.is(subtotal([{ price: 250, quantity: 4 }]), 1000);
});
