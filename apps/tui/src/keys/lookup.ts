import type { Binding } from "../screens/screen.ts";
import type { KeyMap } from "./key-map.ts";
import { shownKey } from "./key-name.ts";

/** The keys of a binding, most usual first. */
export function keysOf({ id, keys }: Pick<Binding, "id" | "keys">, map: KeyMap): readonly string[] {
  return map[id] ?? keys;
}

/** The most usual key of a binding as people read it. */
export function firstKey(binding: Pick<Binding, "id" | "keys">, map: KeyMap): string {
  return shownKey(keysOf(binding, map)[0] ?? "none");
}

/** The binding that a key has here. */
export function findBinding(
  bindings: readonly Binding[],
  key: string,
  map: KeyMap,
): Binding | undefined {
  return bindings.find((binding) => keysOf(binding, map).includes(key));
}
