import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { basic, type Company, codeOf, json, jwt, key, seconds } from './wire.ts';

/** Companies that sign their reports. */
const ed25519 = generateKeyPairSync('ed25519');
const otherEd25519 = generateKeyPairSync('ed25519');

export const SIGNING: readonly Company[] = [
  {
    kind: 'vonage',
    fields: {
      api_key: 'abcd1234',
      api_secret: 'vonage-secret',
      from: 'Acme',
      signing_key: 'vonage-signature-secret',
    },
    path: /^\/v1\/messages$/,
    isAuthorized: (headers) => headers.authorization === basic('abcd1234:vonage-secret'),
    read(request) {
      const { to, text, client_ref, webhook_url, ttl, channel, message_type } = json(request);
      if (channel !== 'sms' || message_type !== 'text' || /\D/.test(to))
        throw new Error('Not a text to a number');
      return { to: `+${to}`, text, reference: client_ref, report_url: webhook_url, seconds: ttl };
    },
    accepted: ({ id }) => ({ status: 202, body: { message_uuid: id } }),
    refusals: {
      permanent: [
        422,
        { type: 'https://developer.vonage.com/api-errors/messages#1170', title: 'Invalid number' },
      ],
      retry: [429, { type: 'https://developer.vonage.com/api-errors#throttled', title: 'Rate limit hit' }],
      carrier_down: [402, { type: 'https://developer.vonage.com/api-errors#low-balance' }],
    },
    words: { sent: 'submitted', delivered: 'delivered', failed: 'rejected' },
    report: ({ id, to, reference }, status, meaning) => ({
      message_uuid: id,
      to: to.slice(1),
      from: 'Acme',
      timestamp: '2026-11-29T12:00:00Z',
      status,
      client_ref: reference,
      channel: 'sms',
      usage: { currency: 'EUR', price: '0.0333' },
      ...(meaning === 'failed' && {
        error: { type: 'https://developer.vonage.com/api-errors/messages#1250', title: '1250' },
      }),
    }),
    text: (from, text) => ({ channel: 'sms', message_uuid: 'm1', to: '1800', from: from.slice(1), text }),
    sign: ({ body, at, forged }) => ({
      authorization: jwt(
        {
          iat: Math.floor(at.getTime() / 1_000),
          jti: 'j1',
          iss: 'Vonage',
          api_key: 'abcd1234',
          payload_hash: createHash('sha256').update(body).digest('hex'),
        },
        key(forged, 'vonage-signature-secret'),
      ),
    }),
  },
  {
    kind: 'telnyx',
    fields: {
      api_key: 'telnyx-api-key',
      from: '+18005550199',
      signing_key: ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64'),
    },
    path: /^\/v2\/messages$/,
    isAuthorized: (headers) => headers.authorization === 'Bearer telnyx-api-key',
    read(request) {
      const { to, text, webhook_url } = json(request);
      return { to, text, report_url: webhook_url };
    },
    accepted: ({ id, to }) => ({
      status: 200,
      body: { data: { id, record_type: 'message', to: [{ phone_number: to, status: 'queued' }] } },
    }),
    refusals: {
      opted_out: [400, { errors: [{ code: '40300', title: 'Blocked due to STOP message' }] }],
      permanent: [422, { errors: [{ code: '40310', title: "Invalid 'to' address" }] }],
      retry: [429, { errors: [{ code: '10011', title: 'Too many requests' }] }],
      carrier_down: [401, { errors: [{ code: '10009', title: 'Authentication failed' }] }],
    },
    words: { sent: 'sent', delivered: 'delivered', failed: 'delivery_failed', opted_out: 'delivery_failed' },
    report: ({ id, to }, status, meaning) => ({
      data: {
        event_type: status === 'sent' ? 'message.sent' : 'message.finalized',
        id: 'e1',
        occurred_at: '2026-11-29T12:00:00.000+00:00',
        payload: {
          id,
          to: [{ phone_number: to, status, carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless' }],
          errors: codeOf({ failed: '40008', opted_out: '40300' }, meaning).map((code) => ({ code })),
          cost: { amount: '0.0051', currency: 'USD' },
        },
      },
      meta: { attempt: 1 },
    }),
    text: (from, text) => ({
      data: {
        event_type: 'message.received',
        payload: { from: { phone_number: from }, to: [{ phone_number: '+18005550199' }], text },
      },
    }),
    sign: ({ body, at, forged }) => ({
      'telnyx-timestamp': seconds(at),
      'telnyx-signature-ed25519': sign(
        null,
        Buffer.from(`${seconds(at)}|${body}`),
        forged ? otherEd25519.privateKey : ed25519.privateKey,
      ).toString('base64'),
    }),
  },
  {
    kind: 'plivo',
    fields: { auth_id: 'MA1234567890', auth_token: 'plivo-auth-token', from: '+18005550199' },
    path: /^\/v1\/Account\/MA1234567890\/Message\/$/,
    isAuthorized: (headers) => headers.authorization === basic('MA1234567890:plivo-auth-token'),
    read(request) {
      const { dst, text, url, log, message_expiry } = json(request);
      if (log !== 'false') throw new Error('The text would be logged');
      return { to: `+${dst}`, text, report_url: url, seconds: message_expiry };
    },
    accepted: ({ id }) => ({
      status: 202,
      body: { api_id: 'a1', message: 'message(s) queued', message_uuid: [id] },
    }),
    refusals: { carrier_down: [402, { api_id: 'a1', error: 'insufficient credit' }] },
    words: { sent: 'sent', delivered: 'delivered', failed: 'undelivered', opted_out: 'failed' },
    isForm: true,
    report: ({ id, to }, Status, meaning) => ({
      MessageUUID: id,
      From: '18005550199',
      To: to.slice(1),
      Status,
      Units: '1',
      TotalAmount: '0.00550',
      ErrorCode: codeOf({ failed: '90', opted_out: '200' }, meaning)[0] ?? '',
    }),
    text: (From, Text) => ({ From: From.slice(1), To: '18005550199', Text, Type: 'sms', MessageUUID: 'm1' }),
    sign: ({ url, body, forged }) => {
      const form = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1));
      const address = url.includes('?') ? `${url}.` : `${url}?`;
      const nonce = '12345678901234567890';
      const signed = `${address}${form.flat().join('')}.${nonce}`;
      const right = createHmac('sha256', key(forged, 'plivo-auth-token')).update(signed).digest('base64');
      return {
        'x-plivo-signature-v3': `${Buffer.alloc(32).toString('base64')},${right}`,
        'x-plivo-signature-v3-nonce': nonce,
      };
    },
  },
  {
    kind: 'gatewayapi',
    fields: { api_token: 'gatewayapi-token', from: 'Acme', signing_key: 'gatewayapi-webhook-key' },
    path: /^\/mobile\/single$/,
    isAuthorized: (headers) => headers.authorization === 'Token gatewayapi-token',
    read(request) {
      const { recipient, message, reference, expiration } = json(request);
      if (typeof recipient !== 'number') throw new Error('The recipient is not a number');
      if (String(reference).length > 64) throw new Error('The reference is too long');
      const life = Number(/^PT(\d+)S$/.exec(expiration)?.[1]);
      return { to: `+${recipient}`, text: message, reference, seconds: life };
    },
    accepted: ({ id, to, reference }) => ({
      status: 202,
      body: { msg_id: id, recipient: Number(to.slice(1)), reference },
    }),
    refusals: { carrier_down: [401, { message: 'Unauthorized' }] },
    words: { sent: 'ENROUTE', delivered: 'DELIVERED', failed: 'UNDELIVERABLE' },
    report: ({ id, to, reference }, status) => ({
      event_id: 'e1',
      timestamp: '2026-11-29T12:00:00.000000+00:00',
      event_type: 'message.status.sms',
      event: { msg_id: id, recipient: Number(to.slice(1)), reference, status },
    }),
    sign: ({ body, forged }) => ({
      signature: `v1=${createHmac('sha256', key(forged, 'gatewayapi-webhook-key')).update(body).digest('hex')}`,
    }),
  },
  {
    kind: 'bird',
    fields: {
      workspace_id: 'w1',
      channel_id: 'c1',
      api_key: 'bird-access-key',
      signing_key: 'bird-signing-key',
    },
    path: /^\/workspaces\/w1\/channels\/c1\/messages$/,
    isAuthorized: (headers) => headers.authorization === 'AccessKey bird-access-key',
    read(request) {
      const { receiver, body, reference } = json<{
        receiver: { contacts: { identifierValue: string }[] };
        body: { text: { text: string } };
        reference: string;
      }>(request);
      return { to: receiver.contacts[0]?.identifierValue ?? '', text: body.text.text, reference };
    },
    accepted: ({ id, reference }) => ({ status: 202, body: { id, reference, status: 'accepted' } }),
    refusals: { carrier_down: [401, { code: 'Unauthorized', message: 'bad key' }] },
    words: { sent: 'sent', delivered: 'delivered', failed: 'delivery_failed' },
    report: ({ id, reference }, status) => ({
      service: 'channels',
      event: 'sms.outbound',
      payload: { id, reference, status, channelId: 'c1' },
    }),
    text: (from, text) => ({
      service: 'channels',
      event: 'sms.inbound',
      payload: {
        sender: { contact: { identifierValue: from } },
        body: { type: 'text', text: { text } },
      },
    }),
    sign: ({ url, body, at, forged }) => {
      const signed = Buffer.concat([
        Buffer.from(`${seconds(at)}\n${url}\n`),
        createHash('sha256').update(body).digest(),
      ]);
      return {
        'messagebird-request-timestamp': seconds(at),
        'messagebird-signature': createHmac('sha256', key(forged, 'bird-signing-key'))
          .update(signed)
          .digest('base64'),
      };
    },
  },
];
