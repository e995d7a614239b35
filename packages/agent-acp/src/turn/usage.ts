import type { TokenUsage } from "@ccw-loop/core";
import { at, numberAt, textAt } from "../json.ts";
import type { UsageMeaning } from "../launch/profiles.ts";

interface Counts {
  input: number;
  cached: number;
  output: number;
}

const NOTHING: Counts = { input: 0, cached: 0, output: 0 };

/** Turns what an agent tells of its tokens into those of one turn. */
export class Meter {
  readonly #meaning: UsageMeaning;
  /** The session's total when the turn began; null where nobody told it. */
  #total: Counts | null = NOTHING;
  #chunks: Counts | null = null;
  /** US dollars of the session so far, and when the turn began; null where nobody told them. */
  #cost: number | null = 0;
  #costBefore: number | null = 0;

  constructor(meaning: UsageMeaning) {
    this.#meaning = meaning;
  }

  /** A session that is new has used nothing; what one that is continued, or its original, used before is not known. */
  opened(how: "started" | "resumed" | "forked"): void {
    this.#total = how === "started" ? NOTHING : null;
    this.#cost = how === "started" ? 0 : null;
  }

  turnBegins(): void {
    this.#chunks = null;
    this.#costBefore = this.#cost;
  }

  /** Takes in the `update` of a `session/update`; what the turn has used up to now where that was told. */
  update(update: unknown): TokenUsage | null {
    if (textAt(update, "sessionUpdate") === "usage_update") {
      const isDollars = textAt(update, "cost", "currency") === "USD";
      if (isDollars) this.#cost = numberAt(update, "cost", "amount") ?? this.#cost;
      return null;
    }
    const counts = this.#meaning === "chunks" ? countsIn(at(update, "_meta", "usage")) : null;
    if (counts === null) return null;
    this.#chunks = plus(this.#chunks ?? NOTHING, counts);
    return this.#usage(this.#chunks);
  }

  /** What the turn used, by what its answer says; null where that is not known. */
  turnEnded(result: unknown): TokenUsage | null {
    const counts =
      countsIn(at(result, "usage")) ?? countsIn(at(result, "_meta", "quota", "token_count"));
    switch (this.#meaning) {
      case "turn":
        return counts && this.#usage(counts);
      case "session": {
        const before = this.#total;
        this.#total = counts ?? before;
        return counts && before && this.#usage(minus(counts, before));
      }
      case "chunks":
        return this.#chunks && this.#usage(this.#chunks);
      default:
        return null;
    }
  }

  #usage({ input, cached, output }: Counts): TokenUsage {
    const cost = (this.#cost ?? 0) - (this.#costBefore ?? 0);
    const isKnown = this.#costBefore !== null && cost > 0;
    return {
      input_tokens: input,
      cached_input_tokens: cached,
      output_tokens: output,
      total_tokens: input + output,
      ...(isKnown ? { cost_usd: cost } : {}),
    };
  }
}

/** In both spellings that there are. What was read from a cache counts as input, as it does in the total. */
function countsIn(usage: unknown): Counts | null {
  const input = numberAt(usage, "inputTokens") ?? numberAt(usage, "input_tokens");
  const output = numberAt(usage, "outputTokens") ?? numberAt(usage, "output_tokens");
  if (input === undefined || output === undefined) return null;
  const total = numberAt(usage, "totalTokens") ?? numberAt(usage, "total_tokens") ?? input + output;
  const cached = numberAt(usage, "cachedReadTokens") ?? numberAt(usage, "cachedInputTokens") ?? 0;
  return { input: Math.max(total - output, input), cached, output };
}

const plus = (a: Counts, b: Counts) => combined(a, b, (x, y) => x + y);
const minus = (a: Counts, b: Counts) => combined(a, b, (x, y) => Math.max(0, x - y));

function combined(a: Counts, b: Counts, of: (x: number, y: number) => number): Counts {
  return {
    input: of(a.input, b.input),
    cached: of(a.cached, b.cached),
    output: of(a.output, b.output),
  };
}

/** What two turns used together; where one is not known that of the other. */
export function sumOf(a: TokenUsage | null, b: TokenUsage | null): TokenUsage | null {
  if (!a || !b) return a ?? b;
  const cost = (a.cost_usd ?? 0) + (b.cost_usd ?? 0);
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    ...(cost > 0 ? { cost_usd: cost } : {}),
  };
}
