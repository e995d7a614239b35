import type { Folder } from "./folder.ts";

/** One command that runs tests of a folder. */
export interface Suite {
  command: string;
  report: string;
  /** The file that says so, from the folder. */
  source: string;
  /** What the command is known to run, as text: a script, a recipe. */
  runs?: string;
}

/** Looks at one ecosystem; empty when its tests are not here. */
export type Detector = (folder: Folder) => Suite[];

/** Names of programs that differ from those of their reports. */
const PROGRAMS: Readonly<Record<string, string>> = {
  go: "go test",
  cargo: "cargo (test|t)",
  nextest: "nextest",
  maven: "mvnw?",
  gradle: "gradlew?",
  dotnet: "dotnet test",
};
/** Reports that any program may write. */
const COMMON = new Set(["exit-code", "script"]);

/** Whether what one of the others runs names the suite's command or its program. */
export function isCalledBy({ command, report }: Suite, others: readonly Suite[]): boolean {
  const words = command.split(" ");
  const program = COMMON.has(report) ? (words[0] ?? "") : (PROGRAMS[report] ?? report);
  const names = [program, words.slice(0, 2).join(" ")].map((name) => name.replaceAll(".", "\\."));
  const called = new RegExp(`(^|[^\\w.-])(${names.join("|")})($|[^\\w-])`);
  return others.some(({ runs }) => runs !== undefined && called.test(runs));
}

/** Whether one of the others in the same folder is for the same runner. */
export function isSameAs({ report }: Suite, others: readonly Suite[]): boolean {
  return !COMMON.has(report) && others.some((other) => other.report === report);
}
