/** Libraries by which tests in JavaScript assert. */
export type Library = "assert" | "expect" | "chai";

/**
 * One false use of each assertion function. All of them have to throw, as they do in a process of their own: which one
 * somebody has replaced need not be known. What a version of the library does not have throws as well.
 */
export const JAVASCRIPT_FALSEHOODS: Readonly<Record<Library, readonly string[]>> = {
  assert: [
    "(1, 2)",
    "ok(false)",
    "equal(1, 2)",
    "notEqual(1, 1)",
    "strictEqual(1, 2)",
    "notStrictEqual(1, 1)",
    "deepEqual({ a: [1] }, { a: [2] })",
    "notDeepEqual({ a: [1] }, { a: [1] })",
    "deepStrictEqual({ a: [1] }, { a: [2] })",
    "notDeepStrictEqual({ a: [1] }, { a: [1] })",
    "throws(() => {})",
    "doesNotThrow(() => { throw new Error('no'); })",
    "rejects(async () => {})",
    "doesNotReject(async () => { throw new Error('no'); })",
    "match('a', /b/)",
    "doesNotMatch('a', /a/)",
    "ifError(new Error('no'))",
    "fail('no')",
  ].flatMap((call) =>
    call.startsWith("(")
      ? `(await import("node:assert")).default${call.replace("1, 2", "false")};`
      : [
          `await (await import("node:assert")).default.${call};`,
          `await (await import("node:assert/strict")).default.${call};`,
          `await (await import("node:assert")).${call};`,
        ],
  ),
  expect: [
    "expect(1).toBe(2)",
    "expect(1).not.toBe(1)",
    "expect({ a: [1] }).toEqual({ a: [2] })",
    "expect({ a: [1] }).not.toEqual({ a: [1] })",
    "expect({ a: [1] }).toStrictEqual({ a: [2] })",
    "expect({ a: [1] }).toMatchObject({ a: [2] })",
    "expect(0).toBeTruthy()",
    "expect(1).toBeFalsy()",
    "expect(1).toBeNull()",
    "expect(1).toBeUndefined()",
    "expect(undefined).toBeDefined()",
    "expect(1).toBeNaN()",
    "expect(1).toBeGreaterThan(1)",
    "expect(1).toBeGreaterThanOrEqual(2)",
    "expect(1).toBeLessThan(1)",
    "expect(2).toBeLessThanOrEqual(1)",
    "expect(1).toBeCloseTo(2)",
    "expect(1).toBeInstanceOf(Array)",
    "expect([1]).toContain(2)",
    "expect([{ a: 1 }]).toContainEqual({ a: 2 })",
    "expect([1]).toHaveLength(2)",
    "expect({ a: 1 }).toHaveProperty('b')",
    "expect('a').toMatch(/b/)",
    "expect(() => {}).toThrow()",
    "expect(() => { throw new Error('no'); }).not.toThrow()",
    "await expect(Promise.resolve(1)).resolves.toBe(2)",
    "await expect(Promise.reject(new Error('no'))).rejects.toBe(2)",
  ].map((call) => `${call};`),
  chai: [
    "expect(1).to.equal(2)",
    "expect(1).to.not.equal(1)",
    "expect({ a: [1] }).to.deep.equal({ a: [2] })",
    "expect({ a: [1] }).to.eql({ a: [2] })",
    "expect(0).to.be.ok",
    "expect(false).to.be.true",
    "expect(true).to.be.false",
    "expect(1).to.be.null",
    "expect(1).to.be.undefined",
    "expect(null).to.exist",
    "expect([1]).to.be.empty",
    "expect(1).to.be.above(1)",
    "expect(1).to.be.at.least(2)",
    "expect(1).to.be.below(1)",
    "expect(2).to.be.at.most(1)",
    "expect(1).to.be.closeTo(3, 1)",
    "expect(1).to.be.a('string')",
    "expect(1).to.be.instanceOf(Array)",
    "expect([1]).to.include(2)",
    "expect([1]).to.have.lengthOf(2)",
    "expect([1]).to.have.members([2])",
    "expect({ a: 1 }).to.have.property('b')",
    "expect('a').to.match(/b/)",
    "expect(() => {}).to.throw()",
  ].map((call) => `${call};`),
};

/** The same for what ava hands to each test. */
export const AVA_FALSEHOODS: readonly string[] = [
  "is(1, 2)",
  "not(1, 1)",
  "deepEqual({ a: [1] }, { a: [2] })",
  "notDeepEqual({ a: [1] }, { a: [1] })",
  "like({ a: 1, b: 2 }, { a: 2 })",
  "true(false)",
  "false(true)",
  "truthy(0)",
  "falsy(1)",
  "assert(false)",
  "throws(() => {})",
  "notThrows(() => { throw new Error('no'); })",
  "throwsAsync(async () => {})",
  "notThrowsAsync(async () => { throw new Error('no'); })",
  "regex('a', /b/)",
  "notRegex('a', /a/)",
  "fail('no')",
];

/** The libraries that a test file uses. */
export function assertionsIn(text: string): Library[] {
  const uses: Readonly<Record<Library, RegExp>> = {
    assert: /\bassert\b/,
    expect: /\bexpect\((?![^\n]*\)\.to\.)/,
    chai: /\bexpect\([^\n]*\)\.to\./,
  };
  return (Object.keys(uses) as Library[]).filter((library) => uses[library].test(text));
}

/** The same for Python: `every_falsehood` fails only if each of them does. */
export const PYTHON_FALSEHOODS = `import unittest


def every_falsehood():
    case = unittest.TestCase()

    def raises(manager):
        with manager:
            pass

    falsehoods = [
        lambda: case.assertEqual(1, 2),
        lambda: case.assertNotEqual(1, 1),
        lambda: case.assertTrue(False),
        lambda: case.assertFalse(True),
        lambda: case.assertIs([], []),
        lambda: case.assertIsNot(None, None),
        lambda: case.assertIsNone(1),
        lambda: case.assertIsNotNone(None),
        lambda: case.assertIn(1, [2]),
        lambda: case.assertNotIn(1, [1]),
        lambda: case.assertIsInstance(1, str),
        lambda: case.assertAlmostEqual(1, 2),
        lambda: case.assertNotAlmostEqual(1, 1),
        lambda: case.assertGreater(1, 1),
        lambda: case.assertGreaterEqual(1, 2),
        lambda: case.assertLess(1, 1),
        lambda: case.assertLessEqual(2, 1),
        lambda: case.assertRegex("a", "b"),
        lambda: case.assertCountEqual([1], [2]),
        lambda: case.assertListEqual([1], [2]),
        lambda: case.assertTupleEqual((1,), (2,)),
        lambda: case.assertDictEqual({1: 1}, {1: 2}),
        lambda: case.assertSetEqual({1}, {2}),
        lambda: case.assertMultiLineEqual("a", "b"),
        lambda: case.assertRaises(ValueError, lambda: None),
        lambda: raises(case.assertRaises(ValueError)),
        lambda: case.fail("no"),
    ]
    try:
        import pytest
    except ImportError:
        pass
    else:
        def equals(one, other):
            assert one == other

        falsehoods += [
            lambda: equals(1, 2),
            lambda: equals("a", "b"),
            lambda: equals([1], [2]),
            lambda: equals({"a": 1}, {"a": 2}),
            lambda: equals(1, pytest.approx(2)),
            lambda: raises(pytest.raises(ValueError)),
            lambda: pytest.fail("no"),
        ]
    for falsehood in falsehoods:
        try:
            falsehood()
        except BaseException:
            continue
        return
    raise AssertionError("Every false assertion fails.")
`;
