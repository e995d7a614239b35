/**
 * Drives a real `ccw-loop serve` with clients that others wrote: curl, a client that a public generator makes from
 * openapi.json, a browser, and the gateway example under Bun. `npm run try:clients`; one line per proof.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { exitOnSignals, secondsSoFar } from "../support/command.ts";
import { temporaryFolder } from "../support/folders.ts";
import { curl } from "./proofs/curl.ts";
import { gatewayOnBun } from "./proofs/gateway-on-bun.ts";
import { generatedClient } from "./proofs/generated-client.ts";
import { inBrowser } from "./proofs/in-browser.ts";
import type { ClientSetup, Proofs } from "./proofs/proof.ts";
import { servedProject } from "./served-project.ts";
import { installed } from "./tools.ts";

const PROOFS: Record<string, (setup: ClientSetup) => Proofs> = {
  curl,
  "generated client": generatedClient,
  browser: inBrowser,
  "gateway on Bun": gatewayOnBun,
};

const folder = temporaryFolder("clients");
exitOnSignals();

const tools = join(folder, "tools");
mkdirSync(tools);
const has = installed(tools);
console.log(`Installed after ${secondsSoFar()} s.`);

let failed = 0;
for (const [client, prove] of Object.entries(PROOFS)) {
  await using server = await servedProject(join(folder, client.replaceAll(" ", "-")));
  try {
    for await (const proof of prove({ ...server, tools, has }))
      console.log(`ok   ${client}: ${proof}`);
  } catch (error) {
    failed += 1;
    console.log(
      `FAIL ${client}: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
    );
  }
}
console.log(
  `Clients: ${Object.keys(PROOFS).length}, failed: ${failed}. Duration: ${secondsSoFar()} s.`,
);
process.exit(failed === 0 ? 0 : 1);
