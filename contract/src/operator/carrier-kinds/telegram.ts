import { apiUrl, carrierFacts } from './facts.ts';

export const telegram = carrierFacts({
  label: 'Telegram',
  help: 'Telegram Gateway. Telegram shows the code in a fixed text of its own.',
  group: 'Message company',
  suggestedName: 'telegram',
  serves: ['telegram'],
  reports: 'quick',
  fields: [
    {
      name: 'api_token',
      label: 'API token',
      help: 'On the account page of gateway.telegram.org. It also proves reports.',
      isSecret: true,
    },
    {
      name: 'from',
      label: 'Channel',
      help: 'The user name of a verified Telegram channel that sends the codes. Leave empty for the usual sender.',
      placeholder: 'acme',
      isOptional: true,
    },
    apiUrl('https://gatewayapi.telegram.org'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/sendVerificationMessage',
        auth: { type: 'bearer', token: '{api_token}' },
        format: 'json',
        body: {
          phone_number: '{to}',
          code: '{code}',
          ttl: '{seconds_left}',
          sender_username: '{from}',
          callback_url: '{report_url}',
          payload: '{reference}',
        },
        seconds_left: [30, 3_600],
        id: 'result.request_id',
        error: 'error',
        errors: {
          PHONE_NUMBER_NOT_AVAILABLE: 'permanent',
          PHONE_NUMBER_INVALID: 'permanent',
          FLOOD_WAIT: 'retry',
          BALANCE_NOT_ENOUGH: 'carrier_down',
          ACCESS_TOKEN_INVALID: 'carrier_down',
          ACCESS_TOKEN_REQUIRED: 'carrier_down',
          CODE_INVALID: 'next_carrier',
          SENDER_NOT_VERIFIED: 'carrier_down',
        },
      },
      reports: {
        id: 'request_id',
        reference: 'payload',
        status: 'delivery_status.status',
        statuses: {
          sent: 'sent',
          delivered: 'delivered',
          read: 'read',
          expired: 'failed',
          revoked: 'failed',
        },
        price: 'request_cost',
        proof: {
          type: 'hmac',
          key: '{api_token}',
          key_hash: 'sha256',
          over: '{timestamp}\n{body}',
          header: 'x-request-signature',
          encoding: 'hex',
          timestamp: { header: 'x-request-timestamp', within_seconds: 300 },
        },
      },
    },
    notes: [
      'Each message names the address of its reports, which arrive within seconds. Telegram charges a message when it sends it and returns the fee if it is not delivered before the code expires.',
      'Telegram delivers only codes of 4 to 8 digits, in the language of the recipient’s app. Messages to the number of the gateway account are free: use it for tests.',
    ],
    sources: [
      { what: 'request, response, statuses and lifetimes', from: 'document' },
      { what: 'the signature', from: 'code' },
      { what: 'the names of errors', from: 'elsewhere' },
    ],
  },
});
