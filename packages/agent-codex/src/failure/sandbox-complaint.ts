/** Bubblewrap's own complaint, which is all that Codex tells when a command cannot be confined; else null. */
export function bubblewrapError(exitCode: number | null, output: string): string | null {
  const [line = ""] = output.split("\n", 1);
  return exitCode !== 0 && line.startsWith("bwrap: ") ? line : null;
}
