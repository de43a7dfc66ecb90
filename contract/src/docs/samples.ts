import { sendOtp, verifyOtp } from '../otp.ts';
import type { Facts, Samples } from './chapter.ts';
import { keyInShell, sendCurl } from './curl.ts';

/** The code samples. Each runs as pasted, without further installation, once API_KEY is set. */

/** Quotes a string literal for JavaScript and Python. */
const quoted = (text: string): string => JSON.stringify(text);
const phpQuoted = (text: string): string => `'${text.replace(/['\\]/g, String.raw`\$&`)}'`;

/** The beginning of a command with the selected key. Its secret is not known here. */
const withKey = (prefix?: string): string => (prefix ? `API_KEY='${prefix}...' ` : '');

export function sendSamples({ apiUrl, target, keyPrefix: prefix }: Facts): Samples {
  const url = apiUrl + sendOtp.path;
  return {
    javascript: `// Save as send.mjs, then: ${withKey(prefix)}node send.mjs
const response = await fetch(${quoted(url)}, {
  method: 'POST',
  headers: {
    'X-API-Key': process.env.API_KEY,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    channel: ${quoted(target.channel)},
    recipient: ${quoted(target.recipient)},
  }),
});
const answer = await response.json();
console.log(response.status, answer);`,

    python: `# Save as send.py, then: ${withKey(prefix)}python3 send.py
import json, os
from urllib import error, request

call = request.Request(
    ${quoted(url)},
    data=json.dumps({
        "channel": ${quoted(target.channel)},
        "recipient": ${quoted(target.recipient)},
    }).encode(),
    headers={"X-API-Key": os.environ["API_KEY"], "Content-Type": "application/json"},
)
try:
    response = request.urlopen(call)
except error.HTTPError as refusal:
    response = refusal
print(response.status, json.load(response))`,

    php: `<?php
// Save as send.php, then: ${withKey(prefix)}php send.php
$response = file_get_contents(${phpQuoted(url)}, false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['X-API-Key: ' . getenv('API_KEY'), 'Content-Type: application/json'],
    'content' => json_encode([
        'channel' => ${phpQuoted(target.channel)},
        'recipient' => ${phpQuoted(target.recipient)},
    ]),
    'ignore_errors' => true,
]]));
echo $http_response_header[0], PHP_EOL;
print_r(json_decode($response, true));`,

    curl: sendCurl(apiUrl, target, prefix),
  };
}

export function verifySamples({ apiUrl, keyPrefix: prefix }: Facts): Samples {
  const url = apiUrl + verifyOtp.path;
  return {
    javascript: `// Save as verify.mjs, then: ${withKey(prefix)}node verify.mjs <otp_id> <code>
const [otp_id, code] = process.argv.slice(2);
const response = await fetch(${quoted(url)}, {
  method: 'POST',
  headers: { 'X-API-Key': process.env.API_KEY, 'Content-Type': 'application/json' },
  body: JSON.stringify({ otp_id, code }),
});
const answer = await response.json();
console.log(response.status, answer);`,

    python: `# Save as verify.py, then: ${withKey(prefix)}python3 verify.py <otp_id> <code>
import json, os, sys
from urllib import error, request

otp_id, code = sys.argv[1:3]
call = request.Request(
    ${quoted(url)},
    data=json.dumps({"otp_id": otp_id, "code": code}).encode(),
    headers={"X-API-Key": os.environ["API_KEY"], "Content-Type": "application/json"},
)
try:
    response = request.urlopen(call)
except error.HTTPError as refusal:
    response = refusal
print(response.status, json.load(response))`,

    php: `<?php
// Save as verify.php, then: ${withKey(prefix)}php verify.php <otp_id> <code>
[, $otpId, $code] = $argv;
$response = file_get_contents(${phpQuoted(url)}, false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['X-API-Key: ' . getenv('API_KEY'), 'Content-Type: application/json'],
    'content' => json_encode(['otp_id' => $otpId, 'code' => $code]),
    'ignore_errors' => true,
]]));
echo $http_response_header[0], PHP_EOL;
print_r(json_decode($response, true));`,

    curl: `printf 'otp_id: ' && read -r OTP_ID && printf 'Code: ' && read -r CODE && \\
curl -X POST ${url} \\
  -H "X-API-Key: ${keyInShell(prefix)}" \\
  -H "Content-Type: application/json" \\
  -d "{\\"otp_id\\": \\"$OTP_ID\\", \\"code\\": \\"$CODE\\"}"`,
  };
}
