import type { Workspace } from "@ccw-loop/core";
import { digests } from "./digests.ts";
import { difference, encode, type Manifest, nameOf } from "./manifest.ts";
import { manifestStore } from "./manifest-store.ts";
import { scan } from "./scan.ts";

const AT_ONCE = 32;

/** A folder without git: every file's mode and content, but for `IGNORED_FOLDERS`. */
export function filesWorkspace(cwd: string): Workspace {
  const known = digests(cwd);
  const manifests = manifestStore(cwd);

  async function measure(): Promise<Manifest> {
    const files = await scan(cwd);
    const manifest = new Map<string, string>();
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const batch = files.slice(at, at + AT_ONCE);
      const read = await Promise.all(batch.map((file) => known.of(file)));
      batch.forEach(({ path, stats }, index) => {
        const digest = read[index];
        if (digest) manifest.set(path, `${modeOf(stats)} ${digest}`);
      });
    }
    return manifest;
  }

  return {
    kind: "files",
    async tree() {
      const encoded = encode(await measure());
      const name = nameOf(encoded);
      await manifests.keep(name, encoded);
      return name;
    },
    async changes(from, to) {
      const [before, after] = await Promise.all([manifests.read(from), manifests.read(to)]);
      return difference(before, after);
    },
  };
}

/** The modes that git tells apart: link, program, file. */
function modeOf(stats: { mode: bigint; isSymbolicLink(): boolean }): string {
  if (stats.isSymbolicLink()) return "120000";
  return (stats.mode & 0o100n) === 0n ? "100644" : "100755";
}
