import { REPEATING } from "./repeating.ts";
import { RUNTIME } from "./runtime.ts";
import { VALUES } from "./values.ts";

/** Notes what tests do with the functions and classes of changed modules, which are wrapped right after these were loaded. */
export const NOTING = String.raw`LOG_MOST = 1 << 25  # Characters that are written down of one process.


class Notes:
    def __init__(self, root, log):
        self.modules = set()
        self.root, self.log, self.own, self.last = root, log, uuid.uuid4().hex[:10], 0
        self.described, self.missed, self.written, self.looked = False, set(), 0, 0
        self.offered = []
        # What sources replace later on is not ours.
        self.open, self.to_text, self.handed = open, json.dumps, None
        self.zone = os.environ.get("TZ", "")

    def next(self):
        self.last += 1
        return "%s-%d-%d" % (self.own, os.getpid(), self.last)

    def write(self, line):
        text = self.to_text(line) + "\n"
        self.written += len(text)
        if self.written > LOG_MOST:
            return self.unseen("calls behind the first %d characters of their records" % LOG_MOST)
        self.append(text)

    def append(self, text):
        with self.open(self.log, "a") as file:
            file.write(text)

    def unseen(self, what):
        """What tests use and nothing of ours can repeat."""
        if what not in self.missed:
            self.missed.add(what)
            self.append(self.to_text({"unseen": what}) + "\n")

    def look(self, out):
        kind = type(out)
        if inspect.isfunction(out) or inspect.ismethod(out) or inspect.isclass(out) or isinstance(out, functools.partial):
            self.unseen("functions and classes that are made")
        elif inspect.isgenerator(out) or inspect.isasyncgen(out) or hasattr(out, "__next__"):
            self.unseen("iterators")
        elif getattr(kind, "__module__", None) in self.modules and id(out) not in objects and any(inspect.isfunction(one) for one in vars(kind).values()):
            self.unseen("objects that something else made")

    def instead(self, record, one, out):
        """What a call gives in another use, in the place of what it gave; an object that was made gets its fields."""
        if self.handed is None:
            try:
                with self.open(self.log + ".handed") as file:
                    self.handed = dict(json.load(file))
            except OSError:
                self.handed = {}
        key = self.handed and self.to_text([record[part] for part in ("module", "name", "kind", "args")], separators=(",", ":"), ensure_ascii=False)
        if not key or key not in self.handed:
            return out
        self.append(self.to_text({"handed": key}) + "\n")
        (value,), _ = evaluated(self.handed[key], {})
        if one is not None:
            vars(one).update(value)
        return out if one is not None else value

    def describe(self):
        if not self.described:
            self.described = True
            below = [os.path.abspath(path) for path in sys.path]
            self.write({"zone": self.zone})
            self.write({"program": sys.executable, "paths": [path for path in below if path == self.root or path.startswith(self.root + os.sep)]})

    def around(self, f, about, mark=False, skip=0, object_of=None):
        """The function itself, with every call noted that comes from outside."""
        def begin(given, named):
            about_it = dict(about)
            if mark and inside.get():
                return None
            if object_of is not None:
                about_it["object"] = object_of(given[0])
                if about_it["object"] is None:
                    self.unseen("objects that something else made")
                    return None
            args = arguments(given[skip:], named)
            if args is None:
                self.unseen("arguments that are no plain values")
                return None
            return {**about_it, "args": args, "before": state(own(given), given[skip:], named)}

        def own(given):
            return given[0] if about["kind"] in ("method", "get") else None

        def finish(record, given, named, outs=(), error=None):
            out = outs[0] if outs else None
            left = changed(record.pop("before"), own(given), given[skip:], named)
            gave = outcome(out, left) if error is None else thrown(error) + left
            self.look(out)
            if gave is None:
                self.unseen("results that cannot be compared")
            try:
                self.describe()
                self.write({**record, "gave": serialize(given[0]) if record["kind"] == "new" and error is None else gave})
            except OSError:
                pass
            if outs and not left:
                outs[0] = self.instead(record, given[0] if record["kind"] == "new" else None, out)

        @contextlib.contextmanager
        def recording(given, named):
            record, out = begin(given, named), []
            token = inside.set(True) if mark else None
            try:
                yield out
            except BaseException as error:
                if record: finish(record, given, named, error=error)
                raise
            finally:
                if token: inside.reset(token)
            if record: finish(record, given, named, out)

        if inspect.iscoroutinefunction(f):
            @functools.wraps(f)
            async def note(*given, **named):
                with recording(given, named) as out:
                    out.append(await f(*given, **named))
                return out[0]
        else:
            @functools.wraps(f)
            def note(*given, **named):
                self.looked += 1
                with recording(given, named) as out, watching(self, about["module"]) if self.looked <= LOOKED_AT else contextlib.nullcontext():
                    out.append(f(*given, **named))
                return out[0]
        return note

    def module(self, module, path):
        self.modules.add(module.__name__)
        for name, value in list(vars(module).items()):
            about = {"module": module.__name__, "name": name}
            if not name.startswith("_") and arguments([value], {}) is not None:
                read = {**about, "kind": "value", "args": "()"}
                self.write({**read, "gave": serialize(value)})
                vars(module)[name] = value = self.instead(read, None, value)
            is_partial = isinstance(value, functools.partial)
            if not is_partial and getattr(value, "__module__", None) != module.__name__:
                continue
            if is_partial or inspect.isfunction(value):
                setattr(module, name, self.around(value, {**about, "kind": "function"}))
            elif inspect.isclass(value) and value.__new__ is object.__new__:
                self.of_class(value, about)
            else:
                self.unseen("classes that make their objects in another way, and objects of the module")
        self.offered += offered_by(module)

    def of_class(self, cls, about):
        for name, value in list(vars(cls).items()):
            named = {**about, "name": about["name"] + "." + name}
            known = lambda one: objects.get(id(one))
            try:
                if isinstance(value, (staticmethod, classmethod)):
                    skip = 1 if isinstance(value, classmethod) else 0
                    setattr(cls, name, type(value)(self.around(value.__func__, {**named, "kind": "static"}, True, skip)))
                elif type(value) is property and value.fget:
                    setattr(cls, name, property(self.around(value.fget, {**named, "kind": "get"}, True, 1, known), value.fset, value.fdel, value.__doc__))
                elif type(value) is functools.cached_property:
                    value.func = self.around(value.func, {**named, "kind": "get"}, True, 1, known)
                elif isinstance(value, (property, functools.cached_property)):
                    self.unseen("properties")
                elif inspect.isfunction(value) and not name.startswith("__"):
                    setattr(cls, name, self.around(value, {**named, "kind": "method"}, True, 1, known))
            except (AttributeError, TypeError):
                pass
        first = cls.__init__

        def made(one):
            if type(one) is not cls:
                return None
            objects[id(one)] = self.next()
            kept.append(one)
            return objects[id(one)]

        recorded = self.around(first, {**about, "kind": "new"}, True, 1, made)

        @functools.wraps(first)
        def construct(one, *given, **named):
            # What cannot be made again is not known later on.
            if not inside.get() and arguments(given, named) is None:
                return first(one, *given, **named)
            return recorded(one, *given, **named)

        try:
            cls.__init__ = construct
        except (AttributeError, TypeError):
            pass


class Finder:
    """Finds modules as Python does, and has the changed ones wrapped when they were loaded."""

    def __init__(self, notes, files):
        self.notes, self.files = notes, files

    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        origin = os.path.realpath(spec.origin) if spec and spec.origin else None
        if origin not in self.files or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            with watching(self.notes, module.__name__):
                load(module)
            self.notes.module(module, origin)

        spec.loader.exec_module = exec_module
        return spec


def watch(root, files, log):
    sys.meta_path.insert(0, Finder(Notes(root, log), {os.path.realpath(os.path.join(root, file)) for file in files}))
`;

/**
 * Runs in the project's own interpreter: as `sitecustomize` it notes what tests use of changed modules; a program or a
 * test of ours calls `replay`.
 */
export const PYTHON_RECORDER = `import contextlib
import contextvars
import functools
import hashlib
import importlib
import importlib.machinery
import inspect
import json
import os
import sys
import time
import uuid

${VALUES}
${RUNTIME}
${NOTING}

${REPEATING}`;
