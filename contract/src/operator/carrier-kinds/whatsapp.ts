import { apiUrl, carrierFacts } from './facts.ts';

const signature = {
  type: 'hmac',
  key: '{app_secret}',
  over: '{body}',
  header: 'x-hub-signature-256',
  prefix: 'sha256=',
  encoding: 'hex',
} as const;

/** Meta's names of the languages that differ from our tags. */
export const WHATSAPP_LANGUAGES = {
  pt: 'pt_PT',
  'pt-BR': 'pt_BR',
  tl: 'fil',
  zh: 'zh_CN',
  'zh-Hant': 'zh_TW',
} as const;

export const whatsapp = carrierFacts({
  label: 'WhatsApp',
  help: 'Meta’s WhatsApp Cloud API. WhatsApp shows the code in a fixed text of its own.',
  group: 'Message company',
  suggestedName: 'whatsapp',
  serves: ['whatsapp'],
  reports: 'quick',
  prepare: 'Set Up at Meta',
  fields: [
    {
      name: 'phone_number_id',
      label: 'Phone number ID',
      help: 'In the app’s dashboard at developers.facebook.com under WhatsApp, API Setup.',
    },
    { name: 'waba_id', label: 'Account ID', help: 'Of the WhatsApp Business account, on the same page.' },
    {
      name: 'access_token',
      label: 'Access token',
      help: 'Of a system user with the permissions whatsapp_business_messaging and whatsapp_business_management.',
      isSecret: true,
    },
    {
      name: 'app_secret',
      label: 'App secret',
      help: 'In the app’s dashboard under Settings, Basic. It proves reports.',
      isSecret: true,
    },
    {
      name: 'template',
      label: 'Template',
      help: 'The name of the authentication template.',
      placeholder: 'verification_code',
      default: 'verification_code',
      isOptional: true,
    },
    {
      name: 'code_minutes',
      label: 'Minutes',
      help: 'After how many minutes codes expire, 1 to 90, for the last line of the template. Leave empty if it differs between sends.',
      placeholder: '5',
      isOptional: true,
    },
    {
      name: 'android_apps',
      label: 'Android apps',
      help: 'Package name and signature hash of each app that fills in the code. Leave empty for a button that copies it.',
      placeholder: 'com.acme.app K8a/AINcGX7',
      isOptional: true,
    },
    {
      name: 'autofill',
      label: 'Apps fill in the code',
      help: 'Without a tap only if you accept Meta’s terms for it.',
      isOptional: true,
      options: [
        { value: 'one_tap', label: 'After a tap on the message' },
        { value: 'zero_tap', label: 'Without a tap' },
      ],
    },
    apiUrl('https://graph.facebook.com/v24.0'),
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/{phone_number_id}/messages',
        auth: { type: 'bearer', token: '{access_token}' },
        format: 'json',
        body: {
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: '{to_digits}',
          type: 'template',
          biz_opaque_callback_data: '{reference}',
          template: {
            name: '{template}',
            language: { code: '{language}' },
            components: [
              { type: 'body', parameters: [{ type: 'text', text: '{code}' }] },
              {
                type: 'button',
                sub_type: 'url',
                index: '0',
                parameters: [{ type: 'text', text: '{code}' }],
              },
            ],
          },
        },
        languages: WHATSAPP_LANGUAGES,
        id: 'messages.0.id',
        error: 'error.code',
        errors: {
          // No WhatsApp, an old version, or its terms are not accepted.
          131026: 'permanent',
          131049: 'next_carrier',
          130472: 'next_carrier',
          131056: 'next_carrier',
          131047: 'next_carrier',
          // The template is missing in the language, which must not stop the other languages.
          132001: 'next_carrier',
          // The account may not write to this country.
          130497: 'next_carrier',
          4: 'retry',
          80007: 'retry',
          130429: 'retry',
          131000: 'retry',
          131016: 'retry',
          3: 'carrier_down',
          190: 'carrier_down',
          368: 'carrier_down',
          131031: 'carrier_down',
          131037: 'carrier_down',
          131042: 'carrier_down',
          131045: 'carrier_down',
          131048: 'carrier_down',
          133010: 'carrier_down',
        },
      },
      reports: {
        is_registered: true,
        challenge: { token: 'hub.verify_token', text: 'hub.challenge' },
        list: 'entry.*.changes.*.value.statuses',
        id: 'id',
        reference: 'biz_opaque_callback_data',
        status: 'status',
        statuses: { sent: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' },
        error: 'errors.0.code',
        reasons: {
          131026: 'no_whatsapp',
          131049: 'held_back_by_meta',
          130472: 'held_back_by_meta',
        },
        proof: signature,
      },
      inbound: {
        list: 'entry.*.changes.*.value.messages',
        only: { type: ['text'] },
        comes_with_reports: true,
        from: 'from',
        text: 'text.body',
        proof: signature,
      },
    },
    notes: [
      '“Set Up at Meta” in the test dialog creates the template in all languages, with a button that copies the code or fills it into your Android apps, and subscribes the app. Use it again after a change of these fields. Meta approves each language within minutes; “Check Credentials” and the doctor name those that are not approved.',
      'In the app’s dashboard under WhatsApp, Configuration, enter the address for delivery reports and the verify token that the console shows, and subscribe to the field messages. Replies come to the same address.',
      'Reports arrive within seconds, in any order. A message to somebody who has blocked the sender stays sent.',
    ],
    sources: [
      { what: 'templates, request, statuses and errors', from: 'document' },
      { what: 'the proof of the address and the name of the signature', from: 'code' },
      {
        what: 'the form of the signature, biz_opaque_callback_data and the fields of inbound texts',
        from: 'elsewhere',
      },
    ],
  },
});
