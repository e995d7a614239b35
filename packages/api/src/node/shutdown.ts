import type { IncomingMessage, Server, ServerResponse } from "node:http";

interface Closing {
  endStreams(): void;
  /** Ends what outlived the grace and is no request any more. */
  cut(): void;
  graceMs: number;
}

/** Shuts a server down in good order, once: streams end, requests finish within the grace, then everything is cut. */
export function gracefulShutdown(
  server: Server,
  { endStreams, cut, graceMs }: Closing,
): { close(): Promise<void>; closed: Promise<void> } {
  let ending = false;
  const answers = new Set<ServerResponse>();
  const letGo = (answer: ServerResponse) => {
    if (!answer.headersSent) answer.setHeader("connection", "close");
  };
  server.on("request", (_: IncomingMessage, answer: ServerResponse) => {
    if (ending) letGo(answer);
    answers.add(answer);
    answer.once("close", () => {
      answers.delete(answer);
      if (ending) setImmediate(() => server.closeIdleConnections());
    });
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const close = () => {
    if (ending) return closed;
    ending = true;
    server.close();
    for (const answer of answers) letGo(answer);
    endStreams();
    const late = setTimeout(() => {
      server.closeAllConnections();
      cut();
    }, graceMs);
    return closed.finally(() => clearTimeout(late));
  };
  return { close, closed };
}
