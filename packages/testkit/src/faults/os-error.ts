/** What an operating system answers when a disk, a table or a right is used up. */
export const OS_ERRORS = ["ENOSPC", "EIO", "EMFILE", "EACCES", "EROFS"] as const;

/** What Node throws when the operating system answers with this code. */
export function osError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: made by a test, '${path}'`), { code, path });
}
