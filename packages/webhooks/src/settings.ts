import { LoopError } from "@ccw-loop/core";
import { z } from "zod";
import { MESSAGE_STATES, type MessageState } from "./message.ts";

/** A text, or the variable of the environment that holds it. */
const Said = z.union(
  [
    z.string().min(1),
    z.strictObject({ env: z.string().regex(/^[A-Za-z_]\w*$/, "name a variable") }),
  ],
  'use a text, or { "env": "NAME" }',
);
type Said = z.infer<typeof Said>;

const FORMATS = ["json", "slack", "discord", "telegram", "ntfy"] as const;

/** One webhook as the operator's own configuration has it. */
export const WebhookSettings = z.strictObject({
  url: Said,
  /** `whsec_` and 24 to 64 bytes in Base64, by which receivers know that a message is from here. */
  secret: Said.optional(),
  format: z.enum(FORMATS, `use one of: ${FORMATS.join(", ")}`).default("json"),
  /** The chat that Telegram sends to. */
  chat: z.union([z.string().min(1), z.int()]).optional(),
  states: z
    .array(z.enum(MESSAGE_STATES, `use some of: ${MESSAGE_STATES.join(", ")}`))
    .min(1, "name a state, or leave it out for all of them")
    .default([...MESSAGE_STATES]),
  headers: z
    .record(z.string().regex(/^(?!webhook-|host$|content-)[\w-]+$/i, "is no header to set"), Said)
    .default({}),
});
export type WebhookSettings = z.infer<typeof WebhookSettings>;

/** Where messages of some states go. URL, key and headers are secrets: no text names them. */
export interface Webhook {
  name: string;
  url: URL;
  format: WebhookSettings["format"];
  chat: string | number | undefined;
  states: readonly MessageState[];
  /** What messages are signed with; null where they are not. */
  key: Buffer | null;
  headers: Readonly<Record<string, string>>;
}

const MAKE_SECRET = "echo whsec_$(openssl rand -base64 32)";

/** Throws `invalid_input` for what cannot be used, with the name of the webhook and of the setting and none of its values. */
export function openWebhook(
  name: string,
  { format, chat, states, ...settings }: WebhookSettings,
  env: Readonly<Record<string, string | undefined>>,
): Webhook {
  const wrong = (key: string, reason: string) =>
    new LoopError("invalid_input", `webhooks.${name}.${key} ${reason}.`, { details: { key } });
  const textOf = (key: string, said: Said): string => {
    if (typeof said === "string") return said;
    const value = env[said.env] ?? "";
    if (value === "") throw wrong(key, `is to come from ${said.env}, which is not set`);
    return value;
  };
  const url = URL.parse(textOf("url", settings.url));
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong("url", "is no http or https address");
  if (url.username || url.password) {
    throw wrong("url", "has a name and password in it, which are not sent; use headers instead");
  }
  const key =
    settings.secret === undefined ? null : keyOf(textOf("secret", settings.secret).trim());
  if (key === undefined) {
    throw wrong(
      "secret",
      `is not whsec_ and 24 to 64 bytes in Base64; make one with: ${MAKE_SECRET}`,
    );
  }
  if (format === "json" && key === null) {
    throw wrong("secret", `is needed for the format json; make one with: ${MAKE_SECRET}`);
  }
  if (format === "telegram" && chat === undefined) {
    throw wrong("chat", "is needed for the format telegram");
  }
  if (format === "ntfy" && topicOf(url) === "") {
    throw wrong("url", "names no topic: use https://HOST/TOPIC");
  }
  const headers = Object.entries(settings.headers).map(([header, said]) => {
    const value = textOf(`headers.${header}`, said);
    if (!/^[\x20-\x7e\t]+$/.test(value))
      throw wrong(`headers.${header}`, "is no value of a header");
    return [header, value] as const;
  });
  return { name, url, format, chat, states, key, headers: Object.fromEntries(headers) };
}

/** What ntfy calls the last part of such an address. */
export function topicOf({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1));
}

function keyOf(secret: string): Buffer | undefined {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(text ?? "", "base64");
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}
