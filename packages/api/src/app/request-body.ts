import { brokenBound, clip, errorText, LoopError } from "@ccw-loop/core";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { errorAnswer, HttpError } from "./http-error.ts";

/**
 * How many brackets of a body may be open at once, and how many values it may have in all. What a value costs to check,
 * to refuse and to store is paid per value: half a million of them would hold up everybody else's requests.
 */
const DEPTH = 64;
const VALUES = 10_000;

/** How many wrong fields are named, and with how many characters of each. */
const MOST_FIELDS = 20;
const LONGEST_FIELD = 200;

/**
 * A body as bytes, and what it says; without a body, `{}`. Throws `invalid_input` for what is no JSON, nested too deep or of too many values, 415 for what does not say that it is JSON or is
 * compressed, and 408 for what broke off.
 */
export async function readBody(
  request: Request,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; value: unknown }> {
  requirePlain(request.headers.get("content-encoding"));
  const bytes = await bytesOf(request);
  if (bytes.length === 0) return { bytes, value: {} };
  requireJson(request.headers.get("content-type"));
  return { bytes, value: parse(decode(bytes)) };
}

async function bytesOf(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const wasRead = request.bodyUsed;
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    throw wasRead ? error : incompleteBody();
  }
}

/** The client went away, or took too long: nobody reads the answer, and nothing is wrong with the server. */
function incompleteBody(): HttpError {
  return new HttpError(408, "The request body ended early.");
}

function requirePlain(encoding: string | null): void {
  if (encoding === null || /^ *(identity)? *$/i.test(encoding)) return;
  throw new HttpError(
    415,
    "The body is compressed, and only plain ones are read. Send it without Content-Encoding.",
    { "Accept-Encoding": "identity" },
  );
}

/** A form, or text that happens to be JSON, can be sent by any page without asking: it must say that it is JSON. */
function requireJson(type: string | null): void {
  if (isJson(type)) return;
  throw new HttpError(415, "The body has to be JSON. Send it with: Content-Type: application/json");
}

export function isJson(type: string | null): boolean {
  return /^application\/json *(;|$)/i.test(type ?? "");
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LoopError("invalid_input", "The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  // The parser recurses and builds, so it must not be the one that notices.
  const broken = brokenBound(text, { depth: DEPTH, values: VALUES });
  if (broken === "depth") {
    throw new LoopError("invalid_input", `The body is nested deeper than ${DEPTH} levels.`);
  }
  if (broken === "values") {
    throw new LoopError("invalid_input", `The body has more than ${VALUES} values.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LoopError("invalid_input", `The body is not valid JSON: ${errorText(error)}`);
  }
}

/** The value as `schema` reads it. Throws `invalid_input` with the schema's own sentence, or one that names the field. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { error: sentence });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // What is wrong as a whole has no field.
  const fields = new Set(
    issues
      .slice(0, MOST_FIELDS)
      .flatMap(fieldsOf)
      .filter((path) => path !== ""),
  );
  throw new LoopError("invalid_input", issues[0]?.message ?? "The request is wrong.", {
    details: fields.size === 0 ? {} : { fields: [...fields].slice(0, MOST_FIELDS) },
  });
}

function fieldsOf(issue: z.core.$ZodIssue): string[] {
  const { path } = issue;
  const paths =
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
  return paths.map((one) => clip(one.join("."), LONGEST_FIELD));
}

function sentence(issue: z.core.$ZodRawIssue): string {
  const where = issue.path?.join(".") || "The request";
  const said = z.config().localeError?.(issue);
  return `${where}: ${typeof said === "string" ? said : (said?.message ?? "invalid")}.`;
}

/** Refuses bodies of more than `maxSize` bytes (413), and those without a length that break off (408). */
export function limitBody(maxSize: number): MiddlewareHandler {
  const sentence = `The body is larger than ${maxSize} bytes.`;
  const limited = bodyLimit({
    maxSize,
    onError: (c) => errorAnswer(c, new HttpError(413, sentence)),
  });
  return async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD") return next();
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
