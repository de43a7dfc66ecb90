<?php

namespace App\Http\Controllers;

use App\Sixdigit;
use App\SixdigitException;
use Illuminate\Http\Request;

/** Signs people in with a code by SMS or email. */
class SignInController
{
    // What the person reads. Every other problem is the operator's.
    private const SENTENCES = [
        'recipient' => 'Please check the phone number or email address.',
        'code' => 'That code is wrong.',
        'invalid_code' => 'That code is wrong.',
        'otp_expired' => 'That code has expired. Please request a new code.',
        'otp_closed' => 'Please request a new code.',
        'otp_not_found' => 'Please request a new code.',
        'otp_already_verified' => 'Please request a new code.',
        'max_attempts_reached' => 'Too many wrong codes. Please request a new code.',
        'recipient_rate_limited' => 'Too many codes were requested. Please try again later.',
        'recipient_opted_out' => 'This number has opted out of messages.',
        'destination_blocked' => 'Codes cannot be sent to this number.',
    ];

    public function __construct(private Sixdigit $sixdigit)
    {
    }

    public function home(Request $request)
    {
        $user = $request->session()->get('user');
        return $user ? response("Signed in as $user", 200, ['Content-Type' => 'text/plain']) : redirect('/sign-in');
    }

    public function form(Request $request)
    {
        return $this->page($request);
    }

    public function send(Request $request)
    {
        $recipient = $this->field($request, 'recipient');
        $channel = str_contains($recipient, '@') ? 'email' : 'sms';
        try {
            $sent = $this->sixdigit->send($channel, $recipient, $request->ip());
        } catch (SixdigitException $error) {
            return $this->refusal($request, $error);
        }
        // In the session and not in a form: a code works only in the browser that requested it.
        $request->session()->put('pending', ['otp_id' => $sent['otp_id'], 'recipient' => $sent['recipient']]);
        return redirect('/sign-in');
    }

    public function verify(Request $request)
    {
        $pending = $request->session()->get('pending');
        if (! $pending) {
            return $this->page($request, 'Please request a new code.', 400);
        }
        try {
            $this->sixdigit->verify($pending['otp_id'], $this->field($request, 'code'));
        } catch (SixdigitException $error) {
            return $this->refusal($request, $error);
        }
        // A new id: somebody else may know the one from before the sign-in.
        $request->session()->invalidate();
        // With a model of users: Auth::login(User::firstOrCreate(['phone' => $pending['recipient']]));
        $request->session()->put('user', $pending['recipient']);
        return redirect('/');
    }

    private function field(Request $request, string $name): string
    {
        $value = $request->input($name);
        return is_string($value) ? $value : '';
    }

    private function refusal(Request $request, SixdigitException $error)
    {
        $key = $error->reason === 'invalid_fields' ? array_key_first($error->facts) : $error->reason;
        $sentence = self::SENTENCES[$key] ?? null;
        if ($sentence === null) {
            report($error);
            return $this->page($request, 'Please try again later.', 503);
        }
        $left = $error->facts['attempts_remaining'] ?? null;
        $response = $this->page(
            $request,
            $left === null ? $sentence : "$sentence Attempts left: $left.",
            $error->status === 429 ? 429 : 400,
        );
        return $error->retryAfter === null ? $response : $response->header('Retry-After', $error->retryAfter);
    }

    private function page(Request $request, string $error = '', int $status = 200)
    {
        $pending = $request->session()->get('pending');
        return response()->view('sign-in', ['error' => $error, 'pending' => $pending], $status);
    }
}
