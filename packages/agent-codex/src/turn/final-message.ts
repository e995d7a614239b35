import type { AgentMessage, Item } from "../protocol/items.ts";

/**
 * The text that ends a turn: the last message marked as final, else the last without a mark. What was said
 * on the way (`commentary`) is never the result: under an output schema it has the same shape. Empty when
 * the turn has no final message. `told` are the messages heard while it ran; older versions of Codex leave
 * the turn's own list empty.
 */
export function finalMessage(ofTurn: readonly Item[], told: readonly AgentMessage[]): string {
  const listed = ofTurn.filter((item) => item.type === "agentMessage");
  return pick(listed) ?? pick(told) ?? "";
}

function pick(messages: readonly AgentMessage[]): string | undefined {
  const final = messages.findLast(({ phase }) => phase === "final_answer");
  return (final ?? messages.findLast(({ phase }) => !phase))?.text;
}
