import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { errorAnswer, HttpError } from "./answers.ts";
import { incompleteBody } from "./read-body.ts";

/** Refuses bodies of more than `maxSize` bytes (413), and those without a length that break off (408). */
export function limitBody(maxSize: number): MiddlewareHandler {
  const sentence = `The body is larger than ${maxSize} bytes.`;
  const limited = bodyLimit({
    maxSize,
    onError: (c) => errorAnswer(c, new HttpError(413, "too_large", sentence)),
  });
  return async (c, next) => {
    const wasRead = c.req.raw.bodyUsed;
    try {
      return await limited(c, next);
    } catch (error) {
      if (wasRead) throw error;
      // What goes wrong behind `next` is answered there: this was the reading.
      return errorAnswer(c, incompleteBody());
    }
  };
}
