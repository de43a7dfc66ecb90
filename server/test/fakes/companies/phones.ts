import { createHmac } from 'node:crypto';
import { basic, type Company, json, jwt, key, seconds } from './wire.ts';

/** Phones that send with their own SIM card. */
export const PHONES: readonly Company[] = [
  {
    kind: 'httpsms',
    fields: { api_key: 'httpsms-api-key', from: '+18005550199', signing_key: 'httpsms-signing-key' },
    path: /^\/v1\/messages\/send$/,
    isAuthorized: (headers) => headers['x-api-key'] === 'httpsms-api-key',
    read(request) {
      const { to, content, request_id } = json(request);
      return { to, text: content, reference: request_id };
    },
    accepted: ({ id }) => ({ status: 200, body: { data: { id, status: 'pending' }, status: 'success' } }),
    refusals: { carrier_down: [401, { message: 'You are not authorized.', status: 'error' }] },
    words: {
      sent: 'message.phone.sent',
      delivered: 'message.phone.delivered',
      failed: 'message.send.failed',
    },
    report: ({ id, to, reference }, type) => ({
      specversion: '1.0',
      id: '6f2b9f6e',
      type,
      data: { id, owner: '+18005550199', contact: to, request_id: reference, sim: 'SIM1' },
    }),
    text: (from, content) => ({
      type: 'message.phone.received',
      data: { message_id: 'm1', owner: '+18005550199', contact: from, content },
    }),
    sign: ({ at, forged }) => {
      const now = Math.floor(at.getTime() / 1_000);
      const claims = { aud: 'us', exp: now + 600, iat: now, nbf: now - 600, iss: 'api.httpsms.com' };
      return { authorization: jwt(claims, key(forged, 'httpsms-signing-key')) };
    },
  },
  {
    kind: 'android',
    fields: { username: 'phone', password: 'phone-password', signing_key: 'android-signing-key' },
    path: /^\/messages$/,
    isAuthorized: (headers) => headers.authorization === basic('phone:phone-password'),
    read(request) {
      const { id, textMessage, phoneNumbers, withDeliveryReport, ttl } = json(request);
      if (withDeliveryReport !== true) throw new Error('No delivery report is requested');
      return { to: String(phoneNumbers[0]), text: textMessage.text, id, seconds: ttl };
    },
    accepted: ({ id }) => ({ status: 202, body: { id, state: 'Pending', recipients: [] } }),
    refusals: { carrier_down: [401, { message: 'Unauthorized' }] },
    words: { sent: 'sms:sent', delivered: 'sms:delivered', failed: 'sms:failed' },
    report: ({ id, to }, event) => ({
      id: 'w1',
      webhookId: 'hook',
      event,
      deviceId: 'device',
      payload: { messageId: id, phoneNumber: to, simNumber: 1, partsCount: 1 },
    }),
    text: (from, message) => ({
      event: 'sms:received',
      payload: { messageId: 'm1', phoneNumber: from, message, simNumber: 1 },
    }),
    sign: ({ body, at, forged }) => ({
      'x-timestamp': seconds(at),
      'x-signature': createHmac('sha256', key(forged, 'android-signing-key'))
        .update(body + seconds(at))
        .digest('hex'),
    }),
  },
];
