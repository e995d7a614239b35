import { ERROR_CODES, type ErrorCode, LoopError, tryParseJson } from "@ccw-loop/core";
import { ErrorAnswer } from "../contract/operation.ts";

/** Codes of HTTP alone, as those of core that a caller would react to in the same way. */
const AS_OURS: Readonly<Record<string, ErrorCode>> = {
  forbidden: "invalid_input",
  too_large: "invalid_input",
  unsupported_media_type: "invalid_input",
};

export function errorFromAnswer(address: string, response: Response, body: string): LoopError {
  const { status } = response;
  const answer = ErrorAnswer.safeParse(tryParseJson(body));
  if (status === 401) return refusedToken(address);
  if (!answer.success) return notOurAnswer(address, response);
  const { error, code, details = {} } = answer.data;
  const { message = error, ...rest } = details;
  if (Object.hasOwn(ERROR_CODES, code))
    return new LoopError(code as ErrorCode, message, { details: rest });
  return new LoopError(AS_OURS[code] ?? "store_unavailable", `${address}: ${message}`, {
    details: { ...rest, status, code },
  });
}

export function typeOf({ headers }: Response): string {
  return headers.get("content-type") ?? "";
}

export function notOurAnswer(address: string, response: Response): LoopError {
  const { status } = response;
  const type = typeOf(response);
  const what = type === "" ? "something of no known type" : type.split(";", 1)[0];
  return new LoopError(
    "store_unavailable",
    `${address} answered ${status} with ${what}, which is no answer of CCW Loop. ` +
      "Check the address, and what stands in front of the server.",
    { details: { status } },
  );
}

/** An answer that fits no contract of ours although it looks like one. */
export function versionMismatch(address: string, cause: unknown): LoopError {
  return new LoopError(
    "store_unavailable",
    `${address} answered what this version does not understand. Use the same version of CCW Loop on both sides.`,
    { cause },
  );
}

/** No answer came, or it broke off. */
export function cannotConnect(address: string, cause: unknown): LoopError {
  const reason = reasonOf(cause);
  const next = NOT_TRUSTED.test(reason)
    ? "Its certificate is not trusted here. Renew it, or name the file of its issuer in NODE_EXTRA_CA_CERTS."
    : "Check the address, and that it runs there: ccw-loop serve";
  return new LoopError("store_unavailable", `${address} cannot be reached: ${reason}. ${next}`, {
    cause,
  });
}

/** What OpenSSL and Node call certificates that they refuse. */
const NOT_TRUSTED = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_)/;

function refusedToken(address: string): LoopError {
  return new LoopError(
    "invalid_input",
    `${address} wants the token that its server keeps, and this request had none or another one. ` +
      "Give it with --token-file FILE or in CCW_LOOP_TOKEN; in a program, as `token` of loopClient.",
    { details: { status: 401 } },
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause: unknown = error.cause;
  if (cause === undefined) return error.message;
  const { code } = Object(cause) as { code?: unknown };
  return typeof code === "string" ? code : reasonOf(cause);
}
