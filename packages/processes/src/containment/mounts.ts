import { dirname } from "node:path";
import { isInside } from "../plain-file.ts";

/** What a contained program sees of the disk: all of it, to read, but for these. Paths are absolute, without links. */
export interface Containment {
  cwd: string;
  /** Files and folders in which it may write. */
  writable: readonly string[];
  /** It may read there and not write, whatever the folders above say. */
  readable: readonly string[];
  /** Folders that are empty for it; what it writes there is gone with it. */
  emptied: readonly string[];
  /** Folders that are empty for it and stay so, whatever the others say. An empty one is made where one is missing. */
  hidden: readonly string[];
  /** It makes sandboxes of its own in this one. */
  nests?: boolean;
}

interface Mount {
  how: "write" | "read";
  path: string;
}

const OPTIONS = { write: "--bind", read: "--ro-bind" } as const;

/** Namespaces of its own and no rights of its user over the machine; the network alone is everybody's. */
const ISOLATED = [
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"],
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
];

/** Without it the kernel lets no root make a namespace of users in which it is root as well (user_namespaces(7)). */
const NESTS = ["--cap-add", "CAP_SETFCAP"];

/** The arguments of bubblewrap that run a command so contained; it ends with whoever started it. */
export function bubblewrapArguments(
  { cwd, emptied, hidden, nests = false, ...places }: Containment,
  command: readonly string[],
): string[] {
  return [
    ...ISOLATED,
    ...(nests && process.getuid?.() === 0 ? NESTS : []),
    ...emptied.flatMap((path) => ["--tmpfs", path]),
    ...mountsOf({ ...places, hidden }).flatMap(({ how, path }) => [OPTIONS[how], path, path]),
    ...hidden.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...["--chdir", cwd, "--die-with-parent", "--", ...command],
  ];
}

/**
 * Outer folders come before inner ones, so that the inner word counts. A folder between a writable one and what is kept in
 * it is a mount of its own: otherwise it could be moved away with what it has in it, and another put in its place.
 */
function mountsOf({
  writable,
  readable,
  hidden,
}: Pick<Containment, "writable" | "readable" | "hidden">): Mount[] {
  const said = new Map<string, Mount["how"]>();
  for (const path of writable) said.set(path, "write");
  for (const path of readable) said.set(path, "read");
  const mounts = new Map(said);
  for (const path of [...said.keys(), ...hidden]) {
    for (const folder of unsaidAbove(path, said)) mounts.set(folder, "write");
  }
  return [...mounts]
    .map(([path, how]) => ({ how, path }))
    .toSorted((a, b) => a.path.length - b.path.length);
}

/** The folders between a path and the nearest one above that something is said of, where that is writable. */
function unsaidAbove(path: string, said: ReadonlyMap<string, Mount["how"]>): string[] {
  const between: string[] = [];
  for (let folder = dirname(path); dirname(folder) !== folder; folder = dirname(folder)) {
    const how = said.get(folder);
    if (how !== undefined) return how === "write" ? between : [];
    between.push(folder);
  }
  return [];
}

export function mayWrite({ writable, readable, emptied, hidden }: Containment, path: string) {
  const isAbove = (folder: string) => isInside(folder, path);
  if (hidden.some(isAbove)) return false;
  const nearest = [...writable, ...readable]
    .filter(isAbove)
    .toSorted((a, b) => b.length - a.length)[0];
  return nearest === undefined ? emptied.some(isAbove) : !readable.includes(nearest);
}
