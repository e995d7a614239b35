export { acpAgent } from "./acp-agent.ts";
export {
  type CommandSpec,
  commandProfile,
  PROFILES,
  type Profile,
  type ProfileName,
} from "./launch/profiles.ts";
export type { Sandbox } from "./launch/sandbox.ts";
export type { AcpLimits, AcpOptions } from "./options.ts";
