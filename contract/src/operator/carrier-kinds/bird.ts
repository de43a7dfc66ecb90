import { apiUrl, carrierFacts } from './facts.ts';

const signature = {
  type: 'hmac',
  key: '{signing_key}',
  over: '{timestamp}\n{url}\n{body_sha256}',
  header: 'messagebird-signature',
  encoding: 'base64',
  // Bird repeats a report for eight hours.
  timestamp: { header: 'messagebird-request-timestamp', within_seconds: 30_000 },
} as const;

export const bird = carrierFacts({
  label: 'Bird',
  help: 'Bird’s Channels API, formerly MessageBird.',
  group: 'Message company',
  home: 'NL',
  suggestedName: 'bird',
  serves: ['sms'],
  reports: 'quick',
  fields: [
    {
      name: 'workspace_id',
      label: 'Workspace',
      help: 'Its id, in the address of the dashboard.',
      receivesSecret: true,
    },
    { name: 'channel_id', label: 'Channel', help: 'The id of the SMS channel, which has the sender.' },
    { name: 'api_key', label: 'Access key', help: 'In the settings under Access Keys.', isSecret: true },
    {
      name: 'signing_key',
      label: 'Signing key',
      help: 'The key of the webhook subscription that you add for delivery reports. Without it, the address contains a secret.',
      isSecret: true,
      isOptional: true,
    },
    apiUrl('https://api.bird.com'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/workspaces/{workspace_id}/channels/{channel_id}/messages',
        auth: { type: 'header', name: 'Authorization', value: 'AccessKey {api_key}' },
        format: 'json',
        body: {
          receiver: { contacts: [{ identifierKey: 'phonenumber', identifierValue: '{to}' }] },
          body: { type: 'text', text: { text: '{text}' } },
          reference: '{reference}',
        },
        id: 'id',
        error: 'code',
        errors: { http_402: 'carrier_down' },
      },
      reports: {
        is_registered: true,
        only: { event: ['sms.outbound'] },
        id: 'payload.id',
        reference: 'payload.reference',
        status: 'payload.status',
        statuses: {
          accepted: 'other',
          processing: 'other',
          sent: 'sent',
          delivered: 'delivered',
          sending_failed: 'failed',
          delivery_failed: 'failed',
          rejected: 'failed',
          skipped: 'failed',
        },
        proof: signature,
      },
      inbound: {
        only: { event: ['sms.inbound'] },
        from: 'payload.sender.contact.identifierValue',
        text: 'payload.body.text.text',
        proof: signature,
      },
      check: { url: '{api_url}/workspaces/{workspace_id}/channels/{channel_id}' },
    },
    notes: [
      'Add a webhook subscription for the event sms.outbound with the address that the console shows, and one for sms.inbound with the address for replies. Reports that get no response are repeated for eight hours.',
      'The signature covers the address, so PUBLIC_URL (or API_URL) must be the address that Bird calls.',
    ],
    sources: [
      { what: 'request, response and the events', from: 'document' },
      { what: 'the signature', from: 'code' },
      { what: 'some statuses and the fields of inbound texts', from: 'elsewhere' },
    ],
  },
});
