/** Whether a test's id fits what an operator wrote: a part of it, or with `*` the whole of it. Case counts. */
export function fitsTest(pattern: string, id: string): boolean {
  return pattern.includes("*") ? wildcard(pattern).test(id) : id.includes(pattern);
}

/** Whether a path is the one an operator named, lies in a folder of that name, or fits its `*`. */
export function fitsPath(pattern: string, path: string): boolean {
  const plain = pattern.replace(/^\.\//, "").replace(/\/$/, "");
  if (plain.includes("*")) return wildcard(plain).test(path);
  return path === plain || path.startsWith(`${plain}/`);
}

/** `*` and `**` both stand for anything, also for `/`. */
function wildcard(pattern: string): RegExp {
  const parts = pattern.split(/\*+\/?/).map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
