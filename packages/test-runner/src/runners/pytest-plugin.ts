import { REPORTS_VARIABLE } from "./runner.ts";
import { UNITTEST_FILES, UNITTEST_MODULE } from "./unittest-module.ts";

const PYTEST_PLUGIN = "ccw_loop_pytest";

/** Names the plugin to pytest, in processes that can find it alone; the file of this name that Python would have found is loaded too. */
const SITE = `import importlib.machinery
import importlib.util
import os
import sys

_own = os.path.dirname(os.path.abspath(__file__))
_words = getattr(sys, "orig_argv", ["pytest"])
_options = os.environ.get("PYTEST_ADDOPTS", "")
if "${REPORTS_VARIABLE}" in os.environ:
    import ${UNITTEST_MODULE}
    if "${PYTEST_PLUGIN}" not in _options and any("test" in os.path.basename(word) for word in _words):
        os.environ["PYTEST_ADDOPTS"] = (_options + " -p ${PYTEST_PLUGIN}").strip()
_others = [path for path in sys.path if os.path.abspath(path) != _own]
_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)
if _other and _other.loader:
    _other.loader.exec_module(importlib.util.module_from_spec(_other))
`;

/**
 * A plugin that pytest loads wherever a script starts it, and that writes one line for each test into
 * the named folder (`reports/event-lines.ts`). The variable is taken out of the environment, so a pytest that a test
 * starts writes nothing; workers of pytest-xdist leave it to their controller.
 */
const SOURCE = String.raw`import json
import os

FOLDER = os.environ.pop("${REPORTS_VARIABLE}", None)
os.environ["PYTEST_ADDOPTS"] = os.environ.get("PYTEST_ADDOPTS", "").replace("-p ${PYTEST_PLUGIN}", "")
WORST = ("passed", "skipped", "failed")


class Reporter:
    def __init__(self, folder):
        self.file = open(os.path.join(folder, "pytest-%d.ndjson" % os.getpid()), "x", encoding="utf-8")
        self.open = {}

    def line(self, nodeid, **more):
        head, bracket, parameters = nodeid.partition("[")
        path, *names = head.split("::")
        *parents, name = names or ["(file)"]
        line = {"name": (name + bracket + parameters)[:2000], "file": path, "parents": parents, **more}
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def write(self, nodeid, status, took, text):
        self.line(nodeid, status=status, duration_ms=took * 1000, stack=text[:8192])

    def pytest_runtest_logstart(self, nodeid):
        self.line(nodeid, begin=True)

    def pytest_runtest_logreport(self, report):
        if report.outcome not in WORST:
            return
        status, took, text = self.open.pop(report.nodeid, ("passed", 0, ""))
        status = max(status, report.outcome, key=WORST.index)
        took, text = took + report.duration, text or (report.longreprtext if report.failed else "")
        if report.when == "teardown":
            self.write(report.nodeid, status, took, text)
        else:
            self.open[report.nodeid] = (status, took, text)

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(report.nodeid, "failed", 0, report.longreprtext)

    def pytest_sessionfinish(self):
        for nodeid, (_, took, text) in self.open.items():
            self.write(nodeid, "failed", took, text or "The test did not come to its end.")
        self.file.write('{"end": true}\n')
        self.file.close()


def pytest_configure(config):
    global FOLDER
    if FOLDER and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(FOLDER))
        FOLDER = None
`;

/** For a folder that stands in PYTHONPATH. */
export const PYTHON_FILES = {
  "sitecustomize.py": SITE,
  [`${PYTEST_PLUGIN}.py`]: SOURCE,
  ...UNITTEST_FILES,
};
