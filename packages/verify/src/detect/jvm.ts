import type { Detector } from "./suite.ts";

const JVM_TEST_FILE = /(^|\/)src\/[A-Za-z]*[tT]est\/.*\.(java|kt|scala|groovy)$/;
const GRADLE = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

export const maven: Detector = (folder) => {
  if (!folder.first(["pom.xml"]) || folder.find(JVM_TEST_FILE) === null) return [];
  const program = folder.first(["mvnw"]) ? "./mvnw" : "mvn";
  return [{ command: `${program} -B test`, source: "pom.xml", report: "maven" }];
};

export const gradle: Detector = (folder) => {
  const source = folder.first(GRADLE);
  if (source === undefined || folder.find(JVM_TEST_FILE) === null) return [];
  const program = folder.first(["gradlew"]) ? "./gradlew" : "gradle";
  return [{ command: `${program} test`, source, report: "gradle" }];
};
