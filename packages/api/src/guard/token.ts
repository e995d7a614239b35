import { LoopError } from "@ccw-loop/core";
import { digest } from "../app/digest.ts";

/**
 * Whether an `Authorization` header carries the token. Digests of equal length are compared, to their last digit, so
 * the time tells nothing about how much of a guess was right.
 */
export function tokenRule(token: string): (authorization: string | undefined) => Promise<boolean> {
  if (token === "") throw new LoopError("invalid_input", "The token must not be empty.");
  const expected = digest(token);
  return async (authorization) => {
    const [, given = ""] = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "") ?? [];
    return equal(await digest(given), await expected);
  };
}

function equal(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
