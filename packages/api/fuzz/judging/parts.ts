/** The lines of NDJSON; of a body that was cut, only those that are whole. */
export function linesOf(text: string, cut: boolean): string[] {
  const lines = text.split("\n");
  const last = lines.pop();
  return last === "" || last === undefined || cut ? lines : [...lines, last];
}

export interface Message {
  id: string | undefined;
  event: string | undefined;
  data: string;
}

/** The whole messages of a stream of server-sent events. */
export function messagesOf(text: string): Message[] {
  const whole = text.slice(0, text.lastIndexOf("\n\n") + 1);
  return whole
    .split("\n\n")
    .filter((block) => /^(?:data|event|id):/m.test(block))
    .map((block) => ({
      id: field(block, "id"),
      event: field(block, "event"),
      data: field(block, "data") ?? "",
    }));
}

function field(block: string, name: string): string | undefined {
  const line = block.split("\n").find((one) => one.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trimStart();
}
