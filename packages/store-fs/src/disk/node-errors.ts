/** The `code` of a Node error, `""` for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
