export {
  accept,
  type Decision,
  decideCommand,
  decideFiles,
  decline,
  type ProjectRules,
} from "./decide.ts";
export { agentEnvironment } from "./environment.ts";
export { plainCommand, shellWords } from "./shell-script.ts";
