import { posix } from "node:path";
import { type RawPath, textOf } from "../raw-path.ts";
import type { Repository } from "./repository.ts";

/** A path from the top, as people and programs see it: from `cwd`. */
export function shownPath({ prefix }: Pick<Repository, "prefix">, path: RawPath): string {
  const text = textOf(path);
  return prefix === "" ? text : posix.relative(`/${prefix}`, `/${text}`);
}
