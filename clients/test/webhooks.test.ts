import { verifyWebhook } from 'sixdigit';
import { expect, test } from 'vitest';
import { signedHeaders } from '../../server/src/platform/signing/standard-webhooks.ts';
import { fixture } from '../../server/test/fixture.ts';
import { startPython } from './python.ts';

const python = fixture(startPython);

const NEW = `whsec_${Buffer.from('the new secret of an endpoint').toString('base64')}`;
const OLD = `whsec_${Buffer.from('the old secret of an endpoint').toString('base64')}`;
const PLAIN = 'a secret of our own';
const NOW = new Date('2026-11-26T12:00:00Z');
const body = JSON.stringify({ type: 'otp.verified', data: { recipient: 'zoë@example.com' } });
const signed = (secrets: string[], at = NOW, text = body) =>
  signedHeaders({ id: 'msg_1', at, body: text }, secrets);
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

interface Case {
  headers: Record<string, string>;
  secret: string | string[];
  text?: string;
  tolerance?: number;
}

/** The event's type, or the reason of the refusal, in every language. */
async function verified({ headers, secret, text = body, tolerance = 300 }: Case): Promise<string[]> {
  const received = { headers, secret, now: NOW, toleranceSeconds: tolerance };
  const inTypeScript = (of: object) =>
    verifyWebhook({ ...received, body: text, ...of }).then(
      (event) => event.type,
      (error) => error.reason,
    );
  const args = { headers, secret, body: text, now: NOW.getTime() / 1000, tolerance_seconds: tolerance };
  const inPython = python.call({ call: 'verify_webhook', args }).then(
    (event) => (event as { type: string }).type,
    (error) => error.details.reason,
  );
  return Promise.all([
    inTypeScript({}),
    inTypeScript({ body: Buffer.from(text), headers: new Headers(headers) }),
    inPython,
  ]);
}

const genuine: [string, Case][] = [
  ['one secret', { headers: signed([NEW]), secret: NEW }],
  ['a plain secret', { headers: signed([PLAIN]), secret: PLAIN }],
  ['both secrets of a rotation', { headers: signed([NEW, OLD]), secret: OLD }],
  ['the old secret, while the receiver knows both', { headers: signed([OLD]), secret: [NEW, OLD] }],
  ['a timestamp 300 seconds old', { headers: signed([NEW], later(-300)), secret: NEW }],
  ['a timestamp 300 seconds ahead', { headers: signed([NEW], later(300)), secret: NEW }],
  [
    'a timestamp within a longer tolerance',
    { headers: signed([NEW], later(-600)), secret: NEW, tolerance: 600 },
  ],
  [
    'another version beside it',
    {
      headers: { ...signed([NEW]), 'webhook-signature': `v1a,AAAA ${signed([NEW])['webhook-signature']}` },
      secret: NEW,
    },
  ],
  [
    'capital letters in header names',
    {
      headers: Object.fromEntries(
        Object.entries(signed([NEW])).map(([name, value]) => [name.toUpperCase(), value]),
      ),
      secret: NEW,
    },
  ],
];

test.each(genuine)('a webhook signed with %s is genuine', async (_, given) => {
  expect(await verified(given)).toEqual(Array(3).fill('otp.verified'));
});

const forged: [string, Case][] = [
  ['another secret', { headers: signed([OLD]), secret: NEW }],
  ['another body', { headers: signed([NEW]), secret: NEW, text: `${body} ` }],
  ['another id', { headers: { ...signed([NEW]), 'webhook-id': 'msg_2' }, secret: NEW }],
  ['a timestamp 301 seconds old', { headers: signed([NEW], later(-301)), secret: NEW }],
  ['a timestamp 301 seconds ahead', { headers: signed([NEW], later(301)), secret: NEW }],
  [
    'a timestamp beyond a shorter tolerance',
    { headers: signed([NEW], later(-61)), secret: NEW, tolerance: 60 },
  ],
  [
    'a re-dated timestamp',
    {
      headers: { ...signed([NEW], later(-900)), 'webhook-timestamp': signed([NEW])['webhook-timestamp'] },
      secret: NEW,
    },
  ],
  [
    'a timestamp that is not a number',
    { headers: { ...signed([NEW]), 'webhook-timestamp': 'now' }, secret: NEW },
  ],
  ['no signature', { headers: { ...signed([NEW]), 'webhook-signature': '' }, secret: NEW }],
  ['an empty signature', { headers: { ...signed([NEW]), 'webhook-signature': 'v1,' }, secret: NEW }],
  [
    'a signature that is not base64',
    { headers: { ...signed([NEW]), 'webhook-signature': 'v1,ä*' }, secret: NEW },
  ],
  [
    'the signature under another version',
    {
      headers: {
        ...signed([NEW]),
        'webhook-signature': signed([NEW])['webhook-signature'].replace('v1,', 'v2,'),
      },
      secret: NEW,
    },
  ],
  ['no headers', { headers: {}, secret: NEW }],
  ['a body that is not an object', { headers: signed([NEW], NOW, '[]'), secret: NEW, text: '[]' }],
];

test.each(forged)('a webhook with %s is refused', async (_, given) => {
  expect(await verified(given)).toEqual(Array(3).fill('invalid_signature'));
});

test.each(['', 'whsec_', 'whsec_*'])('the secret %j is an error of the receiver', async (secret) => {
  await expect(verifyWebhook({ body, headers: signed([NEW]), secret, now: NOW })).rejects.toThrow(TypeError);
  const args = { body, headers: signed([NEW]), secret, now: NOW.getTime() / 1000 };
  await expect(python.call({ call: 'verify_webhook', args })).rejects.toMatchObject({
    details: { reason: 'ValueError' },
  });
});
