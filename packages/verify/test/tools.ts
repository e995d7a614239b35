import { works } from "@ccw-loop/testkit";

export const hasPytest = works("python3", "-m", "pytest", "--version");
