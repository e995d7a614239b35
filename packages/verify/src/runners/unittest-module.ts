/** What `-m unittest` is replaced by; found through PYTHONPATH. */
export const UNITTEST_MODULE = "ccw_loop_unittest";

/**
 * Python's own unittest with the same arguments and the same output, which writes beside itself one line per test
 * (`reports/event-lines.ts`). A test fails with its subtests: those of one run need not be there in the next.
 */
export const UNITTEST_SOURCE = String.raw`import json
import os
import sys
import time
import unittest

RANKS = {"skipped": 0, "passed": 1, "failed": 2}


class Result(unittest.TextTestResult):
    lines = None

    def startTest(self, test):
        super().startTest(test)
        self._current = test
        self._status = None
        self._texts = []
        self._began = time.perf_counter()

    def stopTest(self, test):
        super().stopTest(test)
        took = (time.perf_counter() - self._began) * 1000
        self._current = None
        if self._status is not None:
            self._write(test, self._status, self._texts, took)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._note(test, "passed")

    def addError(self, test, err):
        super().addError(test, err)
        self._note(test, "failed", err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._note(test, "failed", err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, "failed", err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._note(getattr(test, "test_case", test), "skipped")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._note(test, "skipped")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._note(test, "failed")

    def _note(self, test, status, err=None):
        texts = []
        if err is not None:
            message = "%s: %s" % (err[0].__name__, err[1])
            texts = [(message[:8192], self._exc_info_to_string(err, test)[:8192])]
        if test is not getattr(self, "_current", None):
            # A class or a module that could not be set up: it is no test that starts and stops.
            self._write(test, status, texts, 0)
            return
        self._texts += texts
        if self._status is None or RANKS[status] > RANKS[self._status]:
            self._status = status

    def _write(self, test, status, texts, took):
        name = test.id()
        suite = ""
        if type(test).__name__ == "_FailedTest":
            # A module that cannot be imported is called like a test of unittest's own.
            suite, name = name[len("unittest.loader._FailedTest."):], "(file)"
        elif isinstance(test, unittest.TestCase):
            suite, _, name = name.rpartition(".")
        line = {
            "name": name[:1000],
            "file": suite[:1000],
            "parents": [],
            "status": status,
            "duration_ms": took,
            "message": texts[0][0] if texts else "",
            "stack": "\n".join(stack for _, stack in texts)[:16384],
        }
        Result.lines.write(json.dumps(line) + "\n")
        Result.lines.flush()


class Runner(unittest.TextTestRunner):
    resultclass = Result

    def run(self, test):
        folder = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(folder, "%d.ndjson" % os.getpid()), "x") as Result.lines:
            result = super().run(test)
            Result.lines.write(json.dumps({"end": True}) + "\n")
        return result


if __name__ == "__main__":
    sys.argv[0] = "python -m unittest"
    unittest.main(module=None, testRunner=Runner)
`;
