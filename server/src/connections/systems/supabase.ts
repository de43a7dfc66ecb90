import { readSecret, signedHeaders, verifySigned } from '../../platform/signing/standard-webhooks.ts';
import { clientAddress, codeOf, jsonOf, textIn, within, withPlus } from '../reading.ts';
import { anyOf, json, type System, type Wanted } from '../system.ts';

const VERSION = 'v1,';
const withoutVersion = (secret: string): string =>
  secret.startsWith(VERSION) ? secret.slice(VERSION.length) : secret;

const hook = (name: string, url: string, secret: string): string => `[auth.hook.${name}]
enabled = true
uri = "${url}"
secrets = "${secret}"
`;

/**
 * Supabase Auth's hooks `send_sms` and `send_email` (supabase/auth, `internal/hooks/v0hooks`). It signs as Standard Webhooks
 * does, but joins several signatures with a comma and a space. Its `webhook-id` is new in each attempt, and `metadata.uuid` is
 * the same in all of them. A refusal reaches the application only as 200 with an `error`.
 */
export const supabase: System = {
  kinds: ['sms', 'email'],
  newSecret: ({ random }) => `${VERSION}whsec_${random.bytes(32).toString('base64')}`,
  readSecret,
  isFromBody({ headers, bytes, now }, secrets) {
    const given = headers['webhook-signature'];
    const signature = typeof given === 'string' ? given.replaceAll(/,(?= |$)/g, '') : given;
    const signed = { headers: { ...headers, 'webhook-signature': signature }, rawBody: bytes, now };
    return anyOf(secrets, (secret) => verifySigned({ ...signed, secret: withoutVersion(secret) }));
  },
  read(request) {
    const body = jsonOf(request);
    const [user, metadata] = [within(body, 'user'), within(body, 'metadata')];
    const common = {
      ...clientAddress(metadata, 'ip_address'),
      message_id: textIn(metadata, 'uuid'),
    };
    if (request.kind === 'email') return mailsOf(within(body, 'email_data'), user, common);
    const sms = within(body, 'sms');
    const phone = textIn(sms, 'phone') ?? textIn(user, 'new_phone', 'phone_change') ?? textIn(user, 'phone');
    return [{ ...common, recipient: withPlus(phone), code: codeOf(textIn(sms, 'otp')) }];
  },
  accepted: () => json(200, {}),
  refused({ status, reason, sentence, retry_after }) {
    if (reason === 'invalid_signature') return json(401, { error: { http_code: 401, message: sentence } });
    // The header makes it try again at once.
    if (status === 503) return { ...json(503, {}), headers: { 'retry-after': '1' } };
    const message = sentence || 'The code could not be sent.';
    return json(200, { error: { http_code: retry_after === undefined ? 400 : 429, message } });
  },
  settings: ({ urlOf, secret }) => [
    { name: 'URL of the Send SMS hook', value: urlOf('sms') },
    { name: 'URL of the Send Email hook', value: urlOf('email') },
    { name: 'Secret of both hooks', value: secret },
    {
      name: 'Instead of the dashboard: supabase/config.toml',
      value: [hook('send_sms', urlOf('sms'), secret), hook('send_email', urlOf('email'), secret)].join('\n'),
    },
  ],
  play({ kind, recipient, code, secret, now, random }) {
    const metadata = {
      uuid: random.uuid(),
      time: now.toISOString(),
      name: kind === 'sms' ? 'send-sms' : 'send-email',
    };
    const user = { id: random.uuid(), aud: 'authenticated', role: 'authenticated' };
    const body = JSON.stringify(
      kind === 'sms'
        ? { metadata, user: { ...user, email: '', phone: recipient.replace(/^\+/, '') }, sms: { otp: code } }
        : {
            metadata,
            user: { ...user, email: recipient, phone: '' },
            email_data: { token: code, token_hash: '', redirect_to: '', email_action_type: 'magiclink' },
          },
    );
    const message = { id: random.uuid(), at: now, body };
    const signed = signedHeaders(message, [withoutVersion(secret)]);
    return { headers: { 'content-type': 'application/json', ...signed }, body };
  },
};

/** A change of address with a secured confirmation sends one code to each address. */
function mailsOf(
  data: Parameters<typeof textIn>[0],
  user: Parameters<typeof textIn>[0],
  common: Pick<Wanted, 'client_ip' | 'message_id'>,
): Wanted[] {
  const [email, fresh] = [textIn(user, 'email'), textIn(user, 'new_email', 'email_change')];
  const [token, tokenNew] = [textIn(data, 'token'), textIn(data, 'token_new')];
  if (textIn(data, 'email_action_type') !== 'email_change' || !fresh)
    return [{ ...common, recipient: email, code: codeOf(token) }];
  if (!tokenNew) return [{ ...common, recipient: fresh, code: codeOf(token) }];
  return [
    { ...common, recipient: email, code: codeOf(token) },
    { ...common, recipient: fresh, code: tokenNew },
  ];
}
