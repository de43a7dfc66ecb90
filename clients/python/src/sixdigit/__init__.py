"""Client for Sixdigit: send and verify one-time passcodes."""

from .client import AsyncSixdigit, Sixdigit
from .errors import SixdigitError
from .shapes import Challenge, OtpState, SendReply, VerifyReply
from .webhooks import verify_webhook

__all__ = [
    "AsyncSixdigit",
    "Challenge",
    "OtpState",
    "SendReply",
    "Sixdigit",
    "SixdigitError",
    "VerifyReply",
    "verify_webhook",
]
