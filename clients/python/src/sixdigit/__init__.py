"""Client for Sixdigit: send and verify one-time passcodes."""

from .client import AsyncSixdigit, Sixdigit
from .errors import SixdigitError
from .shapes import OtpState, SendReply, VerifyReply
from .webhooks import verify_webhook

__all__ = [
    "AsyncSixdigit",
    "OtpState",
    "SendReply",
    "Sixdigit",
    "SixdigitError",
    "VerifyReply",
    "verify_webhook",
]
