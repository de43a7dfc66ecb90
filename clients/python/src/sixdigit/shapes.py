"""The replies of the API. Their fields have the names of the API, and times are ISO 8601. A test compares them with the
service's contract."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, Optional, Type, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class SendReply:
    otp_id: str
    #: ``pending`` until a carrier accepts the message
    status: str
    expires_at: str
    channel: str
    #: Normalized: E.164, or a lower-case email address.
    recipient: str
    segments: Optional[int]
    cost_credits: int
    #: Sent with a code of your own.
    own_code: bool = False
    #: Made with a test key.
    test: bool = False


@dataclass(frozen=True)
class VerifyReply:
    status: str
    verified_at: str
    otp_id: str
    test: bool = False


@dataclass(frozen=True)
class OtpState:
    otp_id: str
    #: ``pending``, ``sent``, ``verified``, ``failed`` or ``expired``
    status: str
    channel: str
    recipient: str
    cost_credits: int
    segments: Optional[int]
    created_at: str
    expires_at: str
    sent_at: Optional[str]
    delivered_at: Optional[str]
    verified_at: Optional[str]
    #: Why the verification failed, if it did.
    failure: Optional[str]
    #: Sent with a code of your own.
    own_code: bool = False
    #: What ``outcome`` has reported: ``verified``, ``unverified`` or None.
    outcome: Optional[str] = None
    outcome_at: Optional[str] = None
    test: bool = False


def parse(shape: Type[T], body: Dict[str, Any]) -> T:
    """Ignores the fields of later versions of the service."""
    names = {field.name for field in fields(shape)}  # type: ignore[arg-type]
    return shape(**{name: value for name, value in body.items() if name in names})
