import { clip } from "@ccw-loop/core";
import { z } from "zod";

/**
 * An object of a request: a name that it does not know is refused with those that it knows, because what was misspelt
 * would otherwise have no effect. `text` is the sentence for what is no such object at all.
 */
export function exact<S extends z.ZodRawShape>(shape: S, text?: string) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? unknownName(issue.keys[0] ?? "", Object.keys(shape), issue.path)
        : text,
  });
}

/** Says which name is not known, in which field, and which ones are. */
export function unknownName(
  name: string,
  known: readonly string[],
  path: readonly PropertyKey[] = [],
): string {
  const where = path.length === 0 ? "this request" : path.join(".");
  const shown = JSON.stringify(clip(name, 60));
  const use = known.length === 0 ? "it takes none" : `use ${known.join(", ")}`;
  return `${where} cannot have ${shown}: ${use}.`.replace(/^t/, "T");
}
