"""The error that every failed call raises."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional


class SixdigitError(Exception):
    """Decide by ``reason``; the text is a sentence for logs and may change.

    Besides the reasons of the API, the client has its own: ``invalid_fields`` (see ``field_errors``), ``timeout`` and
    ``connection_failed`` (no response, even after retries), ``unexpected_response`` (not Sixdigit's, for example a proxy's
    error page) and ``invalid_signature`` (of a webhook).
    """

    #: The HTTP status; 0 if there was no response.
    status: int
    reason: str
    #: Details, such as ``attempts_remaining``, ``blocked_by`` or ``resets_at``.
    facts: Dict[str, Any]
    #: With ``invalid_fields``: the sentences per field.
    field_errors: Dict[str, List[str]]
    #: Seconds until a retry makes sense.
    retry_after: Optional[int]
    #: The id of the request in the service's logs.
    request_id: Optional[str]

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        status: int = 0,
        facts: Optional[Dict[str, Any]] = None,
        field_errors: Optional[Dict[str, List[str]]] = None,
        retry_after: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status
        self.facts = facts or {}
        self.field_errors = field_errors or {}
        self.retry_after = retry_after
        self.request_id = request_id

    def __reduce__(self) -> Any:
        # Exception's own copies and pickles call the class with the message alone, which hangs a process pool.
        return _rebuilt, (type(self), self.args, {**self.__dict__})


def _rebuilt(cls: Any, args: Any, state: Dict[str, Any]) -> Any:
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error


def object_in(text: bytes) -> Optional[Dict[str, Any]]:
    """The JSON object of a response; None if it holds anything else."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def error_of(status: int, headers: Mapping[str, str], text: bytes) -> SixdigitError:
    """The error in a response whose status is not 2xx, or whose body is not the API's."""
    retry_after = headers.get("retry-after", "").strip()
    details: Dict[str, Any] = {
        "status": status,
        "retry_after": int(retry_after) if retry_after.isdecimal() else None,
        "request_id": headers.get("x-request-id"),
    }
    body = object_in(text) or {}
    reason = body.get("reason")
    if isinstance(reason, str):
        facts = {name: value for name, value in body.items() if name not in ("error", "reason")}
        return SixdigitError(reason, str(body.get("error", reason)), facts=facts, **details)
    fields = {name: [str(one) for one in all_] for name, all_ in body.items() if isinstance(all_, list)}
    if status == 400 and fields:
        message = " ".join(f"{field}: {' '.join(all_)}" for field, all_ in fields.items())
        return SixdigitError("invalid_fields", message, field_errors=fields, **details)
    target = headers.get("location") if 300 <= status < 400 else None
    what = f"redirects to {target}" if target else f"answered {status} without Sixdigit's JSON"
    return SixdigitError("unexpected_response", f"The service {what}: check the base URL", **details)
