import type { FileVersions } from "@ccw-loop/core";
import { missingIn } from "../code/diff.ts";
import { languageOf } from "../code/languages.ts";
import type { Finding, Kind } from "../finding.ts";
import { unseen } from "../suite/data.ts";
import { type Entry, lineOf, lines as readLines } from "./entries.ts";
import type { ConfigRule } from "./rules.ts";
import {
  isThreshold,
  kindOfChange,
  limitOf,
  lowered,
  loweredLimits,
  withoutLimits,
} from "./settings.ts";

const MESSAGES: Readonly<Partial<Record<Kind, string>>> = {
  config: "The configuration of the tests was changed.",
  script: "A script that the tests are started with was changed.",
  excluded: "The configuration leaves tests out now.",
  focused: "The configuration runs only a part of the tests now.",
  skipped: "The configuration does not run tests any more.",
  loosened: "The configuration repeats tests until they pass.",
  mocked: "The configuration puts something else in the place of modules.",
};

/** What a changed configuration says against the proof; `kind` for a change of no other kind. */
export function compareConfig(
  { path, before, after }: FileVersions,
  rule: ConfigRule,
  kind: "config" | "script" = "config",
): Finding[] {
  if (before === undefined || after === undefined) {
    const message = unseen(
      kind === "config" ? "Configuration of the tests" : "A script of the tests",
    );
    return [{ kind, path, line: null, removed: [], added: [], identity: "unseen", message }];
  }
  const { old, now } = entriesOf(before, after, rule);
  const spelled = (list: readonly Entry[]) => list.map((entry) => `${entry.path}\0${entry.value}`);
  const gone = missingIn(spelled(old), spelled(now)).map((at) => old[at] as Entry);
  const come = missingIn(spelled(now), spelled(old)).map((at) => now[at] as Entry);
  const shown = shower(path, before ?? "", after ?? "");
  const { limits, left } = separateLimits(gone, come);
  const findings = limits.map(({ message, removed, added }) =>
    shown("threshold", removed, added, message),
  );
  const members = (entries: readonly Entry[]) => entries.filter(isMember).flatMap(membersOf);
  const lost = left.removed.filter(
    (entry) => isMember(entry) && missingIn(membersOf(entry), members(now)).length > 0,
  );
  if (lost.length > 0)
    findings.push(
      shown("excluded", lost, [], "A part of the project is left out, and its tests with it."),
    );
  left.removed = left.removed.filter((entry) => !isMember(entry));
  left.added = left.added.filter((entry) => !isMember(entry));
  if (left.removed.length + left.added.length === 0) return findings;
  const text = ({ path: name, value }: Entry) => (name === "" ? value : `${name}=${value}`);
  const isProgram =
    kind === "script" && languageOf(path) !== undefined && !/\.(?:ba|z)?sh$/.test(path);
  const special =
    (isProgram ? undefined : kindOfChange(left.removed.map(text), left.added.map(text))) ?? kind;
  const message =
    after === null
      ? "Configuration of the tests was deleted."
      : (MESSAGES[special] ?? "The configuration was changed.");
  return [...findings, shown(special, left.removed, left.added, message)];
}

/** Whether a setting only lists the packages of the project: one more takes no test away. */
function isMember({ path, value }: Entry): boolean {
  return path === ""
    ? /^(?:use )?\.{1,2}\/|^include\b|^Project\(|^<Project\b/.test(value)
    : /^workspace\.(?:default-)?members|\.modules\.module$|^packages\[\]$|^workspaces\b/.test(path);
}

function membersOf({ value }: Entry): string[] {
  return (value.match(/[\w@./:*\\-]+/g) ?? []).filter((word) => /[./:*\\]|^\w+$/.test(word));
}

/** What both versions set; line by line where one of them cannot be read. */
function entriesOf(
  before: string | null,
  after: string | null,
  { read, keep }: ConfigRule,
): { old: Entry[]; now: Entry[] } {
  const old = before === null ? [] : read(before);
  const now = after === null ? [] : read(after);
  if (!old || !now)
    return { old: readLines(before ?? "") ?? [], now: readLines(after ?? "") ?? [] };
  const matters = ({ path, value }: Entry) =>
    !keep || keep.test(path === "" ? value : `${path}=${value}`);
  return { old: old.filter(matters), now: now.filter(matters) };
}

interface Limit {
  removed: Entry[];
  added: Entry[];
  message: string;
}

/** Limits that were lowered, apart from every other change; limits that were raised are no change. */
function separateLimits(
  gone: readonly Entry[],
  come: readonly Entry[],
): { limits: Limit[]; left: { removed: Entry[]; added: Entry[] } } {
  const limits: Limit[] = [];
  const added = [...come];
  const removed = gone.filter((old) => {
    const at = added.findIndex(({ path }) => path === old.path);
    const now = added[at];
    const then = limitOf(old.value);
    if (isThreshold(old.path) && then !== undefined) {
      const limit = now ? limitOf(now.value) : undefined;
      if (limit === undefined || limit < then) {
        const message = lowered(old.path, then, limit);
        limits.push({ removed: [old], added: now && limit !== undefined ? [now] : [], message });
      }
      if (now && limit !== undefined) added.splice(at, 1);
      return false;
    }
    const twin = added.findIndex(
      ({ path, value }) => path === old.path && withoutLimits(value) === withoutLimits(old.value),
    );
    const same = added.filter(({ path }) => path === old.path);
    for (const message of loweredLimits(old.value, same.map(({ value }) => value).join(" "))) {
      limits.push({
        removed: [old],
        added: twin === -1 ? [] : added.slice(twin, twin + 1),
        message,
      });
    }
    if (twin !== -1) added.splice(twin, 1);
    return twin === -1;
  });
  const isNewLimit = ({ path, value }: Entry) => isThreshold(path) && limitOf(value) !== undefined;
  return { limits, left: { removed, added: added.filter((entry) => !isNewLimit(entry)) } };
}

function shower(path: string, before: string, after: string) {
  const oldLines = before.split(/\r\n?|\n/);
  const newLines = after.split(/\r\n?|\n/);
  const linesOf = (entries: readonly Entry[], text: readonly string[]) => {
    const numbers = new Set(entries.slice(0, 50).map((entry) => lineOf(entry, text)));
    return [...numbers].map((line) => text[line - 1] ?? "");
  };
  const spelled = (entries: readonly Entry[]) =>
    entries.map(({ path: name, value }) => `${name}=${value.trim()}`).join("\n");
  return (
    kind: Kind,
    removed: readonly Entry[],
    added: readonly Entry[],
    message: string,
  ): Finding => {
    const [first, text] = added[0] ? [added[0], newLines] : [removed[0], oldLines];
    return {
      kind,
      path,
      line: first ? lineOf(first, text) : null,
      removed: linesOf(removed, oldLines),
      added: linesOf(added, newLines),
      identity: `${spelled(removed)}\n\n${spelled(added)}`,
      message,
    };
  };
}
