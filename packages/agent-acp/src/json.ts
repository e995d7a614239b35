import { isPlain } from "@ccw-loop/core";

/** What lies at a path inside of JSON that another program sent; undefined where it has another shape. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (isPlain(found) ? found[key] : undefined), value);
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
