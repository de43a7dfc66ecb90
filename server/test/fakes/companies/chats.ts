import { createHash, createHmac } from 'node:crypto';
import type { Incoming, Reply } from '../http-listener.ts';
import { type Company, json, key, seconds } from './wire.ts';

/** Companies that show a code in a text of their own. */
interface TemplateMessage {
  messaging_product: string;
  to: string;
  type: string;
  biz_opaque_callback_data: string;
  template: {
    name: string;
    language: { code: string };
    components: {
      type: string;
      sub_type?: string;
      index?: string;
      parameters: { type: string; text: string }[];
    }[];
  };
}

const META_ERROR = (code: number, message: string) => ({
  error: { message, type: 'OAuthException', code, fbtrace_id: 'f1' },
});

/** The envelope of statuses and messages. */
const envelope = (value: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '201',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '18005550199', phone_number_id: '101' },
            ...value,
          },
        },
      ],
    },
  ],
});

interface OtpButton {
  otp_type: string;
  zero_tap_terms_accepted?: boolean;
  supported_apps?: { package_name: string; signature_hash: string }[];
}

/** Texts of the button are not allowed for several languages at once. */
const isRightButton = ({
  otp_type,
  zero_tap_terms_accepted,
  supported_apps = [],
  ...others
}: OtpButton): boolean =>
  Object.keys(others).every((name) => name === 'type') &&
  (otp_type === 'COPY_CODE'
    ? supported_apps.length === 0
    : (otp_type === 'ONE_TAP' || (otp_type === 'ZERO_TAP' && zero_tap_terms_accepted === true)) &&
      supported_apps.length > 0 &&
      supported_apps.every((app) => app.package_name.includes('.') && app.signature_hash.length === 11));

interface Template {
  name: string;
  languages: string[];
  category: string;
  components: { type: string; buttons?: OtpButton[] }[];
}

/** A WhatsApp Business account: its templates with their approval, and whether an app is subscribed. Approves all at first. */
export function whatsappAccount(
  id: string,
  { approves = () => 'APPROVED' } = {} as { approves?: (language: string) => string },
) {
  const languages = new Map<string, string>(APPROVED_LANGUAGES.map((language) => [language, 'APPROVED']));
  const account = {
    languages,
    isSubscribed: true,
    template: undefined as Template | undefined,
    about(request: Incoming): Reply | undefined {
      const { pathname, searchParams } = new URL(request.path, 'http://meta');
      const call = `${request.method} ${pathname}`;
      if (call === `POST /${id}/upsert_message_templates`) {
        const given = json<Template>(request);
        const button = given.components.find(({ type }) => type === 'BUTTONS')?.buttons?.[0];
        if (given.category !== 'AUTHENTICATION' || !button || !isRightButton(button))
          return { status: 400, body: META_ERROR(100, 'Invalid parameter') };
        account.template = given;
        for (const language of given.languages) languages.set(language, approves(language));
        return {
          status: 200,
          body: { data: given.languages.map((language) => ({ id: language, status: 'PENDING', language })) },
        };
      }
      if (call === `POST /${id}/subscribed_apps`) {
        account.isSubscribed = true;
        return { status: 200, body: { success: true } };
      }
      if (call === `GET /${id}/subscribed_apps`)
        return {
          status: 200,
          body: {
            data: account.isSubscribed ? [{ whatsapp_business_api_data: { id: '1', name: 'Acme' } }] : [],
          },
        };
      if (call !== `GET /${id}/message_templates`) return undefined;
      const name = searchParams.get('name') ?? '';
      // The filter also finds longer names.
      const others = [{ name: `${name}_old`, language: 'xx', status: 'APPROVED' }];
      const data = [...languages].map(([language, status]) => ({ name, language, status }));
      return { status: 200, body: { data: [...others, ...data] } };
    },
  };
  return account;
}

/** As Meta writes the languages of our texts. */
const APPROVED_LANGUAGES =
  'en af ar ca cs da de el es et fi fr he hi hr hu id it ja kn ko lt ms mr nb nl pl pt_PT pt_BR ro ru sv te th fil tr uk vi zh_CN zh_TW'.split(
    ' ',
  );

interface VerificationMessage {
  phone_number: string;
  code: string;
  ttl: number;
  callback_url: string;
  payload?: string;
}

export const CHATS: readonly Company[] = [
  {
    kind: 'whatsapp',
    channel: 'whatsapp',
    fields: {
      phone_number_id: '101',
      waba_id: '201',
      access_token: 'meta-token',
      app_secret: 'meta-app-secret',
    },
    path: /^\/101\/messages$/,
    about: whatsappAccount('201').about,
    isAuthorized: (headers) => headers.authorization === 'Bearer meta-token',
    read(request) {
      const sent = json<TemplateMessage>(request);
      const { name, language, components } = sent.template;
      const [body, button] = components;
      const code = body?.parameters[0]?.text ?? '';
      if (sent.messaging_product !== 'whatsapp' || sent.type !== 'template' || /\D/.test(sent.to))
        throw new Error('Not a template to a number');
      if (name !== 'verification_code' || !/^[a-z]{2,3}(_[A-Z]{2})?$/.test(language.code))
        throw new Error(`No template ${name} in ${language.code}`);
      // Meta refuses an authentication template whose button lacks the code.
      if (button?.sub_type !== 'url' || button.index !== '0' || button.parameters[0]?.text !== code)
        throw new Error('The button lacks the code');
      return { to: `+${sent.to}`, text: code, reference: sent.biz_opaque_callback_data };
    },
    accepted: ({ id, to }) => ({
      status: 200,
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: to.slice(1), wa_id: to.slice(1) }],
        messages: [{ id, message_status: 'accepted' }],
      },
    }),
    refusals: {
      permanent: [400, META_ERROR(131026, 'Message undeliverable')],
      retry: [400, META_ERROR(130429, 'Rate limit hit')],
      carrier_down: [401, META_ERROR(190, 'Invalid OAuth access token')],
    },
    words: { sent: 'sent', delivered: 'delivered', failed: 'failed' },
    report: ({ id, to, reference }, status, meaning) => ({
      id,
      status,
      timestamp: '1795953600',
      recipient_id: to.slice(1),
      biz_opaque_callback_data: reference,
      pricing: { billable: true, pricing_model: 'PMP', category: 'authentication' },
      ...(meaning === 'failed' && {
        errors: [{ code: 131026, title: 'Message undeliverable', error_data: { details: 'No WhatsApp' } }],
      }),
    }),
    batch: (statuses) => {
      // Several entries with several changes.
      const half = Math.ceil(statuses.length / 2);
      const parts = [statuses.slice(0, half), statuses.slice(half)].filter((part) => part.length > 0);
      return { ...envelope({}), entry: parts.flatMap((part) => envelope({ statuses: part }).entry) };
    },
    text: (from, body) =>
      envelope({
        contacts: [{ wa_id: from.slice(1) }],
        messages: [{ from: from.slice(1), id: 'm1', timestamp: '1795953600', type: 'text', text: { body } }],
      }),
    sign: ({ body, forged }) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', key(forged, 'meta-app-secret')).update(body).digest('hex')}`,
    }),
  },
  {
    kind: 'telegram',
    channel: 'telegram',
    fields: { api_token: 'telegram-token' },
    path: /^\/sendVerificationMessage$/,
    isAuthorized: (headers) => headers.authorization === 'Bearer telegram-token',
    about(request) {
      if (request.path !== '/checkVerificationStatus') return undefined;
      const { request_id, code } = json<{ request_id: string; code: string }>(request);
      const verification_status = { status: 'code_valid', updated_at: 1_795_953_600, code_entered: code };
      return { status: 200, body: { ok: true, result: { request_id, verification_status } } };
    },
    read(request) {
      const { phone_number, code, ttl, callback_url, payload } = json<VerificationMessage>(request);
      if (!/^\+\d+$/.test(phone_number) || !/^\d{4,8}$/.test(code)) throw new Error('Not a code to a number');
      if (!(ttl >= 30 && ttl <= 3_600) || (payload ?? '').length > 128)
        throw new Error('A value is out of range');
      return { to: phone_number, text: code, seconds: ttl, reference: payload, report_url: callback_url };
    },
    accepted: ({ id, to, reference }) => ({
      status: 200,
      body: {
        ok: true,
        result: {
          request_id: id,
          phone_number: to.slice(1),
          request_cost: 0.01,
          delivery_status: { status: 'sent', updated_at: 1_795_953_600 },
          payload: reference,
        },
      },
    }),
    refusals: {
      permanent: [200, { ok: false, error: 'PHONE_NUMBER_NOT_AVAILABLE' }],
      retry: [200, { ok: false, error: 'FLOOD_WAIT_30' }],
      carrier_down: [200, { ok: false, error: 'BALANCE_NOT_ENOUGH' }],
    },
    words: { sent: 'sent', delivered: 'delivered', failed: 'expired' },
    report: ({ id, to, reference }, status) => ({
      request_id: id,
      phone_number: to.slice(1),
      request_cost: 0.01,
      is_refunded: status === 'expired',
      delivery_status: { status, updated_at: 1_795_953_600 },
      payload: reference,
    }),
    sign: ({ body, at, forged }) => {
      const secret = createHash('sha256').update(key(forged, 'telegram-token')).digest();
      return {
        'x-request-timestamp': seconds(at),
        'x-request-signature': createHmac('sha256', secret)
          .update(`${seconds(at)}\n${body}`)
          .digest('hex'),
      };
    },
  },
];
