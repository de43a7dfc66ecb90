import { apiUrl, carrierFacts, senderField, sendersField } from './facts.ts';

export const elks = carrierFacts({
  label: '46elks',
  help: '46elks’ SMS API.',
  group: 'Message company',
  home: 'SE',
  suggestedName: 'elks',
  serves: ['sms'],
  reports: 'quick',
  fields: [
    {
      name: 'username',
      label: 'API user name',
      help: 'On the account page of 46elks.',
      placeholder: 'u…',
      receivesSecret: true,
    },
    { name: 'password', label: 'API password', help: 'Next to the API user name.', isSecret: true },
    senderField(),
    sendersField,
    apiUrl('https://api.46elks.com'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/a1/sms',
        auth: { type: 'basic', username: '{username}', password: '{password}' },
        format: 'form',
        body: {
          from: '{from}',
          to: '{to}',
          message: '{text}',
          whendelivered: '{report_url}',
          // Keeps the text out of the company’s history.
          dontlog: 'message',
        },
        id: 'id',
        error: 'status',
        errors: { created: 'accepted', sent: 'accepted', delivered: 'accepted', failed: 'next_carrier' },
      },
      reports: {
        id: 'id',
        status: 'status',
        statuses: { created: 'other', sent: 'sent', delivered: 'delivered', failed: 'failed' },
      },
      inbound: { from: 'from', to: 'to', text: 'message' },
      check: { url: '{api_url}/a1/me' },
    },
    notes: [
      'Each message names the address of its reports, which contains a proof, because 46elks does not sign them. Reports that get no response are repeated for at least six hours. A failure has no reason.',
      'For replies, set the sms_url of the number to the address for replies.',
    ],
    sources: [
      { what: 'delivery reports and their repetition', from: 'document' },
      { what: 'the request, the response and the fields of inbound texts', from: 'elsewhere' },
    ],
  },
});
