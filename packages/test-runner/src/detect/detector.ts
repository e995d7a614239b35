import { existsSync } from "node:fs";
import { join } from "node:path";
import { filesUnder, textOf } from "../project-files.ts";

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

/** Whether what one of the others runs names the suite's command or its program. */
export function isCalledBy({ command, report }: Suite, others: readonly Suite[]): boolean {
  const words = command.split(" ");
  const program = report === "script" ? (words[0] ?? "") : (PROGRAMS[report] ?? report);
  const names = [program, words.slice(0, 2).join(" ")].map((name) => name.replaceAll(".", "\\."));
  const called = new RegExp(`(^|[^\\w.-])(${names.join("|")})($|[^\\w-])`);
  return others.some(({ runs }) => runs !== undefined && called.test(runs));
}

/** Whether one of the others in the same folder is for the same runner. */
export function isSameAs({ report }: Suite, others: readonly Suite[]): boolean {
  return report !== "script" && others.some((other) => other.report === report);
}

/** A folder whose tests are looked for, with the files below it: the tree is walked once for all who look. */
export class Folder {
  /** Absolute. */
  readonly path: string;
  /** From the folder, with `/`, in a fixed order. */
  readonly files: readonly string[];

  constructor(path: string, files: readonly string[]) {
    this.path = path;
    this.files = files;
  }

  static async read(path: string): Promise<Folder> {
    const files: string[] = [];
    for await (const file of filesUnder(path)) files.push(file);
    return new Folder(path, files);
  }

  /** One of the folders below. */
  below(folder: string): Folder {
    const inside = this.files.filter((file) => file.startsWith(`${folder}/`));
    return new Folder(
      join(this.path, folder),
      inside.map((file) => file.slice(folder.length + 1)),
    );
  }

  /** Without the folders below that have such a manifest of their own. */
  apartFrom(manifest: string): Folder {
    const others = this.files
      .filter((file) => file.endsWith(`/${manifest}`))
      .map((file) => file.slice(0, -manifest.length));
    const own = this.files.filter((file) => !others.some((other) => file.startsWith(other)));
    return new Folder(this.path, own);
  }

  /** The first of these files that is in the folder itself. */
  first(names: readonly string[]): string | undefined {
    return names.find((name) => existsSync(join(this.path, name)));
  }

  /** The first file whose path fits, and which holds `content` where that is given. */
  find(path: RegExp, content?: RegExp): string | null {
    return this.matching(path, content).next().value ?? null;
  }

  /** Every such file. */
  *matching(path: RegExp, content?: RegExp): Generator<string> {
    for (const file of this.files) {
      if (path.test(file) && (!content || content.test(this.text(file) ?? ""))) yield file;
    }
  }

  /** The text of a file; null where there is none. */
  text(file: string): string | null {
    return textOf(join(this.path, file));
  }
}
