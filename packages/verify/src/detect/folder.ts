import { closeSync, existsSync, readSync } from "node:fs";
import { join } from "node:path";
import { openPlain, READ } from "@ccw-loop/processes/plain-file";
import { filesUnder } from "../files/walk.ts";

const HEAD_BYTES = 64 * 1024;

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

  /** The first file whose path fits, and whose beginning holds `content` where that is given. */
  find(path: RegExp, content?: RegExp): string | null {
    for (const file of this.matching(path, content)) return file;
    return null;
  }

  /** Every such file. */
  *matching(path: RegExp, content?: RegExp): Generator<string> {
    for (const file of this.files) {
      if (path.test(file) && (!content || content.test(this.head(file) ?? ""))) yield file;
    }
  }

  /** The beginning of a file; null where there is none. */
  head(file: string): string | null {
    return headOf(join(this.path, file));
  }
}

/** The beginning of a file; null where there is none. */
function headOf(file: string): string | null {
  let fd: number;
  try {
    fd = openPlain(file, READ, { followLinks: true });
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
