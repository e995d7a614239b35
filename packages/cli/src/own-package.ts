import { readFileSync } from "node:fs";

/** Our own package: one folder up from `src`, and one folder up from the flat `dist`. */
export const packageFolder = new URL("..", import.meta.url);

/** The version in our package.json. */
export function version(): string {
  const text = readFileSync(new URL("package.json", packageFolder), "utf8");
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown";
}
