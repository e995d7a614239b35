import { type ModelRequest, type ModelStep, message, runCommand } from "./script.ts";

const HALF = `export function subtotal(items) {
  let sum = 0;
  for (const item of items) sum += item.price * item.quantity;
  return sum;
}
export function total(items, coupon = { percent: 0 }) {
  return subtotal(items) * (1 - coupon.percent / 100);
}
`;
const WHOLE = `const cents = (items) =>
  items.reduce((sum, item) => sum + Math.round(item.price * 100) * item.quantity, 0);
export const subtotal = (items) => cents(items) / 100;
export const total = (items, coupon = { percent: 0 }) =>
  Math.round(cents(items) * (1 - coupon.percent / 100)) / 100;
`;

/**
 * What a model says that repairs the cart of the demo in two tries, with a failing test run and a DEBUG in between:
 * by the action that the last prompt names, and what the tools answered since. With `nap` the first DEVELOP turn
 * creates the file `started` and runs that command before it does anything.
 */
export function cartModel(nap?: string): (request: ModelRequest) => ModelStep {
  return (request) => play(request, nap);
}

function play(request: ModelRequest, nap: string | undefined): ModelStep {
  const prompt = request.userTexts.at(-1) ?? "";
  const done = answersSincePrompt(request);
  const action = /# ACTION: (\S+)(?: (\S+))?/.exec(prompt);
  switch (`${action?.[1]} ${action?.[2] ?? ""}`.trim()) {
    case "INIT":
      return final("INIT", "One task.", { tasks: [{ description: "Repair the cart" }] });
    case "DEVELOP task-001":
      if (nap && done === 0 && !prompt.includes("cut off")) {
        return { items: [runCommand(`touch started; ${nap}`)] };
      }
      return done === 0
        ? { items: [write(HALF)] }
        : final("DEVELOP", "Quantities and coupons.", { summary: "Quantities and coupons." });
    case "DEBUG":
      return final("DEBUG", "One suspicion.", DEBUG_UPDATES);
    case "DEBUG VERDICT":
      return final("DEBUG", "Fractions of a euro.", VERDICT_UPDATES);
    case "DEVELOP fix-001":
      return done === 0
        ? { items: [write(WHOLE)] }
        : final("DEVELOP", "Whole cents.", { summary: "Whole cents." });
    default:
      return final("DEVELOP", `Unexpected prompt: ${prompt.slice(0, 80)}`, {}, "failed");
  }
}

const DEBUG_UPDATES = {
  active_bug: "Totals are a fraction of a cent off",
  understanding: "0.1 has no exact binary form.",
  hypotheses: [
    {
      id: "H1",
      description: "Money is added in fractions of a euro",
      testable_condition: "0.1 * 3 is not 0.3",
      logging_point: "src/cart.js:subtotal:3",
      evidence_criteria: { confirm: "more than two decimals", reject: "0.3" },
      likelihood: 1,
      explains: [],
      probe: {
        command: `node --input-type=module -e 'import { subtotal } from "./src/cart.js"; console.log(subtotal([{ price: 0.1, quantity: 3 }]))'`,
        if_holds: [{ kind: "number", pattern: "^.+$", compare: "!=", value: 0.3 }],
        if_not: [{ kind: "number", pattern: "^.+$", compare: "=", value: 0.3 }],
      },
      claimed_evidence: null,
    },
  ],
  confirmed_hypothesis: null,
  fix_tasks: [],
};

const VERDICT_UPDATES = {
  ...DEBUG_UPDATES,
  hypotheses: DEBUG_UPDATES.hypotheses.map((idea) => ({
    ...idea,
    probe: null,
  })),
  confirmed_hypothesis: "H1",
  fix_tasks: [{ description: "Calculate in whole cents" }],
};

function write(content: string) {
  return runCommand(`cat > src/cart.js <<'END'\n${content}END`);
}

function final(
  action: string,
  text: string,
  state_updates: Record<string, unknown>,
  status = "success",
): ModelStep {
  const result = {
    action,
    status,
    message: text,
    state_updates,
    files_updated: [],
  };
  return { items: [message(JSON.stringify(result), "final_answer")] };
}

function answersSincePrompt({ body }: ModelRequest): number {
  const last = body.input.findLastIndex((item) => item.role === "user");
  return body.input.slice(last).filter((item) => item.type?.endsWith("_output")).length;
}
