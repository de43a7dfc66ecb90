"""Makes the calls that a test requests on standard input, one JSON object a line, and prints each result."""

import asyncio
import dataclasses
import inspect
import json
import sys
from typing import Any, Dict

from sixdigit import AsyncSixdigit, Sixdigit, SixdigitError, verify_webhook
from sixdigit.fake import AsyncFakeSixdigit, FakeSixdigit

CLIENTS = {
    "Sixdigit": Sixdigit,
    "AsyncSixdigit": AsyncSixdigit,
    "FakeSixdigit": FakeSixdigit,
    "AsyncFakeSixdigit": AsyncFakeSixdigit,
}
clients: Dict[str, Any] = {}


async def make(request: Dict[str, Any]) -> Any:
    call, args = request["call"], request.get("args", {})
    if call == "verify_webhook":
        return verify_webhook(**args)
    if call == "new":
        clients[request["client"]] = CLIENTS[request["class"]](**args)
        return None
    client = clients[request["client"]]
    if not hasattr(client, call):
        client = client.fake
    result = getattr(client, call)(**args)
    if inspect.isawaitable(result):
        result = await result
    return dataclasses.asdict(result) if dataclasses.is_dataclass(result) else result


async def answer(line: str) -> Dict[str, Any]:
    try:
        return {"result": await make(json.loads(line))}
    except SixdigitError as error:
        names = ("reason", "status", "facts", "field_errors", "retry_after", "request_id")
        return {"error": {"message": str(error), **{name: getattr(error, name) for name in names}}}
    except ValueError as error:
        return {"error": {"message": str(error), "reason": "ValueError"}}


async def main() -> None:
    for line in iter(sys.stdin.readline, ""):
        print(json.dumps(await answer(line)), flush=True)


asyncio.run(main())
