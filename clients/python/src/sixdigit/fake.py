"""An in-memory Sixdigit for the tests of your application."""

from __future__ import annotations

import hashlib
import random
import re
import time
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

from .client import _Webhooks
from .errors import SixdigitError
from .shapes import AsyncSends, Challenge, OtpState, ResendReply, SendReply, Sends, VerifyReply

T = TypeVar("T")
_TEN_MINUTES = 600
_DAY = 86_400
#: A service's default limits of sends to one recipient.
_SENDS = ((5, _TEN_MINUTES), (20, _DAY))
_LENGTH = 6
_PROOF_COST = 5_000
_SENTENCES: Dict[str, Tuple[int, str]] = {
    "insufficient_credits": (402, "Insufficient credits"),
    "spend_limit_reached": (402, "Spend limit reached"),
    "recipient_rate_limited": (429, "Too many codes for this recipient. Please try again later."),
    "rate_limited": (429, "Too Many Requests"),
    "otp_not_found": (404, "OTP not found"),
    "invalid_api_key": (401, "Invalid API key"),
    "internal_error": (500, "Internal server error"),
    "unavailable": (503, "Service temporarily unavailable. Please try again."),
    "timeout": (0, "No response"),
    "connection_failed": (0, "The connection failed"),
}


@dataclass(frozen=True)
class FakeMessage:
    """A message that the fake did not send."""

    otp_id: str
    channel: str
    recipient: str
    code: str
    text: str


@dataclass
class _Verification:
    state: OtpState
    code: str
    tries: int
    message: Optional[str]
    closed_by: Optional[str] = None


@dataclass
class _Shared:
    """Sends to a recipient for one purpose share a code, and its wrong tries, while one of them is open."""

    code: str
    first_sent: float
    tries: int = 0


class FakeSixdigit(Sends, _Webhooks):
    """Sends nothing; its codes, tries, expiry and limits per recipient behave as the service's do by default. A test compares
    both. It accepts every proof, and ``fail_next("proof_required", challenge=…)`` demands one."""

    def __init__(self) -> None:
        #: Oldest first.
        self.messages: List[FakeMessage] = []
        self._verifications: Dict[str, _Verification] = {}
        self._shared: Dict[Tuple[Optional[str], str], _Shared] = {}
        self._sends: Dict[str, List[float]] = {}
        self._replies: Dict[Tuple[str, str], Tuple[Dict[str, Any], Any]] = {}
        self._failures: List[SixdigitError] = []
        self._shift = 0.0

    def code_for(self, recipient: str) -> str:
        """The code of the newest message to a recipient."""
        wanted = _normalized(recipient)
        for message in reversed(self.messages):
            if message.recipient == wanted:
                return message.code
        raise LookupError(f"No message was sent to {recipient}")

    def advance(self, seconds: float) -> None:
        """Lets time pass."""
        self._shift += seconds

    def fail_next(self, reason: str, **facts: Any) -> None:
        """Makes the next call fail. Several calls of this make as many calls fail."""
        self._failures.append(_failure(reason, facts))

    def fail_delivery(self, otp_id: str, why: str = "Not delivered") -> None:
        """Reports the newest message as undelivered. The next channel of a plan then starts."""
        verification = self._find(otp_id)
        for step in reversed(verification.state.steps or []):
            if step["status"] == "delivered":
                step.update(status="failed", reason=why)
                break
        following = _next_step(verification)
        if following is not None:
            self._send_again(verification, following["channel"])
            return
        verification.state = replace(verification.state, status="failed", failure=why, delivered_at=None)

    def _send(self, fields: Dict[str, Any], idempotency_key: Optional[str]) -> SendReply:
        return self._once("send", {**fields, "proof": None}, idempotency_key, lambda: self._sent(fields))

    def _sent(self, fields: Dict[str, Any]) -> SendReply:
        message, own_code, channels = fields["message"], fields["code"], _channels_of(fields)
        sendable = [one for one in channels if not _is_skipped(one, fields)]
        channel = sendable[0] if sendable else "sms"
        purpose, length, tries = fields["purpose"], fields["code_length"], fields["max_attempts"]
        most = 10 if (length or _LENGTH) > _LENGTH else _tries_for(_LENGTH)
        lifetime = 300 if fields["expires_in"] is None else fields["expires_in"]
        recipient = _normalized(fields["recipient"])
        _refuse_fields(
            recipient=None if (channel == "email") == ("@" in recipient) else "Enter a valid recipient.",
            **_text_problems(channel, fields),
            **_plan_problems(fields, lifetime),
            expires_in=None if 60 <= lifetime <= 3600 else "Expiry time must be from 60 to 3600 seconds",
            code=None
            if own_code is None or re.fullmatch(r"\d{4,8}" if channel == "telegram" else "[0-9A-Z]{4,10}", own_code)
            else "Code must be 4 to 10 digits or upper-case letters.",
            # A guess must not be likelier than with six digits and five attempts.
            code_length=None
            if length is None or (own_code is None and _LENGTH <= length <= (8 if channel == "telegram" else 10))
            else f"Code length must be from {_LENGTH} to 10.",
            max_attempts=None if tries is None or (own_code is None and 1 <= tries <= most) else "Too many attempts.",
            purpose=None if purpose is None or re.fullmatch("[a-z0-9_-]{1,32}", purpose) else "Invalid purpose.",
        )
        place = (purpose, recipient)
        for sent in self._open_to(place, own_code is not None):
            # A repeated send of an open code of your own sends nothing.
            if (sent.code, sent.state.channel) == (own_code, channel):
                return SendReply(**_reply(sent.state, sent.state.status))
        now = self._now()
        self._count_send(recipient, now)
        code = self._code_of(place, now, length or _LENGTH) if own_code is None else own_code
        at = _time(now)
        state = OtpState(
            **{
                **{name: value for name, value in fields.items() if name in OtpState.__dataclass_fields__},
                "recipient": recipient,
                "channel": channel,
                "steps": None if fields["channels"] is None else _steps_of(channel, at, fields),
                "language": "en" if message is None else None,
                "template_version": None if fields.get("template") is None else 1,
            },
            otp_id=str(uuid.uuid4()),
            status="sent",
            cost_credits=1,
            segments=1 if channel == "sms" else None,
            created_at=at,
            expires_at=_time(now + lifetime),
            sent_at=at,
            delivered_at=at,
            verified_at=None,
            failure=None,
            own_code=own_code is not None,
        )
        verification = _Verification(state, code, tries or _tries_for(len(code)), message)
        self._verifications[state.otp_id] = verification
        self._deliver(verification, channel)
        plan = {} if fields["channels"] is None else {"channels": channels}
        return SendReply(**_reply(state, "pending"), **plan, code_length=None if length is None else len(code))

    def challenge(self, recipient: str, *, client_ip: Optional[str] = None) -> Challenge:
        self._fail_if_asked()
        _refuse_fields(recipient=None if recipient.strip() else "This field is required.")
        salt = f"{uuid.uuid4().hex}?expires={int(self._now()) + 600}&"
        found = hashlib.sha256(f"{salt}{random.randint(0, _PROOF_COST)}".encode()).hexdigest()
        return Challenge("SHA-256", found, _PROOF_COST, salt, "0" * 64)

    def resend(
        self,
        otp_id: str,
        *,
        channel: Optional[str] = None,
        client_ip: Optional[str] = None,
        limits: Optional[Dict[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> ResendReply:
        request = {"otp_id": otp_id, "channel": channel, "client_ip": client_ip, "limits": limits}
        return self._once("resend", request, idempotency_key, lambda: self._resent(otp_id, channel))

    def _resent(self, otp_id: str, other: Optional[str]) -> ResendReply:
        verification = self._find(otp_id)
        state = verification.state
        if state.own_code:
            raise _failure("own_code", {})
        self._refuse_closed(verification)
        following = _next_step(verification, other)
        channel = other or (following["channel"] if following else state.channel)
        _refuse_fields(
            channel=None if (channel == "email") == ("@" in state.recipient) else "Another channel.",
            **_text_problems(channel, {"message": verification.message}),
        )
        now = self._now()
        shared = self._shared[(state.purpose, state.recipient)]
        if following is None and (shared.code != verification.code or now - shared.first_sent >= _TEN_MINUTES):
            raise _failure("resend_too_late", {})
        self._count_send(state.recipient, now)
        resend = self._send_again(verification, channel)
        this = {"channel": channel, "segments": 1 if channel == "sms" else None, "cost_credits": 1}
        return ResendReply(**{**_reply(state, "pending"), **this}, resend_id=str(resend["resend_id"]))

    def _send_again(self, verification: _Verification, channel: str) -> Dict[str, Any]:
        created_at, state = _time(self._now()), verification.state
        step = _next_step(verification, channel)
        if step is not None:
            step.update(status="delivered", at=created_at)
        self._deliver(verification, channel)
        resend = {
            "resend_id": str(uuid.uuid4()),
            "channel": channel,
            "status": "sent",
            "created_at": created_at,
            "cost_credits": 1,
            "failure": None,
        }
        verification.state = replace(state, resends=[*(state.resends or []), resend])
        return resend

    def verify(
        self,
        otp_id: Optional[str] = None,
        code: str = "",
        *,
        recipient: Optional[str] = None,
        purpose: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> VerifyReply:
        request = {"otp_id": otp_id, "recipient": recipient, "purpose": purpose, "code": code}
        return self._once("verify", request, idempotency_key, lambda: self._verify(otp_id, recipient, purpose, code))

    def _verify(self, otp_id: Optional[str], to: Optional[str], purpose: Optional[str], code: str) -> VerifyReply:
        _refuse_fields(
            otp_id="This field is required." if otp_id is None and to is None else None,
            recipient="Give either otp_id or recipient." if otp_id is not None and to is not None else None,
        )
        newest = self._open_to((purpose, _normalized(to)))[-1:] if to is not None else []
        verification = newest[0] if newest else self._find(otp_id or "")
        if verification.state.own_code:
            raise _failure("own_code", {})
        self._refuse_closed(verification)
        digits = re.sub(r"[\W_]", "", code)
        _refuse_fields(code=None if len(digits) == len(verification.code) else "Code must have 6 digits.")
        place = (verification.state.purpose, verification.state.recipient)
        open_ = self._open_to(place)
        if digits != verification.code:
            shared = self._shared[place]
            shared.tries += 1
            left = max(0, min(one.tries for one in open_) - shared.tries)
            if left == 0:
                for one in open_:
                    one.closed_by = "max_attempts_reached"
                    one.state = replace(one.state, status="failed", failure="Too many wrong codes")
            raise _failure("invalid_code", {"attempts_remaining": left})
        for one in open_:
            if one is not verification:
                _close(one)
        verified_at = _time(self._now())
        verification.state = replace(verification.state, status="verified", verified_at=verified_at)
        return VerifyReply(status="verified", verified_at=verified_at, otp_id=verification.state.otp_id)

    def get(self, otp_id: str) -> OtpState:
        self._fail_if_asked()
        verification = self._find(otp_id)
        closed = self._closed_reason(verification)
        state = verification.state
        if closed and state.steps:
            ended = [{**step, "status": "canceled"} if step["status"] == "waiting" else step for step in state.steps]
            state = replace(state, steps=ended)
        return replace(state, status="expired") if closed == "otp_expired" and state.status == "sent" else state

    def cancel(self, otp_id: str) -> OtpState:
        self._fail_if_asked()
        verification = self._find(otp_id)
        self._refuse_closed(verification)
        _close(verification)
        return verification.state

    def outcome(self, otp_id: str, *, verified: bool) -> OtpState:
        self._fail_if_asked()
        verification = self._find(otp_id)
        if not verification.state.own_code:
            raise _failure("not_own_code", {})
        outcome = "verified" if verified else "unverified"
        if verification.state.outcome not in (None, outcome):
            raise _failure("outcome_already_reported", {})
        at = verification.state.outcome_at or _time(self._now())
        verification.state = replace(verification.state, outcome=outcome, outcome_at=at)
        return verification.state

    def _now(self) -> float:
        return time.time() + self._shift

    def _fail_if_asked(self) -> None:
        if self._failures:
            raise self._failures.pop(0)

    def _once(self, name: str, request: Dict[str, Any], key: Optional[str], work: Callable[[], T]) -> T:
        """Repetitions with the same idempotency key get the first reply."""
        self._fail_if_asked()
        if key is None:
            return work()
        earlier = self._replies.get((name, key))
        if earlier and earlier[0] != request:
            raise _failure("idempotency_key_reused", {})
        reply = earlier[1] if earlier else work()
        self._replies[(name, key)] = (request, reply)
        return reply

    def _find(self, otp_id: str) -> _Verification:
        if otp_id not in self._verifications:
            raise _failure("otp_not_found", {})
        return self._verifications[otp_id]

    def _count_send(self, recipient: str, now: float) -> None:
        sends = self._sends.setdefault(recipient, [])
        wait = max(_seconds_to_wait(sends, most, span, now) for most, span in _SENDS)
        if wait > 0:
            raise _failure("recipient_rate_limited", {"retry_after": wait})
        sends.append(now)

    def _deliver(self, verification: _Verification, channel: str) -> None:
        state, code = verification.state, verification.code
        text = (verification.message or "Your verification code is: {code}").replace("{code}", code)
        self.messages.append(FakeMessage(state.otp_id, channel, state.recipient, code, text))

    def _code_of(self, place: Tuple[Optional[str], str], now: float, length: int) -> str:
        known = self._shared.get(place)
        if known and now - known.first_sent < _TEN_MINUTES and self._open_to(place):
            return known.code
        code = str(random.randrange(10**length)).zfill(length)
        self._shared[place] = _Shared(code, now)
        return code

    def _open_to(self, place: Tuple[Optional[str], str], is_own: bool = False) -> List[_Verification]:
        return [
            one
            for one in self._verifications.values()
            if (one.state.purpose, one.state.recipient) == place
            and one.state.own_code == is_own
            and self._closed_reason(one) is None
        ]

    def _closed_reason(self, verification: _Verification) -> Optional[str]:
        if verification.state.status == "verified":
            return "otp_already_verified"
        if verification.closed_by:
            return verification.closed_by
        return "otp_expired" if verification.state.expires_at <= _time(self._now()) else None

    def _refuse_closed(self, verification: _Verification) -> None:
        reason = self._closed_reason(verification)
        if reason:
            raise _failure(reason, {})


class AsyncFakeSixdigit(AsyncSends, _Webhooks):
    """``FakeSixdigit`` for asyncio. Codes, messages and time are those of ``fake``."""

    def __init__(self, fake: Optional[FakeSixdigit] = None) -> None:
        self.fake = fake or FakeSixdigit()

    async def _send(self, fields: Dict[str, Any], idempotency_key: Optional[str]) -> SendReply:
        return self.fake.send(**fields, idempotency_key=idempotency_key)

    async def verify(
        self,
        otp_id: Optional[str] = None,
        code: str = "",
        *,
        recipient: Optional[str] = None,
        purpose: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> VerifyReply:
        return self.fake.verify(otp_id, code, recipient=recipient, purpose=purpose, idempotency_key=idempotency_key)

    async def resend(
        self,
        otp_id: str,
        *,
        channel: Optional[str] = None,
        client_ip: Optional[str] = None,
        limits: Optional[Dict[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> ResendReply:
        return self.fake.resend(
            otp_id, channel=channel, client_ip=client_ip, limits=limits, idempotency_key=idempotency_key
        )

    async def challenge(self, recipient: str, *, client_ip: Optional[str] = None) -> Challenge:
        return self.fake.challenge(recipient, client_ip=client_ip)

    async def get(self, otp_id: str) -> OtpState:
        return self.fake.get(otp_id)

    async def cancel(self, otp_id: str) -> OtpState:
        return self.fake.cancel(otp_id)

    async def outcome(self, otp_id: str, *, verified: bool) -> OtpState:
        return self.fake.outcome(otp_id, verified=verified)


def _next_step(verification: _Verification, channel: Optional[str] = None) -> Optional[Dict[str, Any]]:
    """The first waiting step, or that of a channel."""
    for step in verification.state.steps or []:
        if step["status"] == "waiting" and channel in (None, step["channel"]):
            return step
    return None


def _steps_of(first: str, at: str, fields: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Every message is delivered at once, so the other channels wait for a failure or a resend."""
    steps: List[Dict[str, Any]] = []
    for one in _channels_of(fields):
        if _is_skipped(one, fields):
            steps.append({"channel": one, "status": "skipped", "at": at, "reason": "own_text"})
        else:
            is_first = one == first
            status = "delivered" if is_first else "waiting"
            steps.append({"channel": one, "status": status, "at": at if is_first else None})
    return steps


def _is_skipped(channel: str, fields: Dict[str, Any]) -> bool:
    """WhatsApp and Telegram show a text of their own, so a plan skips them."""
    has_text = any(fields.get(name) is not None for name in ("message", "subject", "template"))
    return fields["channels"] is not None and has_text and channel in ("whatsapp", "telegram")


def _channels_of(fields: Dict[str, Any]) -> List[str]:
    channel, channels = fields["channel"], fields["channels"]
    if channels == "auto":
        return ["email"] if "@" in fields["recipient"] else ["sms", "voice"]
    return list(channels or ([] if channel is None else [channel]))


def _plan_problems(fields: Dict[str, Any], lifetime: int) -> Dict[str, Optional[str]]:
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


def _tries_for(length: int) -> int:
    return 3 if length < _LENGTH else 5


def _text_problems(channel: str, fields: Dict[str, Any]) -> Dict[str, str]:
    message = fields["message"]
    if channel in ("whatsapp", "telegram"):
        named = ("message", "subject", "template", "variables", "app_hash", "domain")
        own = "This channel shows only its own text with the code."
        return {field: own for field in named if fields.get(field) is not None}
    if message is None or "{code}" in message:
        return {}
    return {"message": "Message template must include {code} placeholder"}


def _reply(state: OtpState, status: str) -> Dict[str, Any]:
    names = ("otp_id", "expires_at", "channel", "recipient", "segments", "cost_credits", "language", "own_code")
    return {"status": status, **{name: getattr(state, name) for name in names}}


def _close(verification: _Verification) -> None:
    verification.closed_by = "otp_closed"
    if verification.state.status != "failed":
        verification.state = replace(verification.state, status="expired")


def _failure(reason: str, facts: Dict[str, Any]) -> SixdigitError:
    status, sentence = _SENTENCES.get(reason, (400, reason))
    return SixdigitError(reason, sentence, status=status, facts=facts, retry_after=facts.get("retry_after"))


def _refuse_fields(**problems: Optional[str]) -> None:
    field_errors = {field: [problem] for field, problem in problems.items() if problem}
    if field_errors:
        sentences = " ".join(one for all_ in field_errors.values() for one in all_)
        raise SixdigitError("invalid_fields", sentences, status=400, field_errors=field_errors)


def _seconds_to_wait(sends: List[float], most: int, span: int, now: float) -> int:
    within = [at for at in sends if at > now - span]
    return max(1, int(within[-most] + span - now + 0.999)) if len(within) >= most else 0


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _normalized(recipient: str) -> str:
    """E.164 without blanks, or a lower-case email address. Unlike the service, the fake does not know national numbers."""
    return recipient.strip().lower() if "@" in recipient else re.sub(r"[^\d+]", "", recipient)
