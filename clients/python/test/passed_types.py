"""Passes the types that Python programs use to the client. Prints one JSON object."""

import asyncio
import copy
import json
import pickle
import sys
import time
import uuid
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

from sixdigit import AsyncSixdigit, Sixdigit, SixdigitError, verify_webhook


class Channel(Enum):
    SMS = "sms"


def told(work):
    try:
        result = work()
        return getattr(result, "status", result)
    except (SixdigitError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def fail() -> None:
    raise SixdigitError(
        "invalid_code", "Invalid OTP code", status=400, facts={"attempts_remaining": 4}, retry_after=3, request_id="r"
    )


def fields(error: SixdigitError):
    return [str(error), error.reason, error.status, error.facts, error.field_errors, error.retry_after, error.request_id]


def copies():
    try:
        fail()
    except SixdigitError as error:
        made = [copy.copy(error), copy.deepcopy(error)]
        made += [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
        same = all(fields(one) == fields(error) for one in made)
    with ProcessPoolExecutor(1) as pool:
        try:
            pool.submit(fail).result(timeout=30)
        except SixdigitError as error:
            return [same, error.reason]
    return [same, None]


async def canceled(url: str, key: str):
    client = AsyncSixdigit(api_key=key, base_url=url, timeout=20)
    try:
        await asyncio.wait_for(client.get("x"), 0.2)
    except asyncio.TimeoutError:
        return "canceled"


if __name__ == "__main__":
    url, key, silent, webhook = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
    client = Sixdigit(api_key=f"{key}\n", base_url=f"{url}\n")

    def timeout(value):
        return told(lambda: Sixdigit(api_key=key, base_url=url, timeout=value)._transport._timeout)

    def send(**more):
        return told(lambda: client.send(**{"channel": "sms", "recipient": "+12015550160", **more}))

    begun = time.monotonic()
    canceling = asyncio.run(canceled(silent, key))
    print(
        json.dumps(
            {
                "timeouts": [timeout(one) for one in (5, 2.5, "3", Decimal("4"), timedelta(seconds=6), (3, 27), [2])],
                "wrong_timeouts": [timeout(one) for one in (None, 0, -1, float("nan"), "soon", (), (3, None))],
                "expires_in": send(expires_in=Decimal("120")),
                "id": told(lambda: client.get(uuid.UUID(int=7))),
                "key": send(idempotency_key=uuid.UUID(int=9)),
                "odd": [send(message=object()), send(message=b"{code}"), send(expires_in=Decimal("NaN"))],
                "enum": send(channel=Channel.SMS),
                "seconds": [send(expires_in=one) for one in (timedelta(minutes=5), Fraction(300), float("nan"))],
                "mapping": send(recipient="+12015550163", metadata=MappingProxyType({"order": uuid.UUID(int=9)})),
                "key_bytes": told(lambda: Sixdigit(api_key=key.encode(), base_url=url)),
                "copies": copies(),
                "canceled": [canceling, time.monotonic() - begun < 10],
                "secrets": [
                    verify_webhook(webhook["body"], webhook["headers"], webhook["secret"] + end)["type"]
                    for end in ("", "\n", "\r\n")
                ],
            }
        )
    )
