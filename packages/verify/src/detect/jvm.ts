import { type Detector, findFile, firstFile } from "./detector.ts";
import { planOf } from "./plan.ts";

const TEST = /(^|\/)src\/[A-Za-z]*[tT]est\/.*\.(java|kt|scala|groovy)$/;
const GRADLE = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

export const maven: Detector = async (cwd) => {
  if (!firstFile(cwd, ["pom.xml"]) || !(await findFile(cwd, TEST))) return null;
  const program = firstFile(cwd, ["mvnw"]) ? "./mvnw" : "mvn";
  return planOf(`${program} -B test`, "pom.xml", "maven");
};

export const gradle: Detector = async (cwd) => {
  const source = firstFile(cwd, GRADLE);
  if (source === undefined || !(await findFile(cwd, TEST))) return null;
  const program = firstFile(cwd, ["gradlew"]) ? "./gradlew" : "gradle";
  return planOf(`${program} test`, source, "gradle");
};
