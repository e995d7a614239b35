import { LOADING } from "./loading.ts";
import { NOTING } from "./noting.ts";
import { REPEATING } from "./repeating.ts";
import { TYPESCRIPT } from "./typescript.ts";
import { VALUES } from "./values.ts";

/**
 * Runs in the project's own processes, and in programs of ours, so it is plain CommonJS. It notes what tests use
 * (`noted`), and repeats it (`replay`).
 */
export const JAVASCRIPT_RECORDER = `"use strict";
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const { AsyncLocalStorage } = require("node:async_hooks");
const nodeModule = require("node:module");
const { createHash, randomBytes } = require("node:crypto");
const { tmpdir } = require("node:os");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { dirname, extname, join, relative } = require("node:path");
// What sources replace later on is not ours.
const { parse, stringify } = JSON;
${VALUES}${NOTING}${REPEATING}${LOADING}${TYPESCRIPT}
module.exports = { noted, loaded, replay, names };
`;
