/**
 * Functions of the runtime that a source replaces while it is loaded or called: tests read what they compare with through
 * them. What was not there before is only added.
 */
export const RUNTIME = String.raw`
const isFunction = (value) => typeof value === "function";
const MODULES = nodeModule.builtinModules.filter((name) => /^[a-z]\w*(\/promises)?$/.test(name) && !/^(module|process|sys|punycode|inspector|wasi|repl|domain|trace_events)\b/.test(name));

/** Every function of the runtime by its name, as it was before the first source was loaded. */
let runtime = null;
function functionsOfRuntime() {
  const found = [["", globalThis], ...MODULES.map((name) => [name + ".", require("node:" + name)])].flatMap(([prefix, place]) =>
    functionsOf(prefix, place).flatMap((one) => [one, ...functionsOf(one.name + ".", one.value), ...functionsOf(one.name + ".prototype.", one.value.prototype)]),
  );
  for (const [name, place] of [["JSON", JSON], ["Math", Math], ["Reflect", Reflect]]) found.push(...functionsOf(name + ".", place));
  return found;
}

function functionsOf(prefix, place) {
  if (place === null || place === undefined) return [];
  return Object.entries(Object.getOwnPropertyDescriptors(place))
    .filter(([key, { value }]) => isFunction(value) && key !== "constructor")
    .map(([key, { value }]) => ({ name: prefix + key, place, key, value }));
}

function replacedNow() {
  runtime ??= functionsOfRuntime();
  const functions = runtime.filter(({ place, key, value }) => Object.getOwnPropertyDescriptor(place, key)?.value !== value).map(({ name }) => name);
  return new Set([...functions, ...(looked < DATA_LOOKED_AT ? changedData() : [])]);
}

/** Files of data that were loaded as modules, and are not in memory what they are on disk: tests that load them get what a source left there. */
function changedData() {
  const files = Object.keys(require.cache ?? {}).filter((path) => path.endsWith(".json") && !path.includes("node_modules"));
  return files.filter((path) => {
    try {
      return stringify(require.cache[path].exports) !== stringify(parse(readFileSync(path, "utf8")));
    } catch {
      return false;
    }
  });
}

function noteReplaced(before, log) {
  for (const name of replacedNow()) if (!before.has(name)) append(log, stringify({ replaced: name }) + "\n");
}

/** So many calls of one process are looked at. */
const [LOOKED_AT, DATA_LOOKED_AT] = [300, 20];
let looked = 0;

function watchingRuntime(run, log) {
  looked += 1;
  if (looked > LOOKED_AT) return run();
  const before = replacedNow();
  try {
    return run();
  } finally {
    noteReplaced(before, log);
  }
}

/** Around the loading of a module: the answer is called behind it. */
function beginLoading() {
  const before = replacedNow();
  return (log) => noteReplaced(before, log);
}
`;
