import { type ListPosition, LoopError, Timestamp } from "@ccw-loop/core";
import { z } from "zod";

const Place = z.tuple([Timestamp, z.string()]);

/** A loop's place in the list as clients carry it: they are not to read it. */
export function writeCursor({ updated_at, loop_id }: ListPosition): string {
  return btoa(JSON.stringify([updated_at, loop_id]))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

/** Throws `invalid_input` for a text that `writeCursor` did not make. */
export function readCursor(cursor: string): ListPosition {
  try {
    const text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const [updated_at, loop_id] = Place.parse(JSON.parse(text));
    return { updated_at, loop_id };
  } catch (error) {
    throw new LoopError(
      "invalid_input",
      "This cursor is not one of ours. Begin again without it, and use `next_cursor` of each answer.",
      { cause: error },
    );
  }
}
