import { apiUrl, carrierFacts } from './facts.ts';

const signature = {
  type: 'hmac',
  key: '{signing_key}',
  over: '{body}{timestamp}',
  header: 'x-signature',
  encoding: 'hex',
  // A phone without a connection reports later, and signs then.
  timestamp: { header: 'x-timestamp', within_seconds: 600 },
} as const;

export const android = carrierFacts({
  label: 'SMS Gateway for Android',
  help: 'An Android phone with the SMS Gateway app sends the messages with its own SIM card. No contract is needed.',
  group: 'A phone as a gateway',
  suggestedName: 'android',
  serves: ['sms'],
  reports: 'late',
  fields: [
    {
      name: 'username',
      label: 'User name',
      help: 'On the home screen of the app.',
      receivesSecret: true,
    },
    { name: 'password', label: 'Password', help: 'On the home screen of the app.', isSecret: true },
    {
      name: 'signing_key',
      label: 'Signing key',
      help: 'In the app under Settings, Webhooks. Without it, the address of the reports contains a secret.',
      isSecret: true,
      isOptional: true,
    },
    apiUrl('https://api.sms-gate.app/3rdparty/v1'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/messages',
        auth: { type: 'basic', username: '{username}', password: '{password}' },
        format: 'json',
        body: {
          id: '{id}',
          textMessage: { text: '{text}' },
          phoneNumbers: ['{to}'],
          withDeliveryReport: true,
          ttl: '{seconds_left}',
          priority: 100,
        },
        id: 'id',
        // The message has our id, so a repeated request is not sent twice.
        errors: { http_409: 'accepted' },
      },
      reports: {
        is_registered: true,
        only: { event: ['sms:sent', 'sms:delivered', 'sms:failed'] },
        id: 'payload.messageId',
        our_id: 'payload.messageId',
        status: 'event',
        statuses: { 'sms:sent': 'sent', 'sms:delivered': 'delivered', 'sms:failed': 'failed' },
        proof: signature,
      },
      inbound: {
        only: { event: ['sms:received'] },
        from: 'payload.phoneNumber',
        text: 'payload.message',
        proof: signature,
      },
      check: { url: '{api_url}/messages?limit=1' },
    },
    notes: [
      'A phone sends 10 to 30 messages a minute. Reports come from the phone itself, in any order.',
      'Register a webhook for each of the events sms:sent, sms:delivered and sms:failed, with the address that the console shows; and one for sms:received, with the address for replies. The phone requires HTTPS with a valid certificate.',
      'A message that the phone reports as failed after a temporary error can still arrive.',
    ],
    sources: [
      { what: 'request, states, events and the signature', from: 'code' },
      { what: 'that a repeated id is refused with 409', from: 'elsewhere' },
      { what: 'the address of the credentials check', from: 'elsewhere' },
    ],
  },
});
