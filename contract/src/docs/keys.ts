import type { ApiScope } from '../route.ts';
import { type Chapter, json } from './chapter.ts';

const scopes: Record<ApiScope, string> = {
  'otp:send': 'Send a code, send it again, cancel it',
  'otp:verify': 'Verify a code',
  'otp:read': 'Read a status, check a destination',
  'otp:own_code': 'Send a code that you have made, report its outcome. In no key by default',
  'events:read': 'Follow requests and webhook messages as they happen. In no key by default',
  'verify_services:write':
    'Change live services, rate limits and the safe list through the calls of Twilio Verify. In no key by default',
  'limits:write': 'Read and change the limits that sends name. In no key by default',
  'templates:write': 'Change templates. In no key by default',
  'recipients:write':
    'Import, count and delete known recipients, read and change suppressed email addresses. In no key by default',
};

const blocked = {
  error: 'Sending to this destination is blocked',
  reason: 'destination_blocked',
  blocked_by: ['client_velocity'],
  blocked_until: '2026-11-21T05:05:00.000Z',
};

/** Scopes, limits and protection, which limit the damage from a stolen key and from fraud. */
export const keys = (): Chapter => ({
  id: 'keys',
  title: 'Keys and limits',
  summary: 'Scopes, spend limits and protection against fraud',
  parts: [
    {
      text: [
        'Give each program its own key with only the scopes that it needs. A key can also have an expiry, allowed networks and a daily credit limit.',
        {
          kind: 'table',
          label: 'Scopes',
          headings: ['Scope', 'Calls'],
          rows: Object.entries(scopes).map(([scope, calls]) => [`\`${scope}\``, calls]),
        },
        'A call that the key does not allow gets 401 with one of these reasons:',
        [
          '`missing_scope`: The key lacks the required scope, which is in `scope`.',
          '`api_key_expired`: The key has expired.',
          '`network_not_allowed`: Your server’s address is not in the key’s allowed networks.',
        ],
        'To replace a secret without downtime, rotate the key. The old secret stays valid for up to seven days, and the list shows when each was last used.',
        '### Spend limits',
        'The account can have a daily and a monthly credit limit under [Protection](/protection#spend). A send over a limit gets 402 `spend_limit_reached` with `resets_at`. While a limit applies, the response to a send has the header `X-Spend-Limit-Remaining`: the credits left before the nearest limit.',
        '### Limits of your own',
        'A limit bounds the codes that one value may cause, such as a visitor’s address or user id. Define it under [Protection](/protection#limits) with a name, a number of sends and a period, and let sends name the values: `"limits": {"signup-ip": "203.0.113.7"}`. A send without room gets 429 `limit_reached` with the name, `retry_after` and `resets_at`; nothing is sent or charged. Values are stored only as keyed hashes.',
        '### Purposes, length and attempts',
        '`purpose`, such as `login`, keeps codes apart: those of different purposes are never the same and never verify each other. `code_length` and `max_attempts` change one code, within the odds of a guess that the account’s own length allows.',
      ],
    },
    {
      text: [
        '### Protection against fraud',
        'With every send from a public form, pass the end user’s IP address as `client_ip`, so that one visitor cannot request many codes. Never pass your own server’s address. A send that looks like fraud is refused at no cost, and the response names the rules.',
        'Numbers whose codes were verified before pass the rules about what others do; `POST /recipients/known/` imports such numbers. The rules are under [Protection](/protection), where you can also check a number. Ask your user to try later or to use another channel. Do not retry before `blocked_until`.',
        'Sends can need a proof of work, always or while a rule is at its limit: [Protection](/protection#proof) and each key have the setting. The refusal `proof_required` contains a challenge of ALTCHA, version 1. Let the page solve it, and repeat the send with the solution as `proof`. `POST /otp/challenges/` makes a challenge in advance.',
      ],
      sample: json(blocked, 'A blocked send'),
    },
  ],
});
