"""The clients, with and without asyncio."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
import uuid
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, TypeVar, Union

from .errors import SixdigitError
from .request import Call, Transport, path_of
from .shapes import AsyncSends, Challenge, OtpState, ResendReply, SendReply, Sends, VerifyReply, parse
from .webhooks import verify_webhook

T = TypeVar("T")


async def _in_thread(work: Callable[[Call], T], call: Call) -> T:
    """Runs work in a thread of its own. Unlike the loop's threads, neither a cancellation nor the end of the loop waits for it."""
    loop = asyncio.get_running_loop()
    future: "asyncio.Future[T]" = loop.create_future()

    def settle(result: Any, error: Optional[BaseException]) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def run() -> None:
        result: Any = None
        failure: Optional[BaseException] = None
        try:
            result = work(call)
        except BaseException as error:  # noqa: B902
            failure = error
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            pass  # The loop has ended.

    threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
    return await future


def _send_call(fields: Dict[str, Any], idempotency_key: Optional[str]) -> Call:
    body = {name: value for name, value in fields.items() if value is not None}
    return Call("POST", "/otp/send/", body, idempotency_key or str(uuid.uuid4()))


def _resend(otp_id: str, fields: Dict[str, Any], idempotency_key: Optional[str]) -> Call:
    body = {name: value for name, value in fields.items() if value is not None}
    return Call("POST", f"{path_of(otp_id)}resend/", body, idempotency_key or str(uuid.uuid4()))


def _verify(fields: Dict[str, Any], idempotency_key: Optional[str]) -> Call:
    return Call("POST", "/otp/verify/", fields, idempotency_key or str(uuid.uuid4()))


def _challenge(recipient: str, client_ip: Optional[str]) -> Call:
    body = {"recipient": recipient, **({} if client_ip is None else {"client_ip": client_ip})}
    return Call("POST", "/otp/challenges/", body)


def _outcome(otp_id: str, verified: bool) -> Call:
    return Call("POST", f"{path_of(otp_id)}outcome/", {"verified": verified})


class _Webhooks:
    def verify_webhook(
        self,
        body: Union[str, bytes],
        headers: Mapping[str, str],
        secret: Union[str, Sequence[str]],
        *,
        tolerance_seconds: int = 300,
    ) -> Dict[str, Any]:
        """See ``sixdigit.verify_webhook``."""
        return verify_webhook(body, headers, secret, tolerance_seconds=tolerance_seconds)


class Sixdigit(Sends, _Webhooks):
    """A client of one Sixdigit service for one API key. It may be shared by threads.

    Connection errors, 502, 503, 504, and 429 with a short ``Retry-After`` are retried; all attempts of a call have one
    idempotency key, so that a code is sent and paid for once. Every call can raise a ``SixdigitError``.

    ``base_url`` is the base URL that the docs screen shows; the path may be left out. ``timeout`` limits, in seconds, connecting
    and each wait for the response. It may be a ``timedelta``, or a pair, of which the longer one counts.
    """

    def __init__(self, *, api_key: str, base_url: str, timeout: Any = 10, retries: int = 2) -> None:
        self._transport = Transport(api_key, base_url, timeout, retries)

    def _send(self, fields: Dict[str, Any], idempotency_key: Optional[str]) -> SendReply:
        return parse(SendReply, self._call(_send_call(fields, idempotency_key)))

    def verify(
        self,
        otp_id: Optional[str] = None,
        code: str = "",
        *,
        recipient: Optional[str] = None,
        purpose: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> VerifyReply:
        """Checks a code. Returns only if it is right. ``recipient`` instead of ``otp_id`` means its newest open verification, with
        ``purpose`` that of this purpose.

        Otherwise the error's reason is ``invalid_code`` (with ``facts["attempts_remaining"]``), ``otp_expired``,
        ``max_attempts_reached``, ``otp_closed``, ``otp_already_verified`` or ``otp_not_found``.
        """
        fields = {"otp_id": otp_id, "recipient": recipient, "purpose": purpose, "code": code}
        return parse(VerifyReply, self._call(_verify(fields, idempotency_key)))

    def resend(
        self,
        otp_id: str,
        *,
        channel: Optional[str] = None,
        client_ip: Optional[str] = None,
        limits: Optional[Dict[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> ResendReply:
        """Sends the code of a verification again, under the same id. Its attempts and its expiry stay."""
        fields = {"channel": channel, "client_ip": client_ip, "limits": limits}
        return parse(ResendReply, self._call(_resend(otp_id, fields, idempotency_key)))

    def challenge(self, recipient: str, *, client_ip: Optional[str] = None) -> Challenge:
        """A proof-of-work challenge for the page from which a code is requested. Pass its solution as ``proof`` of ``send``.
        Refusals with the reason ``proof_required`` or ``invalid_proof`` contain one too, as ``facts["challenge"]``."""
        return parse(Challenge, self._call(_challenge(recipient, client_ip)))

    def get(self, otp_id: str) -> OtpState:
        """The state of a verification."""
        return parse(OtpState, self._call(Call("GET", path_of(otp_id))))

    def cancel(self, otp_id: str) -> OtpState:
        """Closes a verification, so that its code no longer works. Refunded if no carrier can have the message yet."""
        call = Call("POST", f"{path_of(otp_id)}cancel/")
        lost: Dict[str, bool] = {}
        try:
            return parse(OtpState, self._call(call, lost))
        except SixdigitError as error:
            # The first attempt canceled it, and its response was lost.
            if lost and error.reason == "otp_closed":
                return self.get(otp_id)
            raise

    def outcome(self, otp_id: str, *, verified: bool) -> OtpState:
        """Reports whether the person entered a code of your own. The first report counts; another one is refused."""
        return parse(OtpState, self._call(_outcome(otp_id, verified)))

    def _call(self, call: Call, lost: Optional[Dict[str, bool]] = None) -> Dict[str, Any]:
        attempt = 0
        while True:
            try:
                return self._transport.attempt(call)
            except SixdigitError as error:
                pause = self._transport.pause(error, attempt)
                if pause is None:
                    raise
                if error.status == 0 and lost is not None:
                    lost["lost"] = True
            time.sleep(pause)
            attempt += 1


class AsyncSixdigit(AsyncSends, _Webhooks):
    """``Sixdigit`` for asyncio. Each request runs in a thread, since the standard library has no asynchronous HTTP; the pauses
    between them do not occupy one. A cancellation takes effect at once: the service may still get the request."""

    def __init__(self, *, api_key: str, base_url: str, timeout: Any = 10, retries: int = 2) -> None:
        self._transport = Transport(api_key, base_url, timeout, retries)

    async def _send(self, fields: Dict[str, Any], idempotency_key: Optional[str]) -> SendReply:
        return parse(SendReply, await self._call(_send_call(fields, idempotency_key)))

    async def verify(
        self,
        otp_id: Optional[str] = None,
        code: str = "",
        *,
        recipient: Optional[str] = None,
        purpose: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> VerifyReply:
        """See ``Sixdigit.verify``."""
        fields = {"otp_id": otp_id, "recipient": recipient, "purpose": purpose, "code": code}
        return parse(VerifyReply, await self._call(_verify(fields, idempotency_key)))

    async def resend(
        self,
        otp_id: str,
        *,
        channel: Optional[str] = None,
        client_ip: Optional[str] = None,
        limits: Optional[Dict[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> ResendReply:
        """See ``Sixdigit.resend``."""
        fields = {"channel": channel, "client_ip": client_ip, "limits": limits}
        return parse(ResendReply, await self._call(_resend(otp_id, fields, idempotency_key)))

    async def challenge(self, recipient: str, *, client_ip: Optional[str] = None) -> Challenge:
        """See ``Sixdigit.challenge``."""
        return parse(Challenge, await self._call(_challenge(recipient, client_ip)))

    async def get(self, otp_id: str) -> OtpState:
        """See ``Sixdigit.get``."""
        return parse(OtpState, await self._call(Call("GET", path_of(otp_id))))

    async def cancel(self, otp_id: str) -> OtpState:
        """See ``Sixdigit.cancel``."""
        call = Call("POST", f"{path_of(otp_id)}cancel/")
        lost: Dict[str, bool] = {}
        try:
            return parse(OtpState, await self._call(call, lost))
        except SixdigitError as error:
            if lost and error.reason == "otp_closed":
                return await self.get(otp_id)
            raise

    async def outcome(self, otp_id: str, *, verified: bool) -> OtpState:
        """See ``Sixdigit.outcome``."""
        return parse(OtpState, await self._call(_outcome(otp_id, verified)))

    async def _call(self, call: Call, lost: Optional[Dict[str, bool]] = None) -> Dict[str, Any]:
        attempt = 0
        while True:
            try:
                return await _in_thread(self._transport.attempt, call)
            except SixdigitError as error:
                pause = self._transport.pause(error, attempt)
                if pause is None:
                    raise
                if error.status == 0 and lost is not None:
                    lost["lost"] = True
            await asyncio.sleep(pause)
            attempt += 1
