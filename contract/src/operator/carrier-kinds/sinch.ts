import { apiUrl, carrierFacts, senderField, sendersField } from './facts.ts';

export const sinch = carrierFacts({
  label: 'Sinch',
  help: 'Sinch’s SMS API.',
  group: 'Message company',
  suggestedName: 'sinch',
  serves: ['sms'],
  fields: [
    {
      name: 'service_plan_id',
      label: 'Service plan',
      help: 'The id of the service plan, in the Sinch dashboard under SMS, APIs.',
      receivesSecret: true,
    },
    { name: 'api_token', label: 'API token', help: 'Next to the service plan.', isSecret: true },
    senderField(),
    sendersField,
    { ...apiUrl('https://us.sms.api.sinch.com'), help: 'Of the plan’s region: us, eu, au, br or ca.' },
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/xms/v1/{service_plan_id}/batches',
        auth: { type: 'bearer', token: '{api_token}' },
        format: 'json',
        body: {
          from: '{from}',
          to: ['{to_digits}'],
          body: '{text}',
          type: 'mt_text',
          delivery_report: 'per_recipient',
          callback_url: '{report_url}',
          client_reference: '{reference}',
          expire_at: '{expires_at}',
        },
        id: 'id',
        error: 'code',
        errors: { http_402: 'carrier_down' },
      },
      reports: {
        only: { type: ['recipient_delivery_report_sms'] },
        id: 'batch_id',
        reference: 'client_reference',
        status: 'status',
        statuses: {
          Queued: 'other',
          Dispatched: 'sent',
          Delivered: 'delivered',
          Aborted: 'failed',
          Cancelled: 'failed',
          Rejected: 'failed',
          Deleted: 'failed',
          Failed: 'failed',
          Expired: 'failed',
          Unknown: 'other',
        },
        error: 'code',
        network: 'operator',
      },
      inbound: { only: { type: ['mo_text'] }, from: 'from', to: 'to', text: 'body' },
      check: { url: '{api_url}/xms/v1/{service_plan_id}/batches?page_size=1' },
    },
    notes: [
      'Each message names the address of its reports, which contains a proof, because Sinch does not sign them. Reports that get no response are repeated for about 23 hours.',
      'For replies, set the callback URL of the service plan to the address for replies.',
    ],
    sources: [
      { what: 'statuses, fields of reports and their repetition', from: 'document' },
      { what: 'the request', from: 'document' },
      { what: 'the fields of inbound texts', from: 'elsewhere' },
    ],
  },
});
