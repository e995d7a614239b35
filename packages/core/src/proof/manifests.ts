import { tryParseJson } from "../json.ts";

/**
 * The manifest of the start with what is new in the present one and sources alone may need: dependencies under names that
 * were not there, and names of modules. Everything by which tests are run, built and configured stays as it was. Null for a file of another kind, and where
 * nothing of that sort was added. `before` is null where it was not there.
 */
export function withAdditions(path: string, before: string | null, after: string): string | null {
  const name = path.split("/").at(-1) ?? "";
  // Sums are there from the first dependency on.
  if (before === null) return name === "go.sum" ? after : null;
  const merged = MERGES[name]?.(before, after) ?? null;
  return merged === before ? null : merged;
}

/** Whether a file is the manifest of a new package: in a folder of its own, where no tool looks for anything that is older. */
export function isNewManifest(path: string, startPaths: ReadonlySet<string>): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const name = path.slice(folder.length);
  return (
    Object.hasOwn(MERGES, name) &&
    folder !== "" &&
    !/(^|\/)(\.|node_modules\/|vendor\/|patches\/)/.test(path) &&
    ![...startPaths].some((other) => other.startsWith(folder))
  );
}

type Merge = (before: string, after: string) => string | null;
type Fields = Record<string, unknown>;

const MERGES: Readonly<Record<string, Merge>> = {
  "package.json": mergePackage,
  "package-lock.json": mergePackageLock,
  "go.mod": mergeGoModule,
  "go.sum": (before, after) => added(before, linesOf(after), linesOf(before)),
  "Cargo.toml": mergeCargo,
  "Cargo.lock": mergeCargoLock,
};

const DEPENDENCIES = [
  ...["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"],
];
/** A range of versions of the registry, and no place. */
const RANGE = /^[^:/]*$/;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim());

function added(before: string, all: readonly string[], known: readonly string[]): string {
  const fresh = all.filter((line) => line !== "" && !known.includes(line));
  return fresh.length === 0 ? before : `${before.trimEnd()}\n${fresh.join("\n")}\n`;
}

function mergePackage(before: string, after: string): string | null {
  const [was, is] = [before, after].map((text) => fieldsOf(tryParseJson(text))) as [Fields, Fields];
  const known = new Set(DEPENDENCIES.flatMap((key) => Object.keys(fieldsOf(was[key]))));
  const dependencies = Object.entries(fieldsOf(is.dependencies)).filter(
    ([name, range]) => !known.has(name) && RANGE.test(String(range)),
  );
  const patterns = Object.keys(fieldsOf(was.imports)).map((key) => key.split("*")[0] ?? key);
  const imports = Object.entries(fieldsOf(is.imports)).filter(
    ([name]) =>
      !patterns.some(
        (start) => name.startsWith(start) || start.startsWith(name.split("*")[0] ?? name),
      ),
  );
  if (dependencies.length + imports.length === 0) return null;
  const merged = { ...was };
  for (const [key, entries] of [
    ["dependencies", dependencies],
    ["imports", imports],
  ] as const)
    if (entries.length > 0) merged[key] = { ...fieldsOf(was[key]), ...Object.fromEntries(entries) };
  return `${JSON.stringify(merged, null, 2)}\n`;
}

/**
 * With every package that is installed under a new name at the top, and what lies below it. Where it is fetched from is left
 * out: the registry of the start has it by its name, version and sum, and no other place can take its part.
 */
function mergePackageLock(before: string, after: string): string | null {
  const [was, is] = [before, after].map((text) => fieldsOf(tryParseJson(text))) as [Fields, Fields];
  const [old, now] = [was, is].map(({ packages }) => fieldsOf(packages)) as [Fields, Fields];
  const nameIn = (key: string) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(key)?.[1];
  const known = new Set(Object.keys(old).map(nameIn));
  const fresh = Object.entries(now).flatMap(([key, entry]): [string, Fields][] => {
    const name = nameIn(key);
    const { link, resolved: _, ...rest } = fieldsOf(entry);
    return name !== undefined && !known.has(name) && link !== true ? [[key, rest]] : [];
  });
  if (fresh.length === 0) return null;
  const root = fieldsOf(old[""]);
  const names = new Set(fresh.map(([key]) => nameIn(key)));
  const wanted = Object.entries(fieldsOf(fieldsOf(now[""]).dependencies)).filter(([name]) =>
    names.has(name),
  );
  const dependencies = { ...fieldsOf(root.dependencies), ...Object.fromEntries(wanted) };
  const packages = { ...old, "": { ...root, dependencies }, ...Object.fromEntries(fresh) };
  return `${JSON.stringify({ ...was, packages }, null, 2)}\n`;
}

function mergeGoModule(before: string, after: string): string | null {
  const required = (text: string) => [
    ...text.matchAll(
      /^\s*(?:require\s+)?([^\s()]+\.[^\s()]+)\s+(v[\w.+-]+(?:\s*\/\/ indirect)?)\s*$/gm,
    ),
  ];
  const known = new Set(required(before).map(([, name]) => name));
  const fresh = required(after).filter(([, name]) => !known.has(name));
  return added(
    before,
    fresh.map(([, name, version]) => `require ${name} ${version}`),
    [],
  );
}

/** Names of the language itself: a crate that is called so would stand for them. */
const OF_RUST = /^(std|core|alloc|test|proc_macro)$/;
/** A crate that neither the registry of the start nor the project has. */
const ELSEWHERE = /\b(git|registry(-index)?)\s*=|\bpath\s*=\s*["'](\/|\.\.|\w:)/;

function mergeCargo(before: string, after: string): string | null {
  const named = (text: string) => /^([\w-]+)\s*=/.exec(text)?.[1];
  const known = new Set(linesOf(before).map(named));
  const fresh = sectionOf(after, "dependencies").filter((line) => {
    const name = named(line);
    if (name === undefined || known.has(name) || OF_RUST.test(name)) return false;
    return isWhole(line) && !ELSEWHERE.test(line);
  });
  if (fresh.length === 0) return null;
  const head = /^\[dependencies\][^\S\n]*$/m;
  const lines = `[dependencies]\n${fresh.join("\n")}`;
  return head.test(before)
    ? before.replace(head, () => lines)
    : `${before.trimEnd()}\n\n${lines}\n`;
}

function sectionOf(text: string, name: string): string[] {
  const [, rest = ""] = text.split(new RegExp(`^\\[${name}\\]\\s*$`, "m"));
  return linesOf(rest.split(/^\s*\[/m)[0] ?? "");
}

/** Whether a value does not go on in the next line. */
function isWhole(line: string): boolean {
  const count = (pattern: RegExp) => (line.match(pattern) ?? []).length;
  return count(/[[{]/g) === count(/[\]}]/g) && !/"""|'''/.test(line);
}

function mergeCargoLock(before: string, after: string): string | null {
  const blocks = (text: string) => text.split(/^(?=\[\[package\]\]$)/m).slice(1);
  const named = (block: string) => /^name = "(.*)"$/m.exec(block)?.[1];
  const known = new Set(blocks(before).map(named));
  const fresh = blocks(after).filter((block) => !known.has(named(block)));
  return fresh.length === 0 ? null : `${before.trimEnd()}\n\n${fresh.join("").trimEnd()}\n`;
}
