/**
 * Functions of the runtime, and of other sources, that a source replaces while it is loaded or called: tests read what they compare
 * with through them, and who loads the other source alone has its own. What was not there before is only added.
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

/** Functions that modules of the project have for others, as they were when the module was loaded. */
const offered = [];
function watchMember(module, name, place, key) {
  const value = Object.getOwnPropertyDescriptor(place, key)?.value;
  if (isFunction(value)) offered.push({ module, name: module + " " + name, place, key, value });
}
const isReplaced = ({ place, key, value }) => Object.getOwnPropertyDescriptor(place, key)?.value !== value;

/** What is replaced now, and, when the answer is called, notes what more is by then; a module may replace its own functions. */
function beginWatching(module) {
  const [before, others] = [replacedNow(), new Set(offered.filter(isReplaced))];
  return (log) => {
    const newly = offered.filter((one) => isReplaced(one) && !others.has(one));
    for (const one of newly.filter((one) => one.module === module)) one.value = Object.getOwnPropertyDescriptor(one.place, one.key)?.value;
    const names = [...replacedNow()].filter((name) => !before.has(name));
    for (const name of [...names, ...newly.filter(isReplaced).map(({ name }) => name)]) append(log, stringify({ replaced: name }) + "\n");
  };
}

/** So many calls of one process are looked at. */
const [LOOKED_AT, DATA_LOOKED_AT] = [300, 20];
let looked = 0;

function watchingRuntime(run, module, log) {
  looked += 1;
  if (looked > LOOKED_AT) return run();
  const ended = beginWatching(module);
  try {
    return run();
  } finally {
    ended(log);
  }
}
`;
