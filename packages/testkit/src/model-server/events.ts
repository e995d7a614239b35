import type { ModelItem } from "./items.ts";
import type { StreamedStep } from "./script.ts";

/** One server-sent event of an answer. */
export interface ModelEvent {
  type: string;
  [field: string]: unknown;
}

const PIECES = 4;

/** The events of one streamed answer, in order. */
export function eventsOf(step: StreamedStep, responseId: string): ModelEvent[] {
  const response = { id: responseId };
  const items = (step.items ?? []).flatMap((item, index) => itemEvents(item, index, step.deltas));
  return [{ type: "response.created", response }, ...items, lastEvent(step, responseId)];
}

function itemEvents(item: ModelItem, output_index: number, deltas = true): ModelEvent[] {
  const text = itemText(item);
  const begun =
    text === null
      ? item
      : { ...item, content: [{ type: "output_text", text: "", annotations: [] }] };
  return [
    { type: "response.output_item.added", output_index, item: begun },
    ...(deltas ? pieces(text ?? "") : []).map((delta) => ({
      type: "response.output_text.delta",
      item_id: item.id,
      output_index,
      content_index: 0,
      delta,
    })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function lastEvent({ failed, incomplete, usage }: StreamedStep, id: string): ModelEvent {
  if (failed) return { type: "response.failed", response: { id, error: failed } };
  if (incomplete) {
    return {
      type: "response.incomplete",
      response: { id, incomplete_details: { reason: incomplete } },
    };
  }
  const { input, cached = 0, output } = usage ?? { input: 100, cached: 40, output: 20 };
  return {
    type: "response.completed",
    response: {
      id,
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    },
  };
}

function itemText(item: ModelItem): string | null {
  if (item.type !== "message" || !Array.isArray(item.content)) return null;
  return item.content.map((part: { text?: string }) => part.text ?? "").join("");
}

function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / PIECES));
  const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => i * size);
  return starts.map((start) => text.slice(start, start + size));
}
