import { tryParseJson } from "@ccw-loop/core";
import { z } from "zod";
import type { Folder } from "./folder.ts";
import { reportOfScript } from "./scripts.ts";
import type { Detector } from "./suite.ts";

/** The part of a composer.json that tells how it is tested. */
const Composer = z.object({
  scripts: z.record(z.string(), z.unknown()).catch({}),
  "require-dev": z.record(z.string(), z.unknown()).catch({}),
});
type Composer = z.infer<typeof Composer>;

/** The project's own `test` script, else Pest or PHPUnit where they are installed, named or configured. */
export const php: Detector = (folder) => {
  const composer = readComposer(folder);
  const script = composerScript(composer, "test");
  const source = "composer.json";
  if (script)
    return [{ command: "composer test", source, report: reportOfScript(script), runs: script }];
  if (folder.find(/(^|\/)tests?\/.*\.php$|Test\.php$/) === null) return [];
  if ("pestphp/pest" in composer["require-dev"]) {
    return [{ command: "vendor/bin/pest", source, report: "phpunit" }];
  }
  const named = "phpunit/phpunit" in composer["require-dev"];
  const config = folder.first(["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
  const own = named || folder.first(["vendor/bin/phpunit"]) !== undefined;
  if (!named && config === undefined) return [];
  const command = own ? "vendor/bin/phpunit" : "phpunit";
  return [{ command, source: config ?? source, report: "phpunit" }];
};

/** The text of the composer script that a command is nothing but a call of. */
export function composerScriptCalledBy(folder: Folder, command: string): string | undefined {
  const name = /^composer\s+(?:run(?:-script)?\s+)?([\w:.-]+)$/.exec(command.trim())?.[1];
  return name === undefined ? undefined : composerScript(readComposer(folder), name);
}

/** Composer also takes a list; only a single command can be given arguments. */
function composerScript({ scripts }: Composer, name: string): string | undefined {
  const own = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  const all = [own].flat().filter((one) => typeof one === "string");
  return all.length > 1 ? all.join(" ; ") : all[0]?.replace(/^@php\s+/, "");
}

function readComposer(folder: Folder): Composer {
  const none = { scripts: {}, "require-dev": {} };
  return Composer.catch(none).parse(tryParseJson(folder.head("composer.json") ?? "{}"));
}
