import { REPORTS_VARIABLE } from "./runner.ts";

/** Sets a finder before all others when it is loaded, so that unittest is changed where that is loaded, in whatever program. */
export const UNITTEST_MODULE = "ccw_loop_unittest";

/**
 * Extends the runners of unittest and nose2 where they are loaded: whatever result class a program uses writes one line per
 * test (\`reports/event-lines.ts\`) beside what it prints. A test fails with its subtests: those of one run need not be there
 * in the next. The variable is taken out of the environment: what tests start is asked for nothing, nor is a runner
 * that a test uses itself.
 */
const SOURCE = String.raw`import importlib.machinery
import json
import os
import sys
import time

FOLDER = os.environ["${REPORTS_VARIABLE}"]
RANKS = {"skipped": 0, "passed": 1, "failed": 2}
RUNNERS = {"unittest.runner": "TextTestRunner", "nose2.runner": "PluggableTestRunner"}


class Report:
    """The lines of one run; without an end line it is cut off."""

    active = None
    begun = 0

    def __init__(self):
        Report.begun += 1
        name = "unittest-%d-%d.ndjson" % (os.getpid(), Report.begun)
        self.file = open(os.path.join(FOLDER, name), "x", encoding="utf-8")
        self.file.flush()
        self.owner = os.getpid()
        self.isRunning = False

    @classmethod
    def begin(cls):
        os.environ.pop("${REPORTS_VARIABLE}", None)
        if cls.active is None:
            cls.active = cls()
        return cls.active

    def end(self):
        if os.getpid() == self.owner:
            self.file.write(json.dumps({"end": True}) + "\n")
            self.file.close()
            Report.active = None

    def begins(self, test):
        if hasattr(test, "_testMethodName"):
            suite, _, name = test.id().rpartition(".")
            self.line({"begin": True, "name": name[:1000], "file": suite[:1000], "parents": []})

    def line(self, line):
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def write(self, test, status, texts=(), took=0):
        name = test.id() if hasattr(test, "id") else str(test)
        suite = ""
        kind = type(test).__name__
        if kind in ("_FailedTest", "LoadTestsFailure", "ModuleImportFailure"):
            # A module that cannot be imported is called like a test of the loader's own.
            suite, name = name.split("." + kind + ".", 1)[-1], "(file)"
        elif hasattr(test, "_testMethodName"):
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
        self.line(line)


class Watcher:
    """Stands before the methods of one result, whatever its class is."""

    def __init__(self, result, report):
        self.result, self.report, self.current = result, report, None
        own = {"startTest": self.start, "stopTest": self.stop, "addSubTest": self.add_subtest}
        for method, status in (
            ("addSuccess", "passed"),
            ("addError", "failed"),
            ("addFailure", "failed"),
            ("addSkip", "skipped"),
            ("addExpectedFailure", "skipped"),
            ("addUnexpectedSuccess", "failed"),
        ):
            own[method] = self.noting(status)
        for method, before in own.items():
            original = getattr(result, method, None)
            if original is not None:
                setattr(result, method, self.both(before, original))

    @staticmethod
    def both(before, original):
        def called(*given, **named):
            before(*given, **named)
            return original(*given, **named)

        return called

    def start(self, test):
        self.current, self.status, self.texts, self.began = test, None, [], time.perf_counter()
        self.report.begins(test)

    def stop(self, test):
        took = (time.perf_counter() - self.began) * 1000
        self.current = None
        if self.status is not None:
            self.report.write(test, self.status, self.texts, took)

    def add_subtest(self, test, subtest, err=None):
        if err is not None:
            self.note(test, "failed", err)

    def noting(self, status):
        def note(test, err=None, *rest, **named):
            self.note(getattr(test, "test_case", test), status, err if isinstance(err, tuple) and status == "failed" else None)

        return note

    def note(self, test, status, err=None):
        texts = []
        if err is not None:
            import traceback

            message = "%s: %s" % (getattr(err[0], "__name__", err[0]), err[1])
            try:
                stack = self.result._exc_info_to_string(err, test)
            except Exception:
                stack = "".join(traceback.format_exception_only(err[0], err[1]))
            texts = [(message[:8192], stack[:8192])]
        if test is not self.current:
            # A class or a module that could not be set up: it is no test that starts and stops.
            self.report.write(test, status, texts)
            return
        self.texts += texts
        if self.status is None or RANKS[status] > RANKS[self.status]:
            self.status = status


def extend_runner(runner):
    make, run = runner._makeResult, runner.run

    def made(self, *given, **named):
        result = make(self, *given, **named)
        if getattr(self, "_ccw_loop", False):
            Watcher(result, Report.active)
        return result

    def ran(self, *given, **named):
        report = Report.begin()
        if report.isRunning:
            return run(self, *given, **named)
        report.isRunning = self._ccw_loop = True
        result = run(self, *given, **named)
        self._ccw_loop = False
        report.end()
        return result

    runner._makeResult, runner.run = made, ran


def extend_main(program):
    original = program.__init__

    def began(self, *given, **named):
        # Before its files are loaded.
        Report.begin()
        original(self, *given, **named)

    program.__init__ = began


class Finder:
    """Hands over to the finders behind it, and extends what they have loaded."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in RUNNERS and name != "unittest.main":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def loaded(module):
            load(module)
            if name in RUNNERS:
                extend_runner(getattr(module, RUNNERS[name]))
            else:
                extend_main(module.TestProgram)

        spec.loader.exec_module = loaded
        return spec


sys.meta_path.insert(0, Finder)
`;

export const UNITTEST_FILES = { [`${UNITTEST_MODULE}.py`]: SOURCE };
