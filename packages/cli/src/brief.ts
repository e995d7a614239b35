/** They look at a few loops and end: there, making a schema fast costs more than it saves. */
const SHORT_COMMANDS: ReadonlySet<string | undefined> = new Set([
  ...["list", "show", "why", "start", "pause", "stop", "exit", "answer", "delete", "tasks"],
  "timeline",
]);

/**
 * Tells zod before it is loaded that this process ends soon (`z.config({ jitless: true })` would come too late for the
 * schemas of core): about a sixth of the time of `list --json`, measured by bench/start-up.ts.
 */
export function skipSchemaCompilation(command: string | undefined): void {
  if (!SHORT_COMMANDS.has(command)) return;
  const place = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
  place.__zod_globalConfig = { ...place.__zod_globalConfig, jitless: true };
}
