import { apiUrl, carrierFacts, senderField, sendersField } from './facts.ts';

const signature = {
  type: 'hmac',
  key: '{signing_key}',
  over: '{body}',
  header: 'signature',
  prefix: 'v1=',
  encoding: 'hex',
} as const;

export const gatewayapi = carrierFacts({
  label: 'GatewayAPI',
  help: 'GatewayAPI’s Mobile Messaging API.',
  group: 'Message company',
  home: 'DK',
  suggestedName: 'gatewayapi',
  serves: ['sms'],
  reports: 'quick',
  fields: [
    { name: 'api_token', label: 'API token', help: 'In the dashboard under API Keys.', isSecret: true },
    senderField(),
    sendersField,
    {
      name: 'signing_key',
      label: 'Webhook key',
      help: 'The secret key of the webhook that you add there for delivery reports. Without it, the address contains a secret.',
      isSecret: true,
      isOptional: true,
    },
    {
      ...apiUrl('https://messaging.gatewayapi.com'),
      help: 'https://messaging.gatewayapi.eu for accounts of the EU.',
    },
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/mobile/single',
        auth: { type: 'header', name: 'Authorization', value: 'Token {api_token}' },
        format: 'json',
        body: {
          sender: '{from}',
          recipient: '{to_number}',
          message: '{text}',
          reference: '{reference}',
          expiration: 'PT{seconds_left}S',
        },
        seconds_left: [60, 432_000],
        id: 'msg_id',
        error: 'code',
        errors: { http_402: 'carrier_down' },
      },
      reports: {
        is_registered: true,
        only: { event_type: ['message.status.sms', 'messaging.status.sms'] },
        id: 'event.msg_id',
        reference: 'event.reference',
        status: 'event.status',
        statuses: {
          SCHEDULED: 'other',
          BUFFERED: 'other',
          ENROUTE: 'sent',
          ACCEPTED: 'sent',
          DELIVERED: 'delivered',
          EXPIRED: 'failed',
          DELETED: 'failed',
          UNDELIVERABLE: 'failed',
          REJECTED: 'failed',
          SKIPPED: 'failed',
          UNKNOWN: 'other',
        },
        error: 'event.code',
        proof: signature,
      },
    },
    notes: [
      'Add a webhook in the dashboard with the address that the console shows. Reports that get no response are repeated for at least 24 hours.',
    ],
    sources: [
      { what: 'request, response, the envelope of reports and the signature', from: 'document' },
      { what: 'the fields and statuses within a report', from: 'elsewhere' },
    ],
  },
});
