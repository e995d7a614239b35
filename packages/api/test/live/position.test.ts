import { expect, test } from "vitest";
import { formatPlace, parsePlace, type StreamPosition } from "../../src/live/loop-position.ts";

const incarnation = "1795174395629";
const index = Number.POSITIVE_INFINITY;

test.each<[string, StreamPosition]>([
  ["12.0~40711~1795174395629", { position: { revision: 12, index: 0, seq: 40711 }, incarnation }],
  ["7~0~1795174395629", { position: { revision: 7, index, seq: 0 }, incarnation }],
])("%s is a place in a stream", (text, place) => {
  expect(formatPlace(place)).toBe(text);
  expect(parsePlace(text)).toEqual(place);
});

test.each([
  "",
  "12",
  "12.0",
  "12.0~5",
  "-1.0~0~1",
  "1.5.2~0~1",
  "1.0~0.3~1",
  "1.0~0~1 ",
  "1.0~0~1\n",
  "1.0~0~",
  "1.0~0~07a1b2c3",
  "9999999999999999.0~0~1",
  "12.0~1893456000000.3.9f2c1a7b~07a1b2c3",
  "a1b2c3d4.5.6",
])("%j is none", (text) => {
  expect(parsePlace(text)).toBeNull();
});
