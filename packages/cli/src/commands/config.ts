import { sanitizeLine, table } from "@ccw-loop/view";
import { settingsFor } from "../config/flags.ts";
import { projectFile, SETTING_KEYS, UNSET, userFile } from "../config/settings.ts";
import type { SettingFlags } from "../program/options.ts";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";

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
