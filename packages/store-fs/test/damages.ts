/** Ways to damage what lies on the disk. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** Damages the file at `path`, in place where that is possible. */
export type Damage = (path: string) => void;

export const DAMAGES: Record<string, Damage> = {
  "cut to one byte": (path) => truncateSync(path, 1),
  "cut to a third": (path) => truncateSync(path, Math.floor(statSync(path).size / 3)),
  "cut by one byte": (path) => truncateSync(path, statSync(path).size - 1),
  emptied: (path) => truncateSync(path, 0),
  "a bit flipped near its begin": (path) => flip(path, 0.03),
  "a bit flipped in its middle": (path) => flip(path, 0.5),
  "a bit flipped near its end": (path) => flip(path, 0.97),
  "overwritten with text": (path) => writeFileSync(path, "This is not\nwhat was here.\n"),
  "overwritten with bytes": (path) => writeFileSync(path, RUBBISH),
  "prolonged with text": (path) => writeFileSync(path, "}\nmore\n", { flag: "a" }),
  deleted: (path) => rmSync(path),
  "replaced by a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, "inside"), "theirs");
  },
  "replaced by a link": (path) => {
    renameSync(path, `${path}.elsewhere`);
    symlinkSync(`${path}.elsewhere`, path);
  },
};

export const RUBBISH = Buffer.from(
  Array.from({ length: 3000 }, (_, i) => (i * 7919 + (i >> 3)) % 256),
);

function flip(path: string, where: number): void {
  const bytes = readFileSync(path);
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * where));
  const fd = openSync(path, "r+");
  writeSync(fd, Buffer.from([(bytes[at] ?? 0) ^ 0x04]), 0, 1, at);
  closeSync(fd);
}
