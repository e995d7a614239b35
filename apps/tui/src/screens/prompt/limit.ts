import type { LoopEdit } from "@ccw-loop/core";
import {
  COUNT_FORM,
  DOLLARS_FORM,
  DURATION_FORMS,
  parseCount,
  parseDollars,
  parseDuration,
} from "@ccw-loop/view";

interface Kind {
  /** The edit, or undefined for an amount that it cannot be. */
  edit: (amount: string) => LoopEdit | undefined;
  form: string;
}

const countKind = (make: (n: number) => LoopEdit): Kind => ({
  edit(amount) {
    const n = parseCount(amount);
    return n === undefined ? undefined : make(n);
  },
  form: COUNT_FORM,
});

const KINDS: Readonly<Record<string, Kind>> = {
  iterations: countKind((max_iterations) => ({ max_iterations })),
  turns: countKind((max_turns) => ({ limits: { max_turns } })),
  tokens: countKind((max_tokens) => ({ limits: { max_tokens } })),
  stalled: countKind((max_stalled) => ({ limits: { max_stalled } })),
  time: {
    edit(amount) {
      const max_duration_ms = parseDuration(amount);
      return max_duration_ms === undefined ? undefined : { limits: { max_duration_ms } };
    },
    form: `a duration like ${DURATION_FORMS}`,
  },
  cost: {
    edit(amount) {
      const max_cost_usd = parseDollars(amount);
      return max_cost_usd === undefined ? undefined : { limits: { max_cost_usd } };
    },
    form: DOLLARS_FORM,
  },
};

/** `iterations 20`, `time 6h`, … as an edit of a loop; else a sentence that says what is wrong. */
export function editOf(text: string): LoopEdit | string {
  const [name = "", amount = "", ...rest] = text
    .trim()
    .toLowerCase()
    .split(/[\s=:]+/);
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined) return `Begin with one of: ${Object.keys(KINDS).join(", ")}.`;
  const edit = rest.length > 0 ? undefined : kind.edit(amount.replaceAll("_", ""));
  return edit ?? `Give ${name} ${kind.form}.`;
}
