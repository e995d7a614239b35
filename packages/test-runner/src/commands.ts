/** What a command of a project starts. */
export { splitChain } from "./detect/chain.ts";
export { hookOf, scriptCalledBy } from "./detect/javascript.ts";
export { runnerOf } from "./runners/recognise.ts";
