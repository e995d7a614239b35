import { LoopError } from "@ccw-loop/core";
import { digest } from "./digest.ts";

/**
 * The op id of a request that asks for `what` and names itself by its Idempotency-Key: the store knows it again after a
 * restart. It says what the body was. Undefined without a key. Throws `invalid_input` for a key that is too
 * long or no ASCII.
 */
export async function opIdOf(
  request: Request,
  what: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,200}$/.test(key)) {
    throw new LoopError(
      "invalid_input",
      "The Idempotency-Key has to be 1 to 200 printable ASCII characters.",
    );
  }
  return `http:${await digest(`${what}\n${key}`)}#${await digest(body)}`;
}
