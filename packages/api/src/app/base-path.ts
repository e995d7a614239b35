import type { Context } from "hono";
import { basePath } from "hono/route";

/** What `serve` passes beside the request. */
export interface ServedEnv {
  /** Where the app lies, when that was taken off the path before: `/projects/NAME`. */
  base?: string;
}

/** The path below which this request finds the app, without a slash at its end: empty where it is not mounted. */
export function baseOf(c: Context): string {
  const { base = "" }: ServedEnv = c.env ?? {};
  return base + ownBase(c);
}

/** The path within the app, wherever that is mounted. */
export function pathWithin(c: Context): string {
  return c.req.path.slice(ownBase(c).length) || "/";
}

function ownBase(c: Context): string {
  return basePath(c).replace(/\/$/, "");
}
