"""One attempt of a call, and when another one makes sense."""

from __future__ import annotations

import http.client
import json
import math
import random
import re
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from numbers import Real
from typing import Any, Dict, Optional
from urllib.parse import urlsplit

from .errors import SixdigitError, error_of, object_in

#: Longer waits are left to the caller, who finds them in ``retry_after``.
_LONGEST_WAIT_SECONDS = 10
_FIRST_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    body: Optional[Dict[str, Any]] = None
    idempotency_key: Optional[str] = None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect must not take the key to another host, or turn POST into GET."""

    def redirect_request(self, *_: Any) -> None:
        return None


def api_url(base_url: str) -> str:
    """The address of the API: with the path ``/api/v1`` unless the given address has a path."""
    parts = urlsplit((base_url or "").strip())
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("base_url must be the base URL of your Sixdigit")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/api/v1'}"


class Transport:
    def __init__(self, api_key: str, base_url: str, timeout: Any, retries: int) -> None:
        key = api_key.strip() if isinstance(api_key, str) else ""
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("api_key must be an API key of Sixdigit")
        self._key = key
        self._url = api_url(base_url)
        self._timeout = seconds_of(timeout)
        self._retries = retries
        self._opener = urllib.request.build_opener(_NoRedirect)

    def attempt(self, call: Call) -> Dict[str, Any]:
        """The reply of the service. Raises a ``SixdigitError``."""
        request = urllib.request.Request(self._url + call.path, method=call.method)
        request.add_header("Accept", "application/json")
        request.add_header("X-API-Key", self._key)
        if call.body is not None:
            request.data = json.dumps(call.body, default=_plain, allow_nan=False).encode()
            request.add_header("Content-Type", "application/json")
        if call.idempotency_key is not None:
            request.add_header("Idempotency-Key", str(call.idempotency_key).strip())
        status, headers, text = self._receive(request)
        reply = object_in(text) if 200 <= status < 300 else None
        if reply is None:
            raise error_of(status, headers, text)
        return reply

    def _receive(self, request: urllib.request.Request) -> Any:
        try:
            try:
                response = self._opener.open(request, timeout=self._timeout)
            except urllib.error.HTTPError as refusal:
                response = refusal
            with response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return response.status, headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            if isinstance(reason, (socket.timeout, TimeoutError)):
                raise SixdigitError("timeout", f"No response within {self._timeout} s") from error
            raise SixdigitError("connection_failed", f"The connection to {self._url} failed") from error

    def pause(self, error: SixdigitError, attempt: int) -> Optional[float]:
        """Seconds to wait before the next attempt; None if a repetition would not help."""
        wait = error.retry_after
        is_temporary = error.status in (0, 502, 503, 504)
        is_early = wait is not None and (error.status == 429 or error.reason == "idempotency_key_in_flight")
        if attempt >= self._retries or not (is_temporary or is_early) or (wait or 0) > _LONGEST_WAIT_SECONDS:
            return None
        # Clients that failed together spread their retries.
        return (wait or 0) + _FIRST_PAUSE_SECONDS * 2**attempt * (0.5 + random.random() / 2)


def seconds_of(timeout: Any) -> float:
    """Of a number of any type, a ``timedelta``, or a pair for connecting and reading, of which the longer counts."""
    parts = timeout if isinstance(timeout, (tuple, list)) and timeout else [timeout]
    try:
        seconds = max(one.total_seconds() if isinstance(one, timedelta) else float(one) for one in parts)
    except (TypeError, ValueError):
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise ValueError("timeout must be a number of seconds above 0")
    return seconds


def _plain(value: Any) -> Any:
    """
    A value of a type that JSON lacks: an ``Enum`` as its value, a ``timedelta`` as seconds, a whole number of any type as a
    number, a mapping as an object; ids, addresses and lazy texts as text.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, (Decimal, Real)) and math.isfinite(value):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, (bytes, set, frozenset)) or type(value).__str__ is object.__str__:
        raise ValueError(f"A field cannot be of type {type(value).__name__}")
    return str(value)


def path_of(otp_id: Any) -> str:
    """Ids come from browsers too: one that holds dots or slashes must not lead to another address."""
    otp_id = str(otp_id).strip()
    if not re.fullmatch(r"[A-Za-z0-9_-]+", otp_id):
        raise SixdigitError("otp_not_found", "OTP not found", status=404)
    return f"/otp/{otp_id}/"
