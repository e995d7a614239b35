export {
  DEFAULT_PROTECT,
  type Decision,
  decideCommand,
  decideFiles,
  decline,
  type ProjectRules,
} from "./decide.ts";
export { agentEnvironment } from "./environment.ts";
export { projectFolder } from "./project-folder.ts";
export { plainCommand, plainWords, shellWords } from "./shell-script.ts";
