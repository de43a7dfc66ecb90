"""Signs people in with a code by SMS or email."""

import logging

from django.conf import settings
from django.contrib.auth import get_user_model, login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from sixdigit import Sixdigit, SixdigitError

sixdigit = Sixdigit(base_url=settings.SIXDIGIT_URL, api_key=settings.SIXDIGIT_API_KEY)

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


@require_GET
@login_required
def home(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"Signed in as {request.user.get_username()}", content_type="text/plain")


@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        return page(request)
    recipient = request.POST.get("recipient", "")
    try:
        sent = sixdigit.send(
            channel="email" if "@" in recipient else "sms",
            recipient=recipient,
            client_ip=request.META["REMOTE_ADDR"] or None,
        )
    except SixdigitError as error:
        return refusal(request, error)
    # In the session and not in a form: a code works only in the browser that requested it.
    request.session["pending"] = {"otp_id": sent.otp_id, "recipient": sent.recipient}
    return redirect("/sign-in")


@require_POST
def verify(request: HttpRequest) -> HttpResponse:
    pending = request.session.get("pending")
    if not pending:
        return page(request, "Please request a new code.", status=400)
    try:
        sixdigit.verify(pending["otp_id"], request.POST.get("code", ""))
    except SixdigitError as error:
        return refusal(request, error)
    del request.session["pending"]
    user, _ = get_user_model().objects.get_or_create(username=pending["recipient"])
    # Also gives the session a new id: somebody else may know the one from before the sign-in.
    login(request, user)
    return redirect("/")


def refusal(request: HttpRequest, error: SixdigitError) -> HttpResponse:
    sentence = SENTENCES.get(next(iter(error.field_errors), error.reason))
    if sentence is None:
        logging.error("Sixdigit: %s (%s, request %s)", error, error.reason, error.request_id)
        return page(request, "Please try again later.", status=503)
    left = error.facts.get("attempts_remaining")
    if left is not None:
        sentence += f" Attempts left: {left}."
    response = page(request, sentence, status=429 if error.status == 429 else 400)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response


def page(request: HttpRequest, error: str = "", status: int = 200) -> HttpResponse:
    context = {"error": error, "pending": request.session.get("pending")}
    return render(request, "sign_in.html", context, status=status)
