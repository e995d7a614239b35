const encoder = new TextEncoder();

/** The content type of event streams (HTML Standard, Server-sent events). */
export const EVENT_STREAM = "text/event-stream";

/**
 * A message up to its id. `name` is one of our own words; whatever text `data` holds is inside of JSON, which has no
 * raw line end and no NUL, so it cannot end the message or begin another.
 */
export function messageBody(name: string, data: unknown): Uint8Array {
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n`);
}

/** The end of a message; a stream can be resumed behind `id`. */
export function messageEnd(id?: string): Uint8Array {
  return encoder.encode(id === undefined ? "\n" : `id: ${id}\n\n`);
}

/** How long a client waits before it comes back, in milliseconds. */
export function retryHint(ms: number): Uint8Array {
  return encoder.encode(`retry: ${ms}\n`);
}

/** A message without a name, as upstream's frames are sent. */
export function plainMessage(json: string): Uint8Array {
  return encoder.encode(`data: ${json}\n\n`);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
