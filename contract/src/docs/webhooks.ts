import type { z } from 'zod';
import { EVENTS, type WebhookEvent, type WebhookMessage } from '../webhooks.ts';
import { type Chapter, json, type Samples } from './chapter.ts';

const meanings: Record<WebhookEvent, string> = {
  sent: 'A carrier accepted the message.',
  delivered: 'The carrier reported the delivery.',
  failed: 'The message could not be delivered, or too many wrong codes were entered.',
  verified: 'The correct code was entered.',
  expired: 'The code expired or was canceled.',
  step: 'The next channel of a plan has started, or was skipped. Off unless you turn it on.',
};

const example: z.infer<typeof WebhookMessage> = {
  type: 'otp.verified',
  timestamp: '2026-11-21T04:55:38.102Z',
  data: {
    otp_id: '01a1fc75-b3f7-7396-89ae-a333c4e5cb77',
    status: 'verified',
    previous_status: 'sent',
    channel: 'sms',
    recipient: '+12025550123',
    api_key: { id: '01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f', name: 'Production' },
    created_at: '2026-11-21T04:55:34.281Z',
    expires_at: '2026-11-21T05:00:34.281Z',
    sent_at: '2026-11-21T04:55:34.492Z',
    delivered_at: null,
    verified_at: '2026-11-21T04:55:38.102Z',
    cost_credits: 1,
    failure: null,
  },
};

const librarySample = `import { Webhook } from 'standardwebhooks'; // also for Python, PHP, Ruby, Go, Java, C# and Rust

// a generated secret (whsec_...)
const event = new Webhook(secret).verify(body, request.headers);

// a secret of your own that does not begin with whsec_ is used as it stands
const sameEvent = new Webhook(ownSecret, { format: 'raw' }).verify(body, request.headers);`;

/** The contents of webhooks and how to verify the signature. The screen loads the receivers later. */
export const webhooks = (receivers?: Samples): Chapter => ({
  id: 'webhooks',
  title: 'Webhooks',
  summary: 'Events for every change of status, and how to verify their signature',
  parts: [
    {
      text: [
        'Add an endpoint under [Webhooks](/webhooks). The service then sends it an event for every status change, following [Standard Webhooks](https://www.standardwebhooks.com).',
        {
          kind: 'table',
          label: 'Events',
          headings: ['type', 'When'],
          rows: EVENTS.map((event) => [`\`otp.${event}\``, meanings[event]]),
        },
        '### Delivery',
        [
          'Respond with any 2xx within 15 seconds, and process the event afterwards. Otherwise the message is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. A 410 turns the endpoint off.',
          'Each message is delivered at least once, in no fixed order: detect duplicates by `webhook-id`, and use `data.status` only if its `timestamp` is newer than the last one.',
        ],
      ],
      sample: json(example, 'A webhook message'),
    },
    {
      text: [
        '### Verify the signature',
        'The header `webhook-signature` holds, after `v1,`, the base64 of the HMAC-SHA-256 over `{webhook-id}.{webhook-timestamp}.{body}`; while a secret is being rotated, it holds several signatures, separated by spaces.',
        'Sign the raw body, before parsing it, and reject timestamps that are more than five minutes off.',
      ],
      sample: { kind: 'samples', label: 'Verify a signature', samples: receivers ?? 'later' },
    },
    {
      text: [
        '### With a library',
        "The key of a generated secret is the base64 after `whsec_`. If your own secret does not begin with `whsec_`, its raw bytes are the key, which the libraries call `format: 'raw'`.",
      ],
      sample: {
        kind: 'code',
        code: librarySample,
        language: 'javascript',
        label: 'Verify with the standardwebhooks library',
      },
    },
  ],
});
