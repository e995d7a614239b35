import type { RpcProgram } from "@ccw-loop/processes/json-rpc";
import { listAt, textAt } from "../json.ts";
import { ask, type Outcome } from "./ask.ts";
import type { ConversationSpec } from "./conversation-spec.ts";

export interface Choice {
  /** What is chosen now. */
  now: string | undefined;
  all: readonly string[];
  /** Null where it is chosen by a method of its own. */
  configId: string | null;
}

/** What can be chosen of a kind: by its own method, or among the options of the session. */
export function choiceIn(result: unknown, category: "mode" | "model"): Choice | null {
  const [now, all] =
    category === "mode"
      ? [textAt(result, "modes", "currentModeId"), listAt(result, "modes", "availableModes")]
      : [textAt(result, "models", "currentModelId"), listAt(result, "models", "availableModels")];
  if (now !== undefined) {
    const key = category === "mode" ? "id" : "modelId";
    return { now, all: all.flatMap((one) => textAt(one, key) ?? []), configId: null };
  }
  const option = listAt(result, "configOptions").find(
    (one) => (textAt(one, "category") ?? textAt(one, "id")) === category,
  );
  const configId = textAt(option, "id");
  if (configId === undefined) return null;
  const values = listAt(option, "options").flatMap((one) => [one, ...listAt(one, "options")]);
  return {
    now: textAt(option, "currentValue"),
    all: values.flatMap((one) => textAt(one, "value") ?? []),
    configId,
  };
}

/** Chooses a mode or a model of a session. */
export function choose(
  program: RpcProgram,
  { limits }: ConversationSpec,
  sessionId: string,
  { configId, category, value }: Pick<Choice, "configId"> & { category: string; value: string },
): Promise<Outcome<unknown>> {
  const [method, params] =
    configId === null
      ? [`session/set_${category}`, { [`${category}Id`]: value }]
      : ["session/set_config_option", { configId, value }];
  return ask(program, method, { sessionId, ...params }, limits.requestMs);
}

/** A warning where the model cannot be chosen. */
export async function takeModel(
  program: RpcProgram,
  spec: ConversationSpec,
  sessionId: string,
  result: unknown,
): Promise<Outcome<string | null>> {
  const { model, profile } = spec;
  const choice = choiceIn(result, "model");
  if (model === undefined || choice?.now === model) return { ok: true, result: null };
  if (choice === null) {
    const message = `${profile.title} does not let its model be chosen; it uses its own setting instead of ${model}.`;
    return { ok: true, result: message };
  }
  const { configId } = choice;
  const chosen = await choose(program, spec, sessionId, {
    configId,
    category: "model",
    value: model,
  });
  if (chosen.ok) return { ok: true, result: null };
  if (chosen.failure.kind === "crash") return chosen;
  return misconfigured(
    `${profile.title} does not take the model ${model}; there are ${choice.all.join(", ") || "none to choose"}`,
  );
}

export function misconfigured(message: string): Outcome<never> {
  return { ok: false, failure: { kind: "config", message } };
}
