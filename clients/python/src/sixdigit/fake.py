"""An in-memory Sixdigit for the tests of your application."""

from __future__ import annotations

import hashlib
import random
import re
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

from .client import _Webhooks
from .errors import SixdigitError
from .fake_rules import LENGTH, channels_of, failure, is_skipped, normalized, refuse_fields, seconds_to_wait
from .fake_rules import send_problems, steps_of, text_problems, time_of, tries_for
from .shapes import AsyncSends, Challenge, OtpState, ResendReply, SendReply, Sends, VerifyReply

T = TypeVar("T")
_TEN_MINUTES = 600
_DAY = 86_400
#: A service's default limits of sends to one recipient.
_SENDS = ((5, _TEN_MINUTES), (20, _DAY))
_PROOF_COST = 5_000


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
        wanted = normalized(recipient)
        for message in reversed(self.messages):
            if message.recipient == wanted:
                return message.code
        raise LookupError(f"No message was sent to {recipient}")

    def advance(self, seconds: float) -> None:
        """Lets time pass."""
        self._shift += seconds

    def fail_next(self, reason: str, **facts: Any) -> None:
        """Makes the next call fail. Several calls of this make as many calls fail."""
        self._failures.append(failure(reason, facts))

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
        message, own_code, channels = fields["message"], fields["code"], channels_of(fields)
        sendable = [one for one in channels if not is_skipped(one, fields)]
        channel = sendable[0] if sendable else "sms"
        purpose, length, tries = fields["purpose"], fields["code_length"], fields["max_attempts"]
        lifetime = 300 if fields["expires_in"] is None else fields["expires_in"]
        recipient = normalized(fields["recipient"])
        refuse_fields(**send_problems(fields, channel, recipient, lifetime))
        place = (purpose, recipient)
        for sent in self._open_to(place, own_code is not None):
            # A repeated send of an open code of your own sends nothing.
            if (sent.code, sent.state.channel) == (own_code, channel):
                return SendReply(**_reply(sent.state, sent.state.status))
        now = self._now()
        self._count_send(recipient, now)
        code = self._code_of(place, now, length or LENGTH) if own_code is None else own_code
        at = time_of(now)
        state = OtpState(
            **{
                **{name: value for name, value in fields.items() if name in OtpState.__dataclass_fields__},
                "recipient": recipient,
                "channel": channel,
                "steps": None if fields["channels"] is None else steps_of(channel, at, fields),
                "language": "en" if message is None else None,
                "template_version": None if fields.get("template") is None else 1,
            },
            otp_id=str(uuid.uuid4()),
            status="sent",
            cost_credits=1,
            segments=1 if channel == "sms" else None,
            created_at=at,
            expires_at=time_of(now + lifetime),
            sent_at=at,
            delivered_at=at,
            verified_at=None,
            failure=None,
            own_code=own_code is not None,
        )
        verification = _Verification(state, code, tries or tries_for(len(code)), message)
        self._verifications[state.otp_id] = verification
        self._deliver(verification, channel)
        plan = {} if fields["channels"] is None else {"channels": channels}
        return SendReply(**_reply(state, "pending"), **plan, code_length=None if length is None else len(code))

    def challenge(self, recipient: str, *, client_ip: Optional[str] = None) -> Challenge:
        self._fail_if_asked()
        refuse_fields(recipient=None if recipient.strip() else "This field is required.")
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
            raise failure("own_code", {})
        self._refuse_closed(verification)
        following = _next_step(verification, other)
        channel = other or (following["channel"] if following else state.channel)
        refuse_fields(
            channel=None if (channel == "email") == ("@" in state.recipient) else "Another channel.",
            **text_problems(channel, {"message": verification.message}),
        )
        now = self._now()
        shared = self._shared[(state.purpose, state.recipient)]
        if following is None and (shared.code != verification.code or now - shared.first_sent >= _TEN_MINUTES):
            raise failure("resend_too_late", {})
        self._count_send(state.recipient, now)
        resend = self._send_again(verification, channel)
        this = {"channel": channel, "segments": 1 if channel == "sms" else None, "cost_credits": 1}
        return ResendReply(**{**_reply(state, "pending"), **this}, resend_id=str(resend["resend_id"]))

    def _send_again(self, verification: _Verification, channel: str) -> Dict[str, Any]:
        created_at, state = time_of(self._now()), verification.state
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
        refuse_fields(
            otp_id="This field is required." if otp_id is None and to is None else None,
            recipient="Give either otp_id or recipient." if otp_id is not None and to is not None else None,
        )
        newest = self._open_to((purpose, normalized(to)))[-1:] if to is not None else []
        verification = newest[0] if newest else self._find(otp_id or "")
        if verification.state.own_code:
            raise failure("own_code", {})
        self._refuse_closed(verification)
        digits = re.sub(r"[\W_]", "", code)
        refuse_fields(code=None if len(digits) == len(verification.code) else "Code must have 6 digits.")
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
            raise failure("invalid_code", {"attempts_remaining": left})
        for one in open_:
            if one is not verification:
                _close(one)
        verified_at = time_of(self._now())
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
            raise failure("not_own_code", {})
        outcome = "verified" if verified else "unverified"
        if verification.state.outcome not in (None, outcome):
            raise failure("outcome_already_reported", {})
        at = verification.state.outcome_at or time_of(self._now())
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
            raise failure("idempotency_key_reused", {})
        reply = earlier[1] if earlier else work()
        self._replies[(name, key)] = (request, reply)
        return reply

    def _find(self, otp_id: str) -> _Verification:
        if otp_id not in self._verifications:
            raise failure("otp_not_found", {})
        return self._verifications[otp_id]

    def _count_send(self, recipient: str, now: float) -> None:
        sends = self._sends.setdefault(recipient, [])
        wait = max(seconds_to_wait(sends, most, span, now) for most, span in _SENDS)
        if wait > 0:
            raise failure("recipient_rate_limited", {"retry_after": wait})
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
        return "otp_expired" if verification.state.expires_at <= time_of(self._now()) else None

    def _refuse_closed(self, verification: _Verification) -> None:
        reason = self._closed_reason(verification)
        if reason:
            raise failure(reason, {})


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
        return self.fake.resend(otp_id, channel=channel, client_ip=client_ip, limits=limits, idempotency_key=idempotency_key)

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


def _reply(state: OtpState, status: str) -> Dict[str, Any]:
    names = ("otp_id", "expires_at", "channel", "recipient", "segments", "cost_credits", "language", "own_code")
    return {"status": status, **{name: getattr(state, name) for name in names}}


def _close(verification: _Verification) -> None:
    verification.closed_by = "otp_closed"
    if verification.state.status != "failed":
        verification.state = replace(verification.state, status="expired")
