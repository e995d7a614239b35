import { LoopError } from "@ccw-loop/core";
import { z } from "zod";
import { Refusal } from "./answers.ts";

/** How many brackets of a body may be open at once. */
const DEPTH = 64;

/** A body as bytes, and what it says; without a body, `{}`. */
export interface ReadBody {
  bytes: Uint8Array<ArrayBuffer>;
  value: unknown;
}

/**
 * Throws `invalid_input` for what is no JSON or nested too deep, 415 for what does not say that it is JSON or is
 * compressed, and 408 for what broke off.
 */
export async function readBody(request: Request): Promise<ReadBody> {
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
    throw wasRead ? error : brokenOff();
  }
}

/** The client went away, or took too long: nobody reads the answer, and nothing is wrong with the server. */
export function brokenOff(): Refusal {
  return new Refusal(408, "request_timeout", "The body did not arrive whole.");
}

function requirePlain(encoding: string | null): void {
  if (encoding === null || /^ *(identity)? *$/i.test(encoding)) return;
  throw new Refusal(
    415,
    "unsupported_media_type",
    "The body is compressed, and only plain ones are read. Send it without Content-Encoding.",
    { "Accept-Encoding": "identity" },
  );
}

function requireJson(type: string | null): void {
  if (/^application\/json *(;|$)/i.test(type ?? "")) return;
  throw new Refusal(
    415,
    "unsupported_media_type",
    "The body has to be JSON. Send it with: Content-Type: application/json",
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LoopError("invalid_input", "The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  if (isDeeper(text, DEPTH)) {
    throw new LoopError("invalid_input", `The body is nested deeper than ${DEPTH} levels.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LoopError("invalid_input", `The body is not valid JSON: ${reason}`);
  }
}

/** Looks at brackets alone: the parser recurses, so it must not be the one that notices. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > most) return true;
    } else if (char === "}" || char === "]") depth -= 1;
  }
  return false;
}

/** The value as `schema` reads it. Throws `invalid_input` with the schema's own sentence, or one that names the field. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { error: sentence });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // What is wrong as a whole has no field.
  const fields = new Set(issues.flatMap(fieldsOf).filter((path) => path !== ""));
  throw new LoopError("invalid_input", issues[0]?.message ?? "The request is wrong.", {
    details: fields.size === 0 ? {} : { fields: [...fields].slice(0, 20) },
  });
}

function fieldsOf(issue: z.core.$ZodIssue): string[] {
  const { path } = issue;
  const paths =
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
  return paths.map((one) => one.join("."));
}

function sentence(issue: z.core.$ZodRawIssue): string {
  const where = issue.path?.join(".") || "The request";
  const said = z.config().localeError?.(issue);
  return `${where}: ${typeof said === "string" ? said : (said?.message ?? "invalid")}.`;
}
