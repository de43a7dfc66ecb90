import { codeIn } from '../code-in-text.ts';
import { jsonOf, textIn } from '../reading.ts';
import { json, type System, secretInHead } from '../system.ts';

/** Older versions put the text into `Body`. */
const isCode = (text: string | undefined): boolean => text !== undefined && /^[0-9A-Z]{4,10}$/.test(text);

/**
 * authentik's SMS authenticator stage with the provider "generic" (goauthentik/authentik,
 * `authentik/stages/authenticator_sms/models.py`). It shows the text of a refusal to the person who signs in.
 */
export const authentik: System = {
  kinds: ['sms'],
  ...secretInHead,
  read(request) {
    const body = jsonOf(request);
    const [recipient, text] = [textIn(body, 'To', 'to'), textIn(body, 'Body', 'code')];
    if (isCode(text)) return [{ recipient, code: text }];
    return [{ recipient, code: codeIn(text ?? textIn(body, 'Message'), request.code_pattern).code }];
  },
  accepted: ([first]) => json(200, { otp_id: first?.otp_id }),
  refused: ({ status, sentence }) => ({ status, type: 'text/plain', body: sentence }),
  settings: ({ urlOf, secret }) => [
    { name: 'Provider', value: 'Generic' },
    // The form requires it. Sixdigit ignores it.
    { name: 'From number', value: 'Sixdigit' },
    { name: 'Authentication Type', value: 'Bearer Token' },
    { name: 'External API URL', value: urlOf('sms') },
    { name: 'API Auth Username', value: secret },
    { name: 'Hash phone number', value: 'Off' },
  ],
  play: ({ recipient, code, secret }) => ({
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({
      From: 'authentik',
      To: recipient,
      Body: code,
      Message: `Use this code to authenticate in authentik: ${code}`,
    }),
  }),
};
