import { basic, type Company, json, type Sent } from './wire.ts';

/** Companies that sign nothing. */
const GROUPS: Record<string, string> = { sent: 'DELIVERED', delivered: 'DELIVERED', failed: 'REJECTED' };

export const UNSIGNED: readonly Company[] = [
  {
    kind: 'sinch',
    fields: { service_plan_id: 'plan1', api_token: 'sinch-token', from: '18005550199' },
    path: /^\/xms\/v1\/plan1\/batches$/,
    isAuthorized: (headers) => headers.authorization === 'Bearer sinch-token',
    read(request) {
      const { to, body, callback_url, client_reference, delivery_report } = json<
        Omit<Sent, 'to'> & { to: string[] }
      >(request);
      if (delivery_report !== 'per_recipient') throw new Error('No delivery report is requested');
      return { to: `+${to[0]}`, text: body, report_url: callback_url, reference: client_reference };
    },
    accepted: ({ id, to }) => ({ status: 201, body: { id, to: [to.slice(1)], canceled: false } }),
    refusals: { carrier_down: [401, {}], retry: [429, {}] },
    words: { sent: 'Dispatched', delivered: 'Delivered', failed: 'Failed' },
    report: ({ id, to, reference }, status, meaning) => ({
      type: 'recipient_delivery_report_sms',
      batch_id: id,
      recipient: to.slice(1),
      code: meaning === 'failed' ? 402 : 0,
      status,
      at: '2026-11-29T12:00:00.000Z',
      client_reference: reference,
    }),
    text: (from, body) => ({ type: 'mo_text', id: 'm1', from: from.slice(1), to: '18005550199', body }),
  },
  {
    kind: 'infobip',
    fields: { api_key: 'infobip-key', from: 'Acme' },
    path: /^\/sms\/3\/messages$/,
    isAuthorized: (headers) => headers.authorization === 'App infobip-key',
    read(request) {
      const [message] = json<{ messages: unknown }>(request).messages as {
        destinations: { to: string }[];
        content: { text: string };
        webhooks: { delivery: { url: string }; callbackData: string };
      }[];
      const { destinations, content, webhooks } = message as NonNullable<typeof message>;
      return {
        to: `+${destinations[0]?.to}`,
        text: content.text,
        report_url: webhooks.delivery.url,
        reference: webhooks.callbackData,
      };
    },
    accepted: ({ id, to }) => ({
      status: 200,
      body: {
        bulkId: 'b1',
        messages: [{ messageId: id, to, status: { groupId: 1, groupName: 'PENDING', id: 26 } }],
      },
    }),
    refusals: {
      carrier_down: [
        401,
        { requestError: { serviceException: { messageId: 'UNAUTHORIZED', text: 'Invalid login details' } } },
      ],
    },
    words: { sent: 'DELIVERED_TO_OPERATOR', delivered: 'DELIVERED_TO_HANDSET', failed: 'REJECTED_NETWORK' },
    report: ({ id, to, reference }, name, meaning) => ({
      messageId: id,
      to,
      sentAt: '2026-11-29T12:00:00.000+0000',
      smsCount: 1,
      callbackData: reference,
      mccMnc: '310260',
      price: { pricePerMessage: 0.01, currency: 'EUR' },
      status: { id: 5, name, groupName: GROUPS[meaning ?? ''] ?? 'NEW_GROUP' },
      error: { id: 0, name: meaning === 'failed' ? 'EC_ABSENT_SUBSCRIBER' : 'NO_ERROR', permanent: false },
    }),
    batch: (results) => ({ results }),
    text: (from, text) => ({ results: [{ messageId: 'm1', from: from.slice(1), to: '1800', text }] }),
  },
  {
    kind: '46elks',
    fields: { username: 'u1234', password: 'elks-password', from: 'Acme' },
    path: /^\/a1\/sms$/,
    isAuthorized: (headers) => headers.authorization === basic('u1234:elks-password'),
    read({ text, headers }) {
      if (!String(headers['content-type']).startsWith('application/x-www-form-urlencoded'))
        throw new Error('Not a form');
      const form = new URLSearchParams(text);
      const { to = '', message = '', whendelivered } = Object.fromEntries(form);
      return { to, text: message, report_url: whendelivered };
    },
    accepted: ({ id, to }) => ({
      status: 200,
      body: { id, to, status: 'created', direction: 'outgoing', cost: 5_200 },
    }),
    refusals: { carrier_down: [401, 'Unauthorized'] },
    words: { sent: 'sent', delivered: 'delivered', failed: 'failed' },
    isForm: true,
    report: ({ id }, status) => ({ id, status }),
    text: (from, message) => ({ id: 'm1', from, to: '+46700000000', message, direction: 'incoming' }),
  },
];
