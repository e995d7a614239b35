import { NOTING } from "./noting.ts";
import { REPEATING } from "./repeating.ts";
import { TYPESCRIPT } from "./typescript.ts";
import { VALUES } from "./values.ts";

/**
 * Runs in the project's own processes, and in programs of ours, so it is plain CommonJS. It notes what tests use
 * (`noted`), and repeats it (`replay`).
 */
export const JAVASCRIPT_RECORDER = `"use strict";
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const { AsyncLocalStorage } = require("node:async_hooks");
const nodeModule = require("node:module");
const { randomBytes } = require("node:crypto");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { dirname, extname, join } = require("node:path");
${VALUES}${NOTING}${REPEATING}${TYPESCRIPT}
module.exports = { noted, replay, names };
`;
