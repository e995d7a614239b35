import { LoopState } from "@ccw-loop/core";
import { type Delivery, deliver } from "./delivery.ts";
import { type Message, messageOf } from "./message.ts";
import { ANSWER_MS } from "./queue.ts";
import type { Webhook } from "./settings.ts";

/** Sends a message about a loop that there is not, as a real one would look, once and whatever states it is for. */
export function sendSample(webhook: Webhook, project: string, now: Date): Promise<Delivery> {
  const id = `sample.${crypto.randomUUID()}`;
  return deliver(webhook, sampleMessage(project, now), { id, now, timeoutMs: ANSWER_MS });
}

function sampleMessage(project: string, now: Date): Message {
  const at = now.toISOString();
  const loop = LoopState.parse({
    loop_id: "sample",
    title: "Try the webhook",
    status: "running",
    created_at: at,
    updated_at: at,
    current_iteration: 1,
    waiting: {
      kind: "input",
      since: at,
      prompt: "This is a sample: no loop waits for you. Did it reach you?",
      options: ["yes", "no"],
    },
  });
  const standing = { loop: "sample", revision: 1, state: "needs you", at } as const;
  const message = messageOf(standing, loop, project);
  return { ...message, data: { ...message.data, sample: true } };
}
