import { apiUrl, carrierFacts, senderField, sendersField } from './facts.ts';

export const infobip = carrierFacts({
  label: 'Infobip',
  help: 'Infobip’s SMS API, version 3.',
  group: 'Message company',
  home: 'HR',
  suggestedName: 'infobip',
  serves: ['sms'],
  reports: 'quick',
  fields: [
    { name: 'api_key', label: 'API key', help: 'In the Infobip portal under API Keys.', isSecret: true },
    senderField(),
    sendersField,
    {
      ...apiUrl('https://api.infobip.com'),
      help: 'The base URL of your account, on the home page of the portal.',
    },
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/sms/3/messages',
        auth: { type: 'header', name: 'Authorization', value: 'App {api_key}' },
        format: 'json',
        body: {
          messages: [
            {
              sender: '{from}',
              destinations: [{ to: '{to_digits}' }],
              content: { text: '{text}' },
              options: { validityPeriod: { amount: '{seconds_left}', timeUnit: 'SECONDS' } },
              webhooks: {
                delivery: { url: '{report_url}', intermediateReport: true },
                contentType: 'application/json',
                callbackData: '{reference}',
              },
            },
          ],
        },
        id: 'messages.0.messageId',
        error: ['messages.0.status.groupName', 'requestError.serviceException.messageId'],
        errors: {
          PENDING: 'accepted',
          DELIVERED: 'accepted',
          UNDELIVERABLE: 'permanent',
          EXPIRED: 'next_carrier',
          REJECTED: 'next_carrier',
          TOO_MANY_REQUESTS: 'retry',
          UNAUTHORIZED: 'carrier_down',
        },
      },
      reports: {
        list: 'results',
        id: 'messageId',
        reference: 'callbackData',
        status: ['status.name', 'status.groupName'],
        statuses: {
          // An intermediate status of the group DELIVERED.
          DELIVERED_TO_OPERATOR: 'sent',
          PENDING: 'other',
          DELIVERED: 'delivered',
          UNDELIVERABLE: 'failed',
          EXPIRED: 'failed',
          REJECTED: 'failed',
        },
        error: 'error.name',
        reasons: {
          EC_ABSENT_SUBSCRIBER: 'unreachable_handset',
          EC_UNKNOWN_SUBSCRIBER: 'unknown_recipient',
          EC_USER_UNSUBSCRIBED: 'unsubscribed',
        },
        price: 'price.pricePerMessage',
        currency: 'price.currency',
        network: 'mccMnc',
      },
      inbound: { list: 'results', from: 'from', to: 'to', text: 'text' },
      check: { url: '{api_url}/account/1/balance' },
    },
    notes: [
      'Each message names the address of its reports, of which one request can contain up to 100. Each report contains a proof.',
      'For replies, set the forwarding address of the number to the address for replies.',
    ],
    sources: [
      { what: 'request, reports and groups of statuses', from: 'document' },
      { what: 'the validity period, error names and the fields of inbound texts', from: 'elsewhere' },
    ],
  },
});
