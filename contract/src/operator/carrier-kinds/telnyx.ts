import { apiUrl, carrierFacts, senderField, sendersField } from './facts.ts';

const signature = {
  type: 'ed25519',
  key: '{signing_key}',
  over: '{timestamp}|{body}',
  header: 'telnyx-signature-ed25519',
  encoding: 'base64',
  timestamp: { header: 'telnyx-timestamp', within_seconds: 300 },
} as const;

export const telnyx = carrierFacts({
  label: 'Telnyx',
  help: 'Telnyx’s messaging API, version 2.',
  group: 'Message company',
  suggestedName: 'telnyx',
  serves: ['sms'],
  fields: [
    { name: 'api_key', label: 'API key', help: 'In Mission Control under API Keys.', isSecret: true },
    senderField(),
    sendersField,
    {
      name: 'messaging_profile_id',
      label: 'Messaging profile',
      help: 'The id of the profile. A sender name needs it.',
      isOptional: true,
    },
    {
      name: 'signing_key',
      label: 'Public key',
      help: 'In Mission Control under Keys & Credentials. If set, reports without a valid signature are refused.',
      isOptional: true,
    },
    apiUrl('https://api.telnyx.com'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/v2/messages',
        auth: { type: 'bearer', token: '{api_key}' },
        format: 'json',
        body: {
          from: '{from}',
          to: '{to}',
          text: '{text}',
          type: 'SMS',
          messaging_profile_id: '{messaging_profile_id}',
          webhook_url: '{report_url}',
          use_profile_webhooks: false,
        },
        id: 'data.id',
        error: 'errors.0.code',
        errors: {
          10009: 'carrier_down',
          10011: 'retry',
          20100: 'carrier_down',
          40001: 'permanent',
          40300: 'opted_out',
          40305: 'carrier_down',
          40310: 'permanent',
          40318: 'retry',
          40333: 'carrier_down',
        },
      },
      reports: {
        only: { 'data.event_type': ['message.sent', 'message.finalized'] },
        id: 'data.payload.id',
        status: 'data.payload.to.0.status',
        statuses: {
          queued: 'other',
          sending: 'other',
          sent: 'sent',
          delivered: 'delivered',
          read: 'delivered',
          // Final, but nobody knows whether it arrived.
          delivery_unconfirmed: 'other',
          expired: 'failed',
          sending_failed: 'failed',
          delivery_failed: 'failed',
        },
        error: 'data.payload.errors.0.code',
        reasons: {
          40001: 'landline_or_unreachable',
          40002: 'filtered',
          40003: 'filtered',
          40008: 'undelivered',
          40300: 'unsubscribed',
          40310: 'invalid_recipient',
        },
        price: 'data.payload.cost.amount',
        currency: 'data.payload.cost.currency',
        network: 'data.payload.to.0.carrier',
        proof: signature,
      },
      inbound: {
        only: { 'data.event_type': ['message.received'] },
        from: 'data.payload.from.phone_number',
        to: 'data.payload.to.0.phone_number',
        text: 'data.payload.text',
        proof: signature,
      },
      check: { url: '{api_url}/v2/messaging_profiles?page[size]=1' },
    },
    notes: [
      'Each message names the address of its reports. Telnyx reports twice: when it has sent the message, and at the end. It waits two seconds for a response and tries three times.',
      'For replies, set the webhook URL of the messaging profile to the address for replies.',
    ],
    sources: [
      { what: 'request, reports and the order of addresses', from: 'document' },
      { what: 'the statuses and the signature', from: 'code' },
      { what: 'the meanings of error codes', from: 'elsewhere' },
    ],
  },
});
