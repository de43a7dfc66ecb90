import { apiUrl, carrierFacts } from './facts.ts';

export const httpsms = carrierFacts({
  label: 'httpSMS (Android phone)',
  help: 'An Android phone with the httpSMS app sends the messages with its own SIM card. No contract is needed.',
  group: 'A phone as a gateway',
  suggestedName: 'phone',
  serves: ['sms'],
  reports: 'quick',
  fields: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'On the settings page of httpsms.com.',
      isSecret: true,
    },
    {
      name: 'from',
      label: 'Phone number',
      help: 'The number of the SIM card, as registered in the app.',
      placeholder: '+15551234567',
    },
    {
      name: 'signing_key',
      label: 'Signing key',
      help: 'The key of the webhook that you add there for delivery reports. Without it, the address contains a secret.',
      isSecret: true,
      isOptional: true,
    },
    apiUrl('https://api.httpsms.com'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/v1/messages/send',
        auth: { type: 'header', name: 'x-api-key', value: '{api_key}' },
        format: 'json',
        body: { from: '{from}', to: '{to}', content: '{text}', request_id: '{reference}' },
        id: 'data.id',
      },
      reports: {
        is_registered: true,
        only: {
          type: [
            'message.phone.sent',
            'message.phone.delivered',
            'message.send.failed',
            'message.send.expired',
          ],
          // The phone tries again after an expiry that is not final.
          'data.is_final': ['', 'true'],
        },
        id: ['data.message_id', 'data.id'],
        reference: 'data.request_id',
        status: 'type',
        statuses: {
          'message.phone.sent': 'sent',
          'message.phone.delivered': 'delivered',
          'message.send.failed': 'failed',
          'message.send.expired': 'failed',
        },
        proof: { type: 'jwt', secret: '{signing_key}', header: 'authorization' },
      },
      inbound: {
        only: { type: ['message.phone.received'] },
        from: 'data.contact',
        to: 'data.owner',
        text: 'data.content',
        proof: { type: 'jwt', secret: '{signing_key}', header: 'authorization' },
      },
      check: { url: '{api_url}/v1/users/me' },
    },
    notes: [
      'A phone sends 10 to 30 messages a minute. Reports arrive within seconds of the phone’s own.',
      'Add a webhook on the settings page of httpsms.com with the address that the console shows, for the events sent, delivered, failed and expired; another one, with the address for replies, for the event received.',
    ],
    sources: [
      { what: 'request, response, events and their fields', from: 'code' },
      { what: 'the signature, which does not cover the body', from: 'document' },
      { what: 'the address of the credentials check', from: 'elsewhere' },
    ],
  },
});
