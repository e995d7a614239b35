import { LoopError } from "@ccw-loop/core";
import { SettingValues } from "@ccw-loop/view";
import type { Io } from "../io.ts";
import { SETTING_KEYS, type SettingKey } from "./keys.ts";
import {
  absoluteAgent,
  envLayer,
  fileLayer,
  flagLayer,
  type Layer,
  projectFile,
  userFile,
} from "./layers.ts";

export interface EffectiveSettings {
  values: SettingValues;
  /** Where each value comes from: `flag`, `env NAME`, the path of a file, or `default`. */
  origins: ReadonlyMap<SettingKey, string>;
  /** One sentence for every key of a configuration file that means nothing. */
  warnings: string[];
}

/** Where settings are looked for. */
export interface Place {
  env: Io["env"];
  cwd: string;
  root: string;
}

/**
 * The settings that hold: flag, else environment, else the project's file, else the user's, else the default.
 * Every value is checked, also those that another one covers. Throws `invalid_input` and names the place.
 */
export async function effectiveSettings(
  flags: Readonly<Record<string, unknown>>,
  { env, cwd, root }: Place,
): Promise<EffectiveSettings> {
  const project = await fileLayer(projectFile(root), root);
  const user = await fileLayer(userFile(env));
  const layers = [flagLayer(flags, cwd), envLayer(env, cwd), project, user];
  const said = SETTING_KEYS.map((key) => [key, layerValues(key, layers)[0]] as const);
  return {
    values: SettingValues.parse(
      Object.fromEntries(said.map(([key, first]) => [key, first?.value])),
    ),
    origins: new Map(said.map(([key, first]) => [key, first?.origin ?? "default"])),
    warnings: [project, user].flatMap(unknownKeys),
  };
}

/** What each layer says about a key, the strongest first, all checked. */
function layerValues(
  key: SettingKey,
  layers: readonly Layer[],
): { value: unknown; origin: string }[] {
  return layers
    .filter((layer) => layer.values[key] !== undefined)
    .map((layer) => ({ value: checked(key, layer), origin: layer.origin(key) }));
}

function checked(key: SettingKey, layer: Layer): unknown {
  const parsed = SettingValues.shape[key].safeParse(layer.values[key]);
  if (parsed.success) {
    return key === "agent" ? absoluteAgent(String(parsed.data), layer.base) : parsed.data;
  }
  const shown = JSON.stringify(layer.values[key]);
  const reason = parsed.error.issues[0]?.message;
  throw new LoopError("invalid_input", `${layer.nameOf(key)} cannot be ${shown}: ${reason}.`, {
    details: { key },
  });
}

function unknownKeys(layer: Layer): string[] {
  const known = SETTING_KEYS.join(", ");
  return Object.keys(layer.values)
    .filter((key) => key !== "$schema" && !SETTING_KEYS.some((name) => name === key))
    .map((key) => `Unknown setting ${layer.nameOf(key)}; the known ones are: ${known}.`);
}
