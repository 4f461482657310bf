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
        listed = [[status] + list(names) for names, status in cases.items()]
        with open(part, "w", encoding="utf-8", errors="backslashreplace") as out:
            json.dump({"runner": runner, "cases": listed}, out)
        os.rename(part, os.path.join(FOLDER, name + ".json"))
    except Exception:
        pass


_WORST = ("skipped", "passed", "failed")


def _add(cases, names, status):
    """Notes the worst result of a case: one may have several."""
    names = tuple(names)
    cases[names] = max(cases.get(names, status), status, key=_WORST.index)


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
    "addSubTest": "failed",
}


def _watch(result, cases):
    def wrap(name, status, inner):
        def outer(test, *more, **options):
            try:
                # A part of a test that passes is told as well, without an error.
                if name != "addSubTest" or more[-1] is not None:
                    _add(cases, _unittest_names(test), status)
            except Exception:
                pass
            return inner(test, *more, **options)

        setattr(result, name, outer)

    for name, status in _OUTCOMES.items():
        if hasattr(result, name):
            wrap(name, status, getattr(result, name))


def _hook_unittest(module):
    runner = module.TextTestRunner
    make, run = runner._makeResult, runner.run
    cases = []

    def make_result(self):
        result = make(self)
        try:
            cases.append({})
            _watch(result, cases[-1])
        except Exception:
            pass
        return result

    def run_all(self, test):
        _forget()
        result = run(self, test)
        if cases:
            _write("unittest", cases.pop())
        return result

    runner._makeResult, runner.run = make_result, run_all


class _Plugin:
    def __init__(self):
        self.cases = {}

    def _names(self, nodeid):
        head, bracket, rest = nodeid.partition("[")
        names = head.split("::")
        names[-1] += bracket + rest
        return names

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            _add(self.cases, self._names(report.nodeid), report.outcome)

    def pytest_collectreport(self, report):
        if report.outcome == "failed":
            _add(self.cases, [report.nodeid], "failed")

    def pytest_sessionfinish(self, session):
        if not hasattr(session.config, "workerinput"):
            _write("pytest", self.cases)


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


try:
    if sys.version_info >= (3, 4):
        sys.meta_path.insert(0, _Finder())
    sys.path[:] = [one for one in sys.path if one != FOLDER]
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
