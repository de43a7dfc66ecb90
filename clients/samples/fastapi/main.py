"""Signs people in with a code by SMS or email."""

import logging
import os

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sixdigit import AsyncSixdigit, SixdigitError
from starlette.middleware.sessions import SessionMiddleware

sixdigit = AsyncSixdigit(base_url=os.environ["SIXDIGIT_URL"], api_key=os.environ["SIXDIGIT_API_KEY"])
app = FastAPI()
# The session is a signed cookie. The person can read it, but not change it.
app.add_middleware(
    SessionMiddleware,
    secret_key=os.environ["SESSION_SECRET"],
    same_site="lax",
    https_only=os.environ.get("ENV") == "production",
    max_age=24 * 60 * 60,
)


class SignIn(BaseModel):
    recipient: str


class Code(BaseModel):
    code: str


@app.get("/")
async def home(request: Request):
    user = request.session.get("user")
    return {"signed_in": user} if user else refusal(401, "Please sign in.")


# FastAPI reads a body only if its type is JSON: a form on another site cannot send it.
@app.post("/sign-in", status_code=201)
async def send(request: Request, fields: SignIn):
    sent = await sixdigit.send(
        channel="email" if "@" in fields.recipient else "sms",
        recipient=fields.recipient,
        client_ip=request.client.host if request.client else None,
    )
    # In the session and not in a form: a code works only in the browser that requested it.
    request.session["pending"] = {"otp_id": sent.otp_id, "recipient": sent.recipient}
    return {"expires_at": sent.expires_at}


@app.post("/sign-in/verify")
async def verify(request: Request, fields: Code):
    pending = request.session.get("pending")
    if not pending:
        return refusal(400, "Please request a new code.")
    await sixdigit.verify(pending["otp_id"], fields.code)
    request.session.clear()
    request.session["user"] = pending["recipient"]
    return {"signed_in": pending["recipient"]}


# What the person reads. Every other problem is the operator's.
SENTENCES = {
    "recipient": "Please check the phone number or email address.",
    "code": "That code is wrong.",
    "invalid_code": "That code is wrong.",
    "otp_expired": "That code has expired. Please request a new code.",
    "otp_closed": "Please request a new code.",
    "otp_not_found": "Please request a new code.",
    "otp_already_verified": "Please request a new code.",
    "max_attempts_reached": "Too many wrong codes. Please request a new code.",
    "recipient_rate_limited": "Too many codes were requested. Please try again later.",
    "recipient_opted_out": "This number has opted out of messages.",
    "destination_blocked": "Codes cannot be sent to this number.",
}


@app.exception_handler(SixdigitError)
async def answer(_: Request, error: SixdigitError) -> JSONResponse:
    sentence = SENTENCES.get(next(iter(error.field_errors), error.reason))
    if sentence is None:
        logging.error("Sixdigit: %s (%s, request %s)", error, error.reason, error.request_id)
        return refusal(503, "Please try again later.")
    left = error.facts.get("attempts_remaining")
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else {}
    return refusal(
        429 if error.status == 429 else 400,
        sentence,
        headers,
        **({} if left is None else {"attempts_remaining": left}),
    )


def refusal(status: int, sentence: str, headers: "dict[str, str] | None" = None, **facts: int) -> JSONResponse:
    return JSONResponse({"error": sentence, **facts}, status, headers)
