import { isAbsolute, relative, sep } from "node:path";

/** Whether a file lies in a folder, or is it. */
export function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
