import { join } from "node:path";
import { z } from "zod";
import { type Detector, findFile, firstFile, headOf } from "./detector.ts";
import { planOf } from "./plan.ts";
import { reportOfScript } from "./scripts.ts";

/** The part of a composer.json that tells how it is tested. */
const Composer = z.object({
  scripts: z.record(z.string(), z.unknown()).catch({}),
  "require-dev": z.record(z.string(), z.unknown()).catch({}),
});
type Composer = z.infer<typeof Composer>;

/** The project's own `test` script, else Pest or PHPUnit where they are installed, named or configured. */
export const php: Detector = async (cwd) => {
  const composer = await readComposer(cwd);
  const script = scriptOf(composer, "test");
  if (script) return planOf("composer test", "composer.json", reportOfScript(script));
  if (!(await findFile(cwd, /(^|\/)tests?\/.*\.php$|Test\.php$/))) return null;
  if ("pestphp/pest" in composer["require-dev"]) {
    return planOf("vendor/bin/pest", "composer.json", "phpunit");
  }
  const named = "phpunit/phpunit" in composer["require-dev"];
  const config = firstFile(cwd, ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
  const own = named || firstFile(cwd, ["vendor/bin/phpunit"]) !== undefined;
  if (!named && config === undefined) return null;
  return planOf(own ? "vendor/bin/phpunit" : "phpunit", config ?? "composer.json", "phpunit");
};

/** The text of the composer script that a command is nothing but a call of. */
export async function composerScriptCalledBy(
  cwd: string,
  command: string,
): Promise<string | undefined> {
  const name = /^composer\s+(?:run(?:-script)?\s+)?([\w:.-]+)$/.exec(command.trim())?.[1];
  return name === undefined ? undefined : scriptOf(await readComposer(cwd), name);
}

/** Composer also takes a list; only a single command can be given arguments. */
function scriptOf({ scripts }: Composer, name: string): string | undefined {
  const own = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  const all = [own].flat().filter((one) => typeof one === "string");
  return all.length > 1 ? all.join(" ; ") : all[0]?.replace(/^@php\s+/, "");
}

async function readComposer(cwd: string): Promise<Composer> {
  const text = await headOf(join(cwd, "composer.json"));
  return Composer.catch({ scripts: {}, "require-dev": {} }).parse(parsed(text));
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
}
