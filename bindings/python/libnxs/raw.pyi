# SPDX-License-Identifier: Apache-2.0 OR MIT
# The generated layer has no types of its own; the classes over it have.
from typing import Any

def __getattr__(name: str) -> Any: ...
