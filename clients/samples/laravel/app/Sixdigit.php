<?php

namespace App;

use GuzzleHttp\Exception\TransferException;
use Illuminate\Http\Client\ConnectionException;
use Illuminate\Http\Client\RequestException;
use Illuminate\Http\Client\Response;
use Illuminate\Support\Facades\Http;
use Illuminate\Support\Str;

/** Sends and verifies codes. Both calls throw a SixdigitException. */
class Sixdigit
{
    public function send(string $channel, string $recipient, ?string $clientIp = null): array
    {
        return $this->post('/otp/send/', [
            'channel' => $channel,
            'recipient' => $recipient,
            'client_ip' => $clientIp,
        ]);
    }

    /** Returns only if the code is right. */
    public function verify(string $otpId, string $code): array
    {
        return $this->post('/otp/verify/', ['otp_id' => $otpId, 'code' => $code]);
    }

    private function post(string $path, array $body): array
    {
        ['url' => $url, 'key' => $key] = config('services.sixdigit');
        try {
            // All attempts have one idempotency key, so that a code is sent and paid for once.
            $response = Http::withHeaders(['X-API-Key' => $key, 'Idempotency-Key' => (string) Str::uuid()])
                ->acceptJson()
                ->timeout(10)
                // Another host must not get the key.
                ->withoutRedirecting()
                ->retry(3, 200, fn ($error) => ! $error instanceof RequestException
                    || in_array($error->response->status(), [502, 503, 504]))
                ->post(rtrim($url, '/').'/api/v1'.$path, array_filter($body, fn ($field) => $field !== null));
        } catch (RequestException $error) {
            throw $this->refusal($error->response);
        } catch (ConnectionException|TransferException) {
            throw new SixdigitException('connection_failed');
        }
        $reply = $response->json();
        return $response->successful() && is_array($reply) ? $reply : throw $this->refusal($response);
    }

    private function refusal(Response $response): SixdigitException
    {
        $body = is_array($response->json()) ? $response->json() : [];
        $reason = $body['reason'] ?? ($response->status() === 400 && $body ? 'invalid_fields' : 'unexpected_response');
        $retryAfter = $response->header('Retry-After');
        return new SixdigitException(
            $reason,
            $response->status(),
            $body,
            ctype_digit($retryAfter) ? (int) $retryAfter : null,
        );
    }
}
