import { Anchor } from '@mantine/core';
import { EVENTS, type WebhookEvent, type WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import type { z } from 'zod';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { PageLink } from '../ui/links.tsx';
import { Near } from '../ui/Near.tsx';
import { Beside, ScrollingTable } from './Chapter.tsx';

const meanings: Record<WebhookEvent, string> = {
  sent: 'A carrier accepted the message.',
  delivered: 'The carrier reported the delivery.',
  failed: 'The message could not be delivered, or too many wrong codes were entered.',
  verified: 'The correct code was entered.',
  expired: 'The code expired or was canceled.',
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

const SignatureSample = lazyPart(async () => (await import('./SignatureSample.tsx')).SignatureSample);

/** The section on webhooks: their contents and how to verify the signature. */
export const Webhooks = () => (
  <>
    <Beside
      sample={<CodeBlock code={JSON.stringify(example, null, 2)} language="json" label="A webhook message" />}
    >
      <p>
        Add an endpoint under <PageLink to="/webhooks">Webhooks</PageLink>. The service then sends it an event
        for every status change, following{' '}
        <Anchor href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer" inherit>
          Standard Webhooks
        </Anchor>
        .
      </p>
      <ScrollingTable label="Events">
        <thead>
          <tr>
            <th scope="col">type</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {EVENTS.map((event) => (
            <tr key={event}>
              <th scope="row">
                <code>otp.{event}</code>
              </th>
              <td>{meanings[event]}</td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
      <h3>Delivery</h3>
      <ul>
        <li>
          Respond with any 2xx within 15 seconds, and process the event afterwards. Otherwise the message is
          sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. A 410 turns the endpoint
          off.
        </li>
        <li>
          Each message is delivered at least once, in no fixed order: detect duplicates by{' '}
          <code>webhook-id</code>, and use <code>data.status</code> only if its <code>timestamp</code> is
          newer than the last one.
        </li>
      </ul>
    </Beside>
    <Beside
      sample={
        <Near>
          <SignatureSample />
        </Near>
      }
    >
      <h3>Verify the signature</h3>
      <p>
        The header <code>webhook-signature</code> holds, after <code>v1,</code>, the base64 of the
        HMAC-SHA-256 over <code>{'{webhook-id}.{webhook-timestamp}.{body}'}</code>; while a secret is being
        rotated, it holds several signatures, separated by spaces.
      </p>
      <p>Sign the raw body, before parsing it, and reject timestamps that are more than five minutes off.</p>
    </Beside>
    <Beside
      sample={
        <CodeBlock
          code={librarySample}
          language="javascript"
          label="Verify with the standardwebhooks library"
        />
      }
    >
      <h3>With a library</h3>
      <p>
        The key of a generated secret is the base64 after <code>whsec_</code>. If your own secret does not
        begin with <code>whsec_</code>, its raw bytes are the key, which the libraries call{' '}
        <code>format: 'raw'</code>.
      </p>
    </Beside>
  </>
);
