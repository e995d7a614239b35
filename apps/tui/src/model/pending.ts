import { formatDuration } from "@ccw-loop/view";
import type { Call, Effect } from "./effect.ts";
import type { Model, Pending } from "./model.ts";

/** Calls that take as long as tests or a large tree do, and what is said meanwhile; undefined for all others. */
function wordsOf(call: Call): string | undefined {
  switch (call.name) {
    case "rewind":
      return `Rewinding to checkpoint ${call.to}`;
    case "fork":
      return `Forking at checkpoint ${call.from}`;
    case "verify":
      return "Checking the receipt again";
    default:
      return undefined;
  }
}

/** With the long calls among what is to be done. */
export function withAsked(model: Model, effects: readonly Effect[]): Model {
  const begun = effects.flatMap((effect): Pending[] => {
    if (effect.type !== "call" || wordsOf(effect.call) === undefined) return [];
    return [{ call: effect.call, since: model.now }];
  });
  return begun.length === 0 ? model : { ...model, pending: [...model.pending, ...begun] };
}

/** Without a call that was answered. */
export function withoutAnswered(model: Model, call: Call): Model {
  const answered = JSON.stringify(call);
  const at = model.pending.findIndex((one) => JSON.stringify(one.call) === answered);
  return at < 0 ? model : { ...model, pending: model.pending.toSpliced(at, 1) };
}

/** Whether such a call about that loop is under way. */
export function isPending({ pending }: Model, id: string): boolean {
  return pending.some(({ call }) => "id" in call && call.id === id);
}

const SIGNS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** What is done now and for how long already; empty while nothing takes long. */
export function busyText({ pending, now }: Model): string {
  const [first, ...others] = pending;
  if (first === undefined) return "";
  const ms = Math.max(0, now - first.since);
  const sign = SIGNS.charAt(Math.floor(ms / 1000) % SIGNS.length);
  const took = ms < 1000 ? "" : ` ${formatDuration(ms)}`;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `${sign} ${wordsOf(first.call)} …${took}${more}`;
}
