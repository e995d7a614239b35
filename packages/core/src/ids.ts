import { z } from "zod";
import { LoopError } from "./errors.ts";

const SAFE_SLUG = /^(?!\.)(?!.*\.\.)[A-Za-z0-9._-]{1,128}(?<!\.)$/;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** A loop or task id is a safe file name on every system. */
export const LoopId = z
  .string()
  .regex(SAFE_SLUG, "use letters, digits, '.', '_' and '-', at most 128, no leading dot, no '..'")
  .refine((id) => !WINDOWS_DEVICE.test(id), "this is the name of a Windows device");

/** The id itself, or `invalid_id` with the reason. */
export function parseLoopId(text: string): string {
  const parsed = LoopId.safeParse(text);
  if (parsed.success) return parsed.data;
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  throw new LoopError(
    "invalid_id",
    `${shown} is not a loop id: ${parsed.error.issues[0]?.message}.`,
  );
}

/** The same for a loop that is to be made: as an argument, an id that begins with `-` would pass for an option. */
export function parseNewLoopId(text: string): string {
  const id = parseLoopId(text);
  if (!id.startsWith("-")) return id;
  throw new LoopError(
    "invalid_id",
    `${JSON.stringify(id.slice(0, 60))} is not an id for a new loop: begin it with a letter, a digit or '_'.`,
  );
}

/** Stands for the loop that was made last, where a person names one. */
export const LAST_LOOP = "@last";

/** The digits at the end of a minted id are its short id. */
const MINTED_ID = /^loop-v2-\d{8}T\d{6}-([0-9a-f]{8})$/;

/**
 * Which of these loops a person may mean by a text: the one of that very id, else each whose id, or short id, begins with
 * it. A number in a chosen id counts as a whole: `fix-1` does not mean `fix-10`.
 */
export function loopsMeant(text: string, ids: readonly string[]): string[] {
  if (text === "") return [];
  if (ids.includes(text)) return [text];
  return ids.filter((id) => {
    const short = MINTED_ID.exec(id)?.[1];
    if (short?.startsWith(text)) return true;
    const cutsNumber = short === undefined && /\d$/.test(text) && /^\d/.test(id.slice(text.length));
    return id.startsWith(text) && !cutsNumber;
  });
}

/** `loop-v2-{YYYYMMDDTHHMMSS}-{8 hex}` in UTC; `random` is eight hexadecimal digits. */
export function mintLoopId(now: Date, random: string): string {
  return `loop-v2-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}-${random}`;
}

/** `task-{epoch ms}-{8 hex}`, the shape of the control plane's task ids. */
export function mintTaskId(now: Date, random: string): string {
  return `task-${now.getTime()}-${random}`;
}

/** The part of an op id that names its request; behind a `#` it may say what was asked, as a digest. */
export function opName(opId: string): string {
  return opId.split("#", 1)[0] ?? opId;
}

/** Throws `op_reused` when two op ids of one name say that something else was asked. */
export function requireSameOp(kept: string, opId: string): void {
  if (kept === opId || !kept.includes("#") || !opId.includes("#")) return;
  throw new LoopError(
    "op_reused",
    "A request of this name asked for something else before. Use a new name (over HTTP, Idempotency-Key) for a new request.",
  );
}
