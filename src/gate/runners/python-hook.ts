// The `sitecustomize` module, as a text, that makes Python's test runners write reports. Python imports it when it starts.
// It patches a runner when the program imports it. own-report.ts writes the file and reads the reports.

/** The module for a folder on PYTHONPATH. Contract: `FOLDER` is declared before it. */
export const PYTHON_HOOK = String.raw`
import os
import sys


def _forget():
    """Hides the hook from processes that the runner starts: a test may run a runner."""
    parts = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one != FOLDER]
    if [one for one in parts if one]:
        os.environ["PYTHONPATH"] = os.pathsep.join(parts)
    else:
        os.environ.pop("PYTHONPATH", None)
    own = os.path.join(FOLDER, "bin")
    if "PATH" in os.environ:
        os.environ["PATH"] = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if one != own)


def _write(runner, cases):
    try:
        import json
        import time

        name = "%d-%d" % (os.getpid(), int(time.time() * 1000000))
        part = os.path.join(FOLDER, name + ".part")
        with open(part, "w", encoding="utf-8", errors="backslashreplace") as out:
            json.dump({"runner": runner, "cases": cases}, out)
        os.rename(part, os.path.join(FOLDER, name + ".json"))
    except Exception:
        pass


_WORST = ("skipped", "passed", "failed")


class _Cases:
    def __init__(self):
        self.found = {}

    def add(self, names, status):
        names = tuple(names)
        before = self.found.get(names)
        if before is None or _WORST.index(status) > _WORST.index(before):
            self.found[names] = status

    def listed(self):
        return [[status] + list(names) for names, status in self.found.items()]


def _unittest_names(test):
    name = test.id()
    lead = "unittest.loader._FailedTest."
    if name.startswith(lead):
        return ["unittest.loader", name[len(lead):].replace(".", "/") + ".py"]
    if " (" in name or "." not in name:
        return [name]
    return name.rsplit(".", 1)


_OUTCOMES = {
    "addSuccess": "passed",
    "addError": "failed",
    "addFailure": "failed",
    "addSkip": "skipped",
    "addExpectedFailure": "skipped",
    "addUnexpectedSuccess": "failed",
}


def _watch(result, cases):
    def wrap(name, status):
        inner = getattr(result, name)

        def outer(test, *more, **options):
            try:
                cases.add(_unittest_names(test), status)
            except Exception:
                pass
            return inner(test, *more, **options)

        setattr(result, name, outer)

    for name, status in _OUTCOMES.items():
        wrap(name, status)
    add_sub_test = getattr(result, "addSubTest", None)
    if add_sub_test is None:
        return

    def sub_test(test, subtest, outcome):
        try:
            if outcome is not None:
                cases.add(_unittest_names(test), "failed")
        except Exception:
            pass
        return add_sub_test(test, subtest, outcome)

    result.addSubTest = sub_test


def _hook_unittest(module):
    runner = module.TextTestRunner
    make, run = runner._makeResult, runner.run
    cases = []

    def make_result(self):
        result = make(self)
        try:
            cases.append(_Cases())
            _watch(result, cases[-1])
        except Exception:
            pass
        return result

    def run_all(self, test):
        _forget()
        result = run(self, test)
        if cases:
            _write("unittest", cases.pop().listed())
        return result

    runner._makeResult, runner.run = make_result, run_all


class _Plugin:
    def __init__(self):
        self.cases = _Cases()

    def _names(self, nodeid):
        head, bracket, rest = nodeid.partition("[")
        names = head.split("::")
        names[-1] += bracket + rest
        return names

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.cases.add(self._names(report.nodeid), report.outcome)

    def pytest_collectreport(self, report):
        if report.outcome == "failed":
            self.cases.add([report.nodeid], "failed")

    def pytest_sessionfinish(self, session):
        if not hasattr(session.config, "workerinput"):
            _write("pytest", self.cases.listed())


def _hook_pytest(module):
    manager = module.PytestPluginManager
    init = manager.__init__
    used = []

    def first_init(self, *more, **options):
        init(self, *more, **options)
        # Tests of plugins start pytest within pytest.
        if not used:
            used.append(self)
            _forget()
            self.register(_Plugin(), "looper-report")

    manager.__init__ = first_init


_HOOKS = {"unittest.runner": _hook_unittest, "_pytest.config": _hook_pytest}


class _Finder:
    def find_spec(self, name, path=None, target=None):
        hook = _HOOKS.pop(name, None)
        if hook is None:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is None:
                continue
            inner = spec.loader.exec_module

            def exec_module(module):
                inner(module)
                try:
                    hook(module)
                except Exception:
                    pass

            spec.loader.exec_module = exec_module
            return spec
        return None


def _start():
    if sys.version_info >= (3, 4):
        sys.meta_path.insert(0, _Finder())
    sys.path[:] = [one for one in sys.path if one != FOLDER]


try:
    _start()
except Exception:
    pass

# The module of this name that this one hides comes next.
_own = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize
except ImportError as error:
    if _own is not None:
        sys.modules["sitecustomize"] = _own
    if getattr(error, "name", "sitecustomize") != "sitecustomize":
        raise
`;
