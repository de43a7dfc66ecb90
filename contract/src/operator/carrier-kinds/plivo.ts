import { apiUrl, carrierFacts, senderField, sendersField } from './facts.ts';

const signature = {
  type: 'hmac',
  key: '{auth_token}',
  over: '{url}.{form}.{nonce}',
  header: 'x-plivo-signature-v3',
  encoding: 'base64',
  nonce: 'x-plivo-signature-v3-nonce',
} as const;

export const plivo = carrierFacts({
  label: 'Plivo',
  help: 'Plivo’s messaging API.',
  group: 'Message company',
  home: 'US',
  suggestedName: 'plivo',
  serves: ['sms'],
  reports: 'quick',
  fields: [
    {
      name: 'auth_id',
      label: 'Auth ID',
      help: 'On the home page of the Plivo console.',
      placeholder: 'MA…',
      receivesSecret: true,
    },
    {
      name: 'auth_token',
      label: 'Auth token',
      help: 'Next to the Auth ID. It also proves that delivery reports come from Plivo.',
      isSecret: true,
    },
    senderField(),
    sendersField,
    apiUrl('https://api.plivo.com'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/v1/Account/{auth_id}/Message/',
        auth: { type: 'basic', username: '{auth_id}', password: '{auth_token}' },
        format: 'json',
        body: {
          src: '{from}',
          dst: '{to_digits}',
          text: '{text}',
          url: '{report_url}',
          method: 'POST',
          message_expiry: '{seconds_left}',
          // Keeps the code out of Plivo’s logs.
          log: 'false',
        },
        seconds_left: [5, 14_400],
        id: 'message_uuid.0',
        errors: { http_402: 'carrier_down' },
      },
      reports: {
        id: 'MessageUUID',
        status: 'Status',
        statuses: {
          queued: 'other',
          sent: 'sent',
          delivered: 'delivered',
          read: 'read',
          undelivered: 'failed',
          failed: 'failed',
        },
        error: 'ErrorCode',
        reasons: {
          30: 'filtered',
          50: 'invalid_recipient',
          80: 'unknown_recipient',
          90: 'unreachable_handset',
          100: 'unroutable',
          110: 'filtered',
          200: 'unsubscribed',
          420: 'expired_at_carrier',
          450: 'region_not_enabled',
        },
        price: 'TotalAmount',
        proof: signature,
      },
      inbound: {
        from: 'From',
        to: 'To',
        text: 'Text',
        // Plivo puts a question mark after an address without a query.
        proof: { ...signature, over: '{url}?{form}.{nonce}' },
      },
      check: { url: '{api_url}/v1/Account/{auth_id}/' },
    },
    notes: [
      'Each message names the address of its reports, which arrive within seconds of the network’s own. The signature covers the address, so PUBLIC_URL (or API_URL) must be the address that Plivo calls.',
      'For replies, set the message URL of the number’s application to the address for replies, with the method POST.',
    ],
    sources: [
      { what: 'the request and the signature', from: 'code' },
      { what: 'the response, the fields of reports and the error codes', from: 'elsewhere' },
    ],
  },
});
