import type { FileVersions } from "@ccw-loop/core";
import { runnerOf } from "../../runners/recognise.ts";
import type { Finding } from "../finding.ts";
import { fits } from "../reach/scripts.ts";
import { compareConfig } from "./compare-config.ts";
import { json, type Reader } from "./entries.ts";
import { kindOfChange } from "./settings.ts";

const SETTINGS =
  /^(?:jest|vitest|mocha|ava|c8|nyc|tap|playwright|wireit|config|ts-jest|testem|karma|workspaces)\b/;
const LINT_SETTINGS = /^(?:eslintConfig|eslintIgnore|prettier|xo|standard)\b/;

/** What a changed package.json, composer.json or deno.json says; `called` are the scripts that the tests start. */
export function inspectPackage(
  change: FileVersions,
  called: ReadonlySet<string>,
  commands: string,
): Finding[] {
  const isCalled = (path: string) => {
    const name = /^(?:scripts|tasks|wireit)\.([^[]+)/.exec(path)?.[1];
    return name !== undefined && [...called].some((one) => fits(one, name.split(".")[0] ?? name));
  };
  const only =
    (matters: (path: string) => boolean): Reader =>
    (text) =>
      json(text)?.filter(({ path }) => matters(path)) ?? null;
  const lints = /\b(?:eslint|prettier|xo|standard|lint)\b/.test(commands);
  const settings = (path: string) => SETTINGS.test(path) || (lints && LINT_SETTINGS.test(path));
  const withoutFirst =
    typeof change.after === "string" && isFirstScript(change.before, change.after);
  return [
    ...(withoutFirst ? [] : compareConfig(change, { read: only(isCalled) }, "script")),
    ...compareConfig(change, { read: only(settings) }),
    ...redirections(change, /^(?:imports|_moduleAliases)\b/),
  ];
}

const PLACEHOLDER = /no test specified/;

/** Whether a project without a test script got one that only starts a runner. */
function isFirstScript(before: string | null | undefined, after: string): boolean {
  const testOf = (text: string) => json(text)?.find(({ path }) => path === "scripts.test")?.value;
  const hooks = json(after)?.some(({ path }) => /^scripts\.(?:pre|post)test$/.test(path));
  const old = typeof before === "string" ? testOf(before) : undefined;
  const now = testOf(after);
  if ((old !== undefined && !PLACEHOLDER.test(old)) || now === undefined || hooks) return false;
  return runnerOf(now) !== "exit-code" && kindOfChange([], [now]) === undefined;
}

/** Names of modules that mean another file now; new names are none of these. */
export function redirections({ path, before, after }: FileVersions, names: RegExp): Finding[] {
  if (typeof before !== "string" || typeof after !== "string") return [];
  const old = json(before)?.filter((entry) => names.test(entry.path)) ?? [];
  const now = new Map(json(after)?.map((entry) => [entry.path, entry.value]));
  return old
    .filter((entry) => now.has(entry.path) && now.get(entry.path) !== entry.value)
    .map((entry) => ({
      kind: "mocked" as const,
      path,
      line: null,
      removed: [`"${entry.path}": "${entry.value}"`],
      added: [`"${entry.path}": "${now.get(entry.path)}"`],
      identity: `${entry.path}\n${entry.value}\n${now.get(entry.path)}`,
      message: `The name "${entry.path.replace(/^(?:imports|compilerOptions\.paths)\.|\[\]$/g, "")}" means another file now, also for the tests.`,
    }));
}
