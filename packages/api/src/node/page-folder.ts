import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { isMissing } from "@ccw-loop/core";
import type { PageFile, PageFiles } from "../app/page.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The dashboard's files of a folder, each read when it is first asked for. */
export function pageFolder(folder: URL): PageFiles {
  const read = new Map<string, Promise<PageFile | undefined>>();
  return (name) => {
    const known = read.get(name) ?? readPageFile(new URL(name, folder));
    // A name that is not there is not remembered: everybody can ask for any.
    read.set(name, known);
    void known.then((file) => file ?? read.delete(name));
    return known;
  };
}

async function readPageFile(url: URL): Promise<PageFile | undefined> {
  const type = TYPES[extname(url.pathname)];
  if (type === undefined) return undefined;
  try {
    const body = new Uint8Array(await readFile(url));
    return { type, body, gzip: new Uint8Array(await promisify(gzip)(body, { level: 9 })) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
