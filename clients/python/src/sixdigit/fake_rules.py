"""The rules that the fake shares with the service."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional, Tuple

from .errors import SixdigitError

LENGTH = 6
#: The others have the status 400.
SENTENCES: Dict[str, Tuple[int, str]] = {
    "missing_api_key": (401, "API key is required"),
    "invalid_api_key": (401, "Invalid API key"),
    "api_key_expired": (401, "API key has expired"),
    "network_not_allowed": (401, "API key is not allowed from this network"),
    "missing_scope": (401, "API key lacks a scope"),
    "insufficient_credits": (402, "Insufficient credits"),
    "spend_limit_reached": (402, "Spend limit reached"),
    "otp_not_found": (404, "OTP not found"),
    "not_found": (404, "Not found"),
    "method_not_allowed": (405, "Method not allowed"),
    "request_timeout": (408, "The request took too long to arrive"),
    "idempotency_key_in_flight": (409, "A request with this Idempotency-Key is still being processed"),
    "body_too_large": (413, "The request body is too large"),
    "unsupported_media_type": (415, "The request body must be JSON"),
    "recipient_rate_limited": (429, "Too many codes for this recipient. Please try again later."),
    "rate_limited": (429, "Too Many Requests"),
    "too_many_requests": (429, "Too many requests. Please try again later."),
    "test_limit_reached": (429, "Too many test sends today"),
    "limit_reached": (429, "Limit reached"),
    "stream_limit_reached": (429, "Too many open event streams"),
    "headers_too_large": (431, "The headers of the request are too large. In a browser, delete the cookies of this site."),
    "internal_error": (500, "Internal server error"),
    "unavailable": (503, "Service temporarily unavailable. Please try again."),
    "timeout": (0, "No response"),
    "connection_failed": (0, "The connection failed"),
}


def steps_of(first: str, at: str, fields: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Every message is delivered at once, so the other channels wait for a failure or a resend."""
    steps: List[Dict[str, Any]] = []
    for one in channels_of(fields):
        if is_skipped(one, fields):
            steps.append({"channel": one, "status": "skipped", "at": at, "reason": "own_text"})
        else:
            is_first = one == first
            status = "delivered" if is_first else "waiting"
            steps.append({"channel": one, "status": status, "at": at if is_first else None})
    return steps


def is_skipped(channel: str, fields: Dict[str, Any]) -> bool:
    """WhatsApp and Telegram show a text of their own, so a plan skips them."""
    has_text = any(fields.get(name) is not None for name in ("message", "subject", "template"))
    return fields["channels"] is not None and has_text and channel in ("whatsapp", "telegram")


def channels_of(fields: Dict[str, Any]) -> List[str]:
    channel, channels = fields["channel"], fields["channels"]
    if channels == "auto":
        return ["email"] if "@" in fields["recipient"] else ["sms", "voice"]
    return list(channels or ([] if channel is None else [channel]))


def send_problems(fields: Dict[str, Any], channel: str, recipient: str, lifetime: int) -> Dict[str, Optional[str]]:
    own_code, purpose, length, tries = (
        fields[name] for name in ("code", "purpose", "code_length", "max_attempts")
    )
    most = 10 if (length or LENGTH) > LENGTH else tries_for(LENGTH)
    return dict(
        recipient=None if (channel == "email") == ("@" in recipient) else "Enter a valid recipient.",
        **text_problems(channel, fields),
        **plan_problems(fields, lifetime),
        expires_in=None if 60 <= lifetime <= 3600 else "Expiry time must be from 60 to 3600 seconds",
        code=None
        if own_code is None or re.fullmatch(r"\d{4,8}" if channel == "telegram" else "[0-9A-Z]{4,10}", own_code)
        else "Code must be 4 to 10 digits or upper-case letters.",
        # A guess must not be likelier than with six digits and five attempts.
        code_length=None
        if length is None or (own_code is None and LENGTH <= length <= (8 if channel == "telegram" else 10))
        else f"Code length must be from {LENGTH} to 10.",
        max_attempts=None if tries is None or (own_code is None and 1 <= tries <= most) else "Too many attempts.",
        purpose=None if purpose is None or re.fullmatch("[a-z0-9_-]{1,32}", purpose) else "Invalid purpose.",
    )


def plan_problems(fields: Dict[str, Any], lifetime: int) -> Dict[str, Optional[str]]:
    channel, channels, wait = fields["channel"], fields["channels"], fields["wait_seconds"]
    is_list = channels is not None and channels != "auto"
    kinds = {one == "email" for one in channels} if is_list else {True}
    is_plan = not is_list or (len(kinds) == 1 and len(set(channels)) == len(channels) <= 10)
    is_alone = channels is None or (channel is None and fields["code"] is None)
    is_wait = wait is None or (channels is not None and 15 <= wait <= 900 and wait < lifetime)
    return {
        "channel": "This field is required." if channel is None and channels is None else None,
        "channels": None if is_plan and is_alone else "A plan has up to 10 channels of one kind, each once.",
        "wait_seconds": None if is_wait else "Wait must be 15 to 900 seconds, and less than the code is valid.",
    }


def tries_for(length: int) -> int:
    return 3 if length < LENGTH else 5


def text_problems(channel: str, fields: Dict[str, Any]) -> Dict[str, str]:
    message = fields["message"]
    if channel in ("whatsapp", "telegram"):
        named = ("message", "subject", "template", "variables", "app_hash", "domain")
        own = "This channel shows only its own text with the code."
        return {field: own for field in named if fields.get(field) is not None}
    if message is None or "{code}" in message:
        return {}
    return {"message": "Message template must include {code} placeholder"}


def failure(reason: str, facts: Dict[str, Any]) -> SixdigitError:
    status, sentence = SENTENCES.get(reason, (400, reason))
    return SixdigitError(reason, sentence, status=status, facts=facts, retry_after=facts.get("retry_after"))


def refuse_fields(**problems: Optional[str]) -> None:
    field_errors = {field: [problem] for field, problem in problems.items() if problem}
    if field_errors:
        sentences = " ".join(one for all_ in field_errors.values() for one in all_)
        raise SixdigitError("invalid_fields", sentences, status=400, field_errors=field_errors)


def seconds_to_wait(sends: List[float], most: int, span: int, now: float) -> int:
    within = [at for at in sends if at > now - span]
    return max(1, int(within[-most] + span - now + 0.999)) if len(within) >= most else 0


def time_of(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def normalized(recipient: str) -> str:
    """E.164 without blanks, or a lower-case email address. Unlike the service, the fake does not know national numbers."""
    return recipient.strip().lower() if "@" in recipient else re.sub(r"[^\d+]", "", recipient)
