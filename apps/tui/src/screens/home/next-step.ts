import { type LoopRow, overviewOf, type Tone } from "@ccw-loop/view";
import { blank, type Line, span } from "../../components/line.ts";
import { type Model, shellCommand } from "../../model/model.ts";
import { firstKey } from "../bindings.ts";

/** The one thing that helps most now. */
export interface NextStep {
  tone: Tone;
  text: string;
  /** The loop it is about; null when it is about none. */
  id: string | null;
  /** The binding that does it; null for what is done elsewhere, or by nobody. */
  binding: "home.next" | "home.new" | null;
}

/** Undefined as long as nothing is known. */
export function nextStep({ loops, place }: Pick<Model, "loops" | "place">): NextStep | undefined {
  const { rows, damaged, complete } = loops;
  const { urgent, counts } = overviewOf(rows);
  const asks = urgent?.health === "waiting" || urgent?.health === "stuck";
  const [broken] = damaged;
  if (broken && !asks) {
    const text = `Run ${shellCommand(place, `recover ${broken.id}`)}: it is damaged`;
    return { tone: "bad", text, id: broken.id, binding: null };
  }
  if (urgent) return { ...stepOf(urgent), id: urgent.id, binding: "home.next" };
  if (!complete) return undefined;
  if (counts.running > 0) {
    const text = `Nothing needs you; ${counts.running} ${counts.running === 1 ? "loop runs" : "loops run"}.`;
    return { tone: "good", text, id: null, binding: null };
  }
  const text = rows.size === 0 ? "Make the first loop" : "Make another loop; nothing is left to do";
  return { tone: "name", text, id: null, binding: "home.new" };
}

function stepOf({ title, health, waits, status, outcome }: LoopRow): { tone: Tone; text: string } {
  const name = `"${title}"`;
  switch (health) {
    case "waiting":
    case "stuck": {
      const [first = "", ...rest] = waits ?? "makes no progress";
      return { tone: "warning", text: `${name} ${first.toLowerCase()}${rest.join("")}` };
    }
    case "undriven":
      return { tone: "warning", text: `Drive ${name}: nobody does` };
    case "failed":
      return { tone: "bad", text: `See why ${name} failed (${outcome ?? "no reason kept"})` };
    default:
      return { tone: "plain", text: `${status === "created" ? "Start" : "Go on with"} ${name}` };
  }
}

/** What to do next, and the key that does it. */
export function nextStepLine(model: Model): Line {
  const step = nextStep(model);
  if (step === undefined) return blank;
  const pressed =
    step.binding === null ? [] : [span(`${firstKey(step.binding, model.keys)} `, "name")];
  return [span(" → ", step.tone), ...pressed, span(step.text, step.tone)];
}
