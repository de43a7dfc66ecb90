"""The replies of the API, and the call to send. Their fields have the names of the API, and times are ISO 8601.
``npm run shapes`` writes this file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, List, Optional, Type, TypeVar, Union

T = TypeVar("T")


@dataclass(frozen=True)
class SendReply:
    #: The id with which to verify the code, UUIDv7.
    otp_id: str
    #: pending until a carrier accepts the message, then sent; verified, failed and expired are final.
    status: str
    #: When the code expires.
    expires_at: str
    #: As requested; of a plan, the channel of the first message.
    channel: str
    #: The normalized recipient: E.164, or a lower-case email address.
    recipient: str
    #: SMS only: the number of segments of the text. None for the other channels.
    segments: Optional[int]
    #: Credits charged for this send; 0 with a test key.
    cost_credits: int
    #: The plan, in its order; None without one.
    channels: Optional[List[str]] = None
    #: The language of our text; None if the text is yours.
    language: Optional[str] = None
    #: Digits of the code, if the request has code_length. Another number than requested if an open send shares its code.
    code_length: Optional[int] = None
    #: The sender made the code and verifies it.
    own_code: bool = False
    #: Made with a test key.
    test: bool = False


@dataclass(frozen=True)
class ResendReply:
    #: As requested.
    otp_id: str
    #: pending until a carrier accepts the message, then sent; verified, failed and expired are final.
    status: str
    #: When the code expires.
    expires_at: str
    #: As requested; of a plan, the channel of the first message.
    channel: str
    #: The normalized recipient: E.164, or a lower-case email address.
    recipient: str
    #: SMS only: the number of segments of the text. None for the other channels.
    segments: Optional[int]
    #: Credits charged for this send; 0 with a test key.
    cost_credits: int
    #: The id of this message, which webhooks and lists name.
    resend_id: str
    #: The plan, in its order; None without one.
    channels: Optional[List[str]] = None
    #: The language of our text; None if the text is yours.
    language: Optional[str] = None
    #: Digits of the code, if the request has code_length. Another number than requested if an open send shares its code.
    code_length: Optional[int] = None
    #: The sender made the code and verifies it.
    own_code: bool = False
    #: Made with a test key.
    test: bool = False


@dataclass(frozen=True)
class VerifyReply:
    #: The code was correct.
    status: str
    #: When the code was verified.
    verified_at: str
    #: As requested.
    otp_id: str
    #: Made with a test key.
    test: bool = False


@dataclass(frozen=True)
class OtpState:
    #: UUIDv7.
    otp_id: str
    #: pending until a carrier accepts the message, then sent; verified, failed and expired are final.
    status: str
    #: How the code is sent.
    channel: str
    recipient: str
    cost_credits: int
    #: SMS only: the number of segments of the text. None for the other channels.
    segments: Optional[int]
    created_at: str
    #: When the code expires.
    expires_at: str
    sent_at: Optional[str]
    delivered_at: Optional[str]
    verified_at: Optional[str]
    #: Why the verification failed, if it did.
    failure: Optional[str]
    #: As requested; None if none.
    locale: Optional[str]
    #: The language of our text, as a BCP 47 tag; None if the text is yours.
    language: Optional[str]
    #: The template of the text; None if none.
    template: Optional[str]
    #: The version that the send used.
    template_version: Optional[int]
    #: As requested; None if none.
    purpose: Optional[str]
    #: The labels that the send attached; None if none.
    metadata: Optional[Dict[str, str]]
    #: The sender made the code and verifies it.
    own_code: bool = False
    #: Own codes only: the outcome that the sender reported; None if none.
    outcome: Optional[str] = None
    #: When the outcome was reported.
    outcome_at: Optional[str] = None
    #: The further messages with this code, oldest first; None if none.
    resends: Optional[List[Dict[str, Any]]] = None
    #: The channels of the plan, in its order; None without a plan.
    steps: Optional[List[Dict[str, Any]]] = None
    #: Made with a test key.
    test: bool = False


@dataclass(frozen=True)
class Challenge:
    algorithm: str
    #: The SHA-256 of the salt and the number to find, in hex.
    challenge: str
    #: The number is not greater.
    maxnumber: int
    #: With the time of expiry, in seconds since 1970.
    salt: str
    signature: str


def parse(shape: Type[T], body: Dict[str, Any]) -> T:
    """Ignores the fields of later versions of the service."""
    names = {field.name for field in fields(shape)}  # type: ignore[arg-type]
    return shape(**{name: value for name, value in body.items() if name in names})


class Sends:
    def _send(self, fields: Dict[str, Any], idempotency_key: Optional[str]) -> SendReply:
        raise NotImplementedError

    def send(
        self,
        *,
        channel: Optional[str] = None,
        recipient: str,
        message: Optional[str] = None,
        subject: Optional[str] = None,
        locale: Optional[str] = None,
        template: Optional[str] = None,
        variables: Optional[Dict[str, str]] = None,
        app_hash: Optional[str] = None,
        domain: Optional[str] = None,
        client_ip: Optional[str] = None,
        expires_in: Optional[int] = None,
        code_length: Optional[int] = None,
        max_attempts: Optional[int] = None,
        purpose: Optional[str] = None,
        metadata: Optional[Dict[str, str]] = None,
        limits: Optional[Dict[str, str]] = None,
        code: Optional[str] = None,
        channels: Optional[Union[str, List[str]]] = None,
        wait_seconds: Optional[int] = None,
        proof: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> SendReply:
        """Sends a code. Returns as soon as the service has stored it; ``get`` and webhooks tell of the delivery.

        ``channel``: How the code is sent. Required without channels.
        ``recipient``: A phone number (E.164, or national for the default region) or an email address.
        ``message``: Custom text of the SMS or email, with {code}. An SMS can have two segments, including the code, unless
            the operator has set another limit: 306 characters, or 134 if any character is outside GSM-7, such as an emoji. Calls
            do not speak this text, but a text of more than 30 seconds of speech is refused. WhatsApp and Telegram show only their
            own text: with this field, a template, an app_hash or a domain, a send there is refused.
        ``subject``: Email only. With `{code}`, inboxes and locked screens show the code.
        ``locale``: The language of our text, as a BCP 47 tag such as pt-BR. Calls have fewer languages than SMS, email and
            WhatsApp. Telegram uses the language of the recipient’s app. Without a text in it, the account’s language is used.
        ``template``: The name of a template, instead of message and subject.
        ``variables``: Values of the template’s variables, without links.
        ``app_hash``: SMS only: the 11 characters by which Android’s SMS Retriever finds your app. They count as text.
        ``domain``: SMS only: the host of your sign-in page, on which browsers offer the code. Its line counts as text. A
            service that limits links takes only domains that the account has verified.
        ``client_ip``: The IP address of the end user who requested the code, never that of your own server. The client rules
            use it to stop one visitor from requesting many codes. Ports, brackets and zones are removed. Private addresses are
            ignored.
        ``expires_in``: Validity of the code in seconds, 60 to 3600. Default: the account’s expiry time, 300 unless changed.
        ``code_length``: Digits of the code, 4 to 10. Default: the account’s code length, 6 unless changed. A guess must not
            be likelier than with the account’s length, so it can only be longer. A code that an open send shares keeps its
            length.
        ``max_attempts``: Attempts to enter the code, 1 to 10. Default: 5, or 3 for codes of 4 or 5 digits. More need a longer
            code than the account’s. Open sends to a recipient share their attempts, and the smallest number counts.
        ``purpose``: What the code is for, such as login: 1 to 32 of a-z, 0-9, _ and -. Sends to a recipient share a code only
            if they have the same purpose, and codes of different purposes never verify each other. Limits per recipient count all
            purposes together.
        ``metadata``: Labels of your own, such as the number of an order: up to 10 pairs, keys of 1 to 40 of a-z, 0-9, _ and
            -, values of up to 200 characters. They are in the status, in webhooks, in the dashboard and in its exports.
        ``limits``: What to count this send for, by the names of the account’s limits, such as {"signup-ip": "203.0.113.7"}:
            up to 10 values of up to 128 characters. They are stored only as keyed hashes.
        ``code``: A code that you have made and will verify yourself: 4 to 10 digits or upper-case letters. The key needs the
            scope otp:own_code. Report with POST /otp/{otp_id}/outcome/ whether it was entered. Without this field, Sixdigit makes
            the code.
        ``channels``: Instead of channel: 1 to 10 channels in the order in which they are tried, such as ["sms", "voice"], or
            "auto" for the plan of the account for the recipient’s country. The next channel starts when the message of the one
            before it fails, or is not confirmed in time.
        ``wait_seconds``: With channels: how long each message may take before the next channel starts, 15 to 900 seconds and
            less than the code is valid. Default: that of the account’s plan with "auto", or else 60, or less for codes that are
            valid for a short time.
        ``proof``: The solution of a challenge for this recipient, as ALTCHA’s widget posts it: base64 of up to 2,048
            characters. A given proof is always checked, and an accepted send uses it up.

        Pass an ``idempotency_key``, such as the id of a job, to make repetitions safe across restarts.
        """
        fields = {
            "channel": channel,
            "recipient": recipient,
            "message": message,
            "subject": subject,
            "locale": locale,
            "template": template,
            "variables": variables,
            "app_hash": app_hash,
            "domain": domain,
            "client_ip": client_ip,
            "expires_in": expires_in,
            "code_length": code_length,
            "max_attempts": max_attempts,
            "purpose": purpose,
            "metadata": metadata,
            "limits": limits,
            "code": code,
            "channels": channels,
            "wait_seconds": wait_seconds,
            "proof": proof,
        }
        return self._send(fields, idempotency_key)


class AsyncSends:
    async def _send(self, fields: Dict[str, Any], idempotency_key: Optional[str]) -> SendReply:
        raise NotImplementedError

    async def send(
        self,
        *,
        channel: Optional[str] = None,
        recipient: str,
        message: Optional[str] = None,
        subject: Optional[str] = None,
        locale: Optional[str] = None,
        template: Optional[str] = None,
        variables: Optional[Dict[str, str]] = None,
        app_hash: Optional[str] = None,
        domain: Optional[str] = None,
        client_ip: Optional[str] = None,
        expires_in: Optional[int] = None,
        code_length: Optional[int] = None,
        max_attempts: Optional[int] = None,
        purpose: Optional[str] = None,
        metadata: Optional[Dict[str, str]] = None,
        limits: Optional[Dict[str, str]] = None,
        code: Optional[str] = None,
        channels: Optional[Union[str, List[str]]] = None,
        wait_seconds: Optional[int] = None,
        proof: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> SendReply:
        """See ``Sixdigit.send``."""
        fields = {
            "channel": channel,
            "recipient": recipient,
            "message": message,
            "subject": subject,
            "locale": locale,
            "template": template,
            "variables": variables,
            "app_hash": app_hash,
            "domain": domain,
            "client_ip": client_ip,
            "expires_in": expires_in,
            "code_length": code_length,
            "max_attempts": max_attempts,
            "purpose": purpose,
            "metadata": metadata,
            "limits": limits,
            "code": code,
            "channels": channels,
            "wait_seconds": wait_seconds,
            "proof": proof,
        }
        return await self._send(fields, idempotency_key)
