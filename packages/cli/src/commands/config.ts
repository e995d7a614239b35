import { sanitizeLine, table } from "@ccw-loop/view";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import type { SettingFlags } from "../program/options.ts";
import { settingsFor } from "../settings/flags.ts";
import { SETTING_KEYS, UNSET } from "../settings/keys.ts";
import { projectFile, userFile } from "../settings/layers.ts";

/** Every setting with its value and where it comes from. */
export async function show(context: Context, flags: SettingFlags): Promise<Answer> {
  const { values, origins, warnings } = await settingsFor(context, flags);
  const files = { project: projectFile(context.root), user: userFile(context.io.env) };
  const rows = SETTING_KEYS.map((key) => ({
    key,
    value: values[key],
    origin: origins.get(key) ?? "default",
  }));
  const text = table(
    ["SETTING", "VALUE", "FROM"],
    rows.map(({ key, value, origin }) => ({
      tone: origin === "default" ? "quiet" : "plain",
      cells: [key, sanitizeLine(String(value ?? UNSET[key])), origin],
    })),
    { columns: undefined, paint: context.paint },
  );
  const settings = Object.fromEntries(
    rows.map(({ key, value, origin }) => [key, { value, origin }]),
  );
  return {
    data: { settings, files, warnings },
    text: [...text, "", `Project file: ${files.project}`, `User file:    ${files.user}`].join("\n"),
  };
}
