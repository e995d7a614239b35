import { basename } from "node:path";
import { errorText, LoopError } from "@ccw-loop/core";
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
  const webhooks = await namedWebhooks(context);
  const hooks = webhooks.map(
    ({ name, format, host, states, problem }) =>
      `Webhook ${name}: ${problem ?? `${format} to ${host}`}, for ${states.join(", ")}`,
  );
  const place = [`Project file: ${files.project}`, `User file:    ${files.user}`];
  return {
    data: { settings, webhooks, files, warnings },
    text: [
      ...text,
      "",
      ...hooks.map(sanitizeLine),
      ...(hooks.length > 0 ? [""] : []),
      ...place,
    ].join("\n"),
  };
}

/** What may be shown of webhooks: no address, for who knows one can send to it, and no secret. */
async function namedWebhooks({ parts, io }: Context) {
  const { webhooks } = await parts.modules();
  if (webhooks.size === 0) return [];
  const { openWebhook } = await import("@ccw-loop/webhooks");
  return [...webhooks].map(([name, settings]) => {
    const { format, states } = settings;
    try {
      const { url, key } = openWebhook(name, settings, io.env);
      return { name, format, states, host: url.host, signed: key !== null, problem: null };
    } catch (error) {
      const problem = errorText(error);
      return { name, format, states, host: null, signed: settings.secret !== undefined, problem };
    }
  });
}

/** Sends a sample to one webhook of the operator's own configuration; exit code 5 where it does not arrive. */
export async function testWebhook(context: Context, name: string): Promise<Answer> {
  const { parts, io, root, paint } = context;
  const { webhooks } = await parts.modules();
  const settings = webhooks.get(name);
  if (!settings) {
    const known = [...webhooks.keys()];
    const file = userFile(io.env);
    const next =
      known.length === 0 ? `Name one under webhooks in ${file}` : `Use one of: ${known.join(", ")}`;
    throw new LoopError("invalid_input", `There is no webhook ${JSON.stringify(name)}. ${next}`);
  }
  const { openWebhook, sendSample } = await import("@ccw-loop/webhooks");
  const webhook = openWebhook(name, settings, io.env);
  const sent = await sendSample(webhook, basename(root), new Date());
  const { delivered } = sent;
  const text = delivered
    ? paint("good", `The sample was delivered: ${webhook.url.host} answered ${sent.status}.`)
    : paint("bad", `The sample was not delivered: ${sent.reason}.`);
  const { host } = webhook.url;
  const reason = delivered ? null : sent.reason;
  return { data: { webhook: name, host, delivered, reason }, text, exit: delivered ? 0 : 5 };
}

/** Where agents run: no setting of a loop, but of whoever drives it. */
async function saidSandbox({ extensions, parts }: Context) {
  const said = extensions.sandbox ?? (await parts.modules()).sandbox;
  if (said === null) return { value: null, origin: "default" };
  sandboxIn(said);
  return { value: said.text, origin: said.origin };
}
