import { sanitizeLine, table } from "@ccw-loop/view";
import { settingsFor } from "../config/flags.ts";
import { projectFile, SETTING_KEYS, UNSET, userFile } from "../config/settings.ts";
import { sandboxIn, UNSAID } from "../extensions/sandbox-choice.ts";
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
  const sandbox = await saidSandbox(context);
  const text = table(
    ["SETTING", "VALUE", "FROM"],
    [
      ...rows.map((row) => ({ ...row, shown: String(row.value ?? UNSET[row.key]) })),
      { ...sandbox, key: "sandbox", shown: sandbox.value ?? UNSAID },
    ].map(({ key, shown, origin }) => ({
      tone: origin === "default" ? "quiet" : "plain",
      cells: [key, sanitizeLine(shown), origin],
    })),
    { columns: undefined, paint: context.paint },
  );
  const settings = Object.fromEntries(
    [...rows, { ...sandbox, key: "sandbox" }].map(({ key, ...setting }) => [key, setting]),
  );
  return {
    data: { settings, files, warnings },
    text: [...text, "", `Project file: ${files.project}`, `User file:    ${files.user}`].join("\n"),
  };
}

/** Where agents run: no setting of a loop, but of whoever drives it. */
async function saidSandbox({ extensions, parts }: Context) {
  const said = extensions.sandbox ?? (await parts.modules()).sandbox;
  if (said === null) return { value: null, origin: "default" };
  sandboxIn(said);
  return { value: said.text, origin: said.origin };
}
