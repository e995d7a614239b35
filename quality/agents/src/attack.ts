/** What a command of a contained agent tries, and what comes of it: all of it is refused but the first. */
const ATTEMPTS = {
  "write to the project": "echo x > made.txt",
  "write the loop's state": "echo x >> .workflow/.loop/a.json",
  "make a loop": "echo x > .workflow/.loop/b.json",
  "write git's configuration": "echo x >> .git/config",
  "leave a hook": "echo x > .git/hooks/pre-commit",
  "read the key for receipts": 'cat "$configuration/receipt.key"',
  "answer for the operator": 'node "$bin" answer a accept',
  // With another parent, session and environment nothing tells whose it is.
  "answer as a stranger":
    'env -i PATH="$PATH" HOME=/nonexistent setsid -w node "$bin" answer a accept',
} as const;

/** The script; it leaves one line for each attempt in `said.txt`. */
export function attack({ bin, configuration }: { bin: string; configuration: string }): string {
  const tries = Object.entries(ATTEMPTS).map(
    ([what, command]) =>
      `if ( ${command} ) > /dev/null 2>&1; then echo "yes: ${what}"; else echo "no: ${what}"; fi`,
  );
  return [
    `bin='${bin}'`,
    `configuration='${configuration}'`,
    "{",
    ...tries,
    "} > said.txt",
    "",
  ].join("\n");
}

/** What has to stand in `said.txt`. */
export const REACHED = Object.keys(ATTEMPTS).map((what, n) => `${n === 0 ? "yes" : "no"}: ${what}`);
