import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const CART = join(import.meta.dirname, "../../demo/cart");

/** The shopping cart of the demo: its files by their paths. */
export function cartFiles(): Record<string, string> {
  const names = readdirSync(CART, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(CART, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(CART, name), "utf8")]));
}
