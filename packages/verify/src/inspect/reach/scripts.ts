/** Whether a script's name is one that is called, where a `*` stands for anything. */
export function fits(called: string, name: string): boolean {
  if (!called.includes("*")) return called === name;
  const [start = "", end = ""] = called.split(/\*+/, 2);
  return name.startsWith(start) && name.endsWith(end);
}

/** The scripts of a package.json, composer.json or deno.json; none where it cannot be read. */
export function scriptsIn(text: string | null): [string, string][] {
  try {
    const { scripts = {}, tasks = {} } = JSON.parse(text ?? "{}") as Record<string, object>;
    return Object.entries({ ...scripts, ...tasks }).map(([name, value]) => [name, lineOf(value)]);
  } catch {
    return [];
  }
}

/** Composer has lists of commands, in which `@lint` is the script `lint` and `@php` the program. */
function lineOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value
    .map((one) =>
      String(one)
        .replace(/^@(?=php |composer )/, "")
        .replace(/^@/, "composer run "),
    )
    .join(" && ");
}
