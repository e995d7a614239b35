/** A message of a stream of server-sent events. */
export interface Message {
  id: string | undefined;
  event: string;
  data: string;
}

/** How a stream is reached: where the server is, as soon as one answers. */
export interface Source {
  up(): Promise<{ url: string; token: string }>;
  path: string;
  signal: AbortSignal;
}

/**
 * What a browser's EventSource does: takes a stream's messages, and comes back behind the last id it has whenever the
 * stream breaks off. `connected` says how each connection was asked for. Ends when the signal aborts.
 */
export async function followStream(
  { up, path, signal }: Source,
  take: (message: Message) => void,
  connected: (lastId: string | undefined) => void = () => undefined,
): Promise<void> {
  let lastId: string | undefined;
  while (!signal.aborted) {
    const { url, token } = await up();
    try {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(lastId !== undefined && { "last-event-id": lastId }),
      };
      const { ok, status, body } = await fetch(url + path, { headers, signal });
      if (!ok || !body) throw new Error(`${path} answered ${status}`);
      connected(lastId);
      for await (const message of messagesOf(body)) {
        lastId = message.id ?? lastId;
        if (message.event !== "ping") take(message);
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof TypeError)) throw error;
    }
  }
}

/** A message that breaks off before its empty line is none, and neither is its id. */
async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const lines = block.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line)?.slice(1) ?? []);
      const { id, event = "message", data = "" } = Object.fromEntries(lines);
      yield { id, event, data };
    }
  }
}
