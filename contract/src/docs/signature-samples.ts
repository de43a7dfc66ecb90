import type { Samples } from './chapter.ts';

/** Receivers that check the signature without a library: Standard Webhooks needs only an HMAC. */
export const signatureSamples: Samples = {
  javascript: `// Save as receive.mjs, then: WEBHOOK_SECRET='whsec_...' node receive.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET;
const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);

function isGenuine(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  return isFresh && signatures.some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function receive(request, response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > 100_000) return response.writeHead(413, { connection: 'close' }).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks); // the raw bytes, before parsing
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const event = JSON.parse(body);
  console.log(event.type, event.data?.otp_id, event.data?.status);
  response.writeHead(204).end();
}

createServer((request, response) => {
  // A truncated or invalid body fails this request, not the server.
  receive(request, response).catch(() => response.headersSent || response.writeHead(400).end());
}).listen(Number(process.env.PORT ?? 4000));`,

  python: `# Save as receive.py, then: WEBHOOK_SECRET='whsec_...' python3 receive.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ["WEBHOOK_SECRET"]
key = base64.b64decode(secret[6:] + "==") if secret.startswith("whsec_") else secret.encode()


def is_genuine(headers, body):
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds to wait for a sender that stops in the middle

    def do_POST(self):
        try:
            status = self.receive()
        except (OSError, ValueError, LookupError, TypeError):
            status = 400  # a truncated or invalid body fails this request alone
        self.close_connection = True
        try:
            self.send_response(status)
            self.end_headers()
        except OSError:
            pass  # the sender is gone

    def receive(self):
        length = int(self.headers.get("content-length", "0"))
        if not 0 <= length <= 100_000:
            return 413
        body = self.rfile.read(length)
        if not is_genuine(self.headers, body):
            return 401
        event = json.loads(body)
        print(event["type"], event["data"].get("otp_id"), event["data"].get("status"), flush=True)
        return 204


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()`,

  php: `<?php
// Save as receive.php, then: WEBHOOK_SECRET='whsec_...' php -S 127.0.0.1:4000 receive.php
$secret = getenv('WEBHOOK_SECRET');
$key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;

$body = file_get_contents('php://input', false, null, 0, 100001);
if (strlen($body) > 100000) {
    http_response_code(413);
    exit;
}
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$expected = 'v1,' . base64_encode(hash_hmac('sha256', $id . '.' . $timestamp . '.' . $body, $key, true));

$isGenuine = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
    $isGenuine = $isGenuine || hash_equals($expected, $signature);
}
if (!$isGenuine || abs(time() - (int) $timestamp) > 300) {
    http_response_code(401);
    exit;
}

$event = json_decode($body, true);
if (!is_array($event) || !is_array($event['data'] ?? null)) {
    http_response_code(400);
    exit;
}
error_log($event['type'] . ' ' . ($event['data']['otp_id'] ?? '') . ' ' . ($event['data']['status'] ?? ''));
http_response_code(204);`,

  curl: `# With WEBHOOK_SECRET set: signs a message as the service does, and posts it to your receiver.
BODY='{"type":"webhook.test","data":{"otp_id":"0","status":"sent"}}'
ID='msg_by_hand'
TIMESTAMP=$(date +%s)
case "$WEBHOOK_SECRET" in
  whsec_*) KEY=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n') ;;
  *) KEY=$(printf %s "$WEBHOOK_SECRET" | od -An -v -tx1 | tr -d ' \\n') ;;
esac
SIGNATURE=$(printf %s "$ID.$TIMESTAMP.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
curl -i "http://127.0.0.1:\${PORT:-4000}/" \\
  -H 'Content-Type: application/json' \\
  -H "webhook-id: $ID" \\
  -H "webhook-timestamp: $TIMESTAMP" \\
  -H "webhook-signature: v1,$SIGNATURE" \\
  -d "$BODY"`,
};
