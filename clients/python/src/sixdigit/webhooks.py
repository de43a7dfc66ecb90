"""Signatures of webhooks (Standard Webhooks, HMAC-SHA-256)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from .errors import SixdigitError, object_in

_PREFIX = "whsec_"


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: int = 300,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """Checks the signature in constant time and returns the event: ``type``, ``timestamp`` and ``data``.

    ``body`` is the body as received, before parsing: the signature covers its bytes. During a rotation, ``secret`` holds the new
    and the old secret. Raises a ``SixdigitError`` with the reason ``invalid_signature``: respond with 401. Detect repeated
    deliveries by the header ``webhook-id``.
    """
    named = {name.lower(): value for name, value in headers.items()}
    message_id = named.get("webhook-id")
    timestamp = named.get("webhook-timestamp")
    signatures = named.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise _refusal("The webhook lacks a signature header")
    at = time.time() if now is None else now
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    if not is_number or abs(at - int(timestamp)) > tolerance_seconds:
        raise _refusal("The timestamp of the webhook is too far from now")

    raw = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{message_id}.{timestamp}.".encode() + raw
    secrets = [secret] if isinstance(secret, str) else secret
    is_right = False
    for one in secrets:
        digest = hmac.new(_key_of(one), signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        for given in signatures.encode().split(b" "):
            if hmac.compare_digest(expected, given):
                is_right = True
    if not is_right:
        raise _refusal("The signature of the webhook is wrong")
    event = object_in(raw)
    if event is None:
        raise _refusal("The webhook is not a JSON object")
    return event


def _key_of(secret: str) -> bytes:
    """``whsec_`` is followed by base64. Any other text is the key itself. A secret is one line: files end with a line break."""
    secret = secret.rstrip("\r\n")
    try:
        is_encoded = secret.startswith(_PREFIX)
        key = base64.b64decode(secret[len(_PREFIX) :], validate=True) if is_encoded else secret.encode()
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("The webhook secret is empty or malformed")
    return key


def _refusal(sentence: str) -> SixdigitError:
    return SixdigitError("invalid_signature", sentence)
