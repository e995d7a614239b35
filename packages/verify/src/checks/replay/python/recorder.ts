import { NOTING } from "./noting.ts";
import { REPEATING } from "./repeating.ts";
import { VALUES } from "./values.ts";

/**
 * Runs in the project's own interpreter: as `sitecustomize` it notes what tests use of changed modules; a program or a
 * test of ours calls `replay`.
 */
export const PYTHON_RECORDER = `import contextvars
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

${NOTING}

${REPEATING}`;
