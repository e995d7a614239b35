/** A registry of npm packages that has what was packed here, and nothing else. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename } from "node:path";

/** Long enough ago for every rule about new releases. */
const PUBLISHED = "2020-01-01T00:00:00.000Z";

/** Serves packed packages on a free port of this machine: `{ manifest, tarball }` with the published manifest and a path. */
export async function serveTarballs(packed) {
  const byName = new Map(packed.map((one) => [one.manifest.name, one]));
  const byFile = new Map(packed.map((one) => [basename(one.tarball), one]));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname).slice(1);
    const file = byFile.get(basename(path));
    const found = byName.get(path);
    if (file) return response.end(readFileSync(file.tarball));
    response.setHeader("content-type", "application/json");
    if (found) return response.end(JSON.stringify(packument(found)));
    response.writeHead(404).end('{"error":"not found"}');
  });
  const packument = ({ manifest, tarball }) => {
    const { name, version } = manifest;
    const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    const dist = { tarball: `${url}${name}/-/${basename(tarball)}`, integrity };
    const time = { created: PUBLISHED, modified: PUBLISHED, [version]: PUBLISHED };
    const versions = { [version]: { ...manifest, _id: `${name}@${version}`, dist } };
    return { _id: name, name, "dist-tags": { latest: version }, time, versions };
  };
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  return { url, close: () => server.close() };
}
