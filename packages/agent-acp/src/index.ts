export { acpAgent } from "./acp-agent.ts";
export {
  type CommandSpec,
  commandProfile,
  PROFILES,
  type Profile,
  type ProfileName,
} from "./launch/profiles.ts";
export type { AcpLimits, AcpOptions } from "./options.ts";
