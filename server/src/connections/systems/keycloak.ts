import { Failure } from '../../platform/http/failure.ts';
import { equalSecrets } from '../../platform/security/vault.ts';
import { codeIn } from '../code-in-text.ts';
import { type Fields, formOrJson, isForm, textIn } from '../reading.ts';
import { carriesSecret, type Inbound, json, refusedInJson, type System, textSecret } from '../system.ts';

/**
 * The plugin builds JSON without escaping, so a quote or a line break in the text makes it invalid. Its order of fields is
 * fixed: the token, an id, the text, the number, the sender. Only the text and the number are always there.
 */
const UNESCAPED =
  /^\s*\{(?:\s*"key"\s*:\s*"(?<key>[^"]*)"\s*,)?(?:\s*"[^"]+"\s*:\s*"[^"]*"\s*,)?\s*"text"\s*:\s*"(?<text>[\s\S]*)"\s*,\s*"to"\s*:\s*"?(?<to>[^",}]+)"?\s*[,}]/;

function fieldsOfPlugin(request: Pick<Inbound, 'text' | 'headers'>): Fields {
  try {
    return formOrJson(request);
  } catch (error) {
    const found = isForm(request) ? undefined : UNESCAPED.exec(request.text)?.groups;
    if (!found || !(error instanceof Failure)) throw error;
    return { ...found };
  }
}

/** With `apiTokenInHeader`, the name of the token's attribute is that of its header. */
const HEADERS = ['key', 'x-api-key'];

const keyOf = (request: Inbound): string => {
  try {
    return textIn(fieldsOfPlugin(request), 'key') ?? '';
  } catch {
    return '';
  }
};

/**
 * The SMS plugin netzbegruenung/keycloak-mfa-plugins (`ApiSmsService.java`). It sends the text alone, as a form or as JSON, and
 * only logs a refusal.
 */
export const keycloak: System = {
  kinds: ['sms'],
  newSecret: textSecret,
  isFrom: (request, secret) =>
    [
      carriesSecret(request, secret, HEADERS),
      equalSecrets(Buffer.from(keyOf(request)), Buffer.from(secret)),
    ].includes(true),
  read(request) {
    const fields = fieldsOfPlugin(request);
    const { code, message } = codeIn(textIn(fields, 'text'), request.code_pattern);
    return [{ recipient: textIn(fields, 'to'), code, message }];
  },
  accepted: ([first]) => json(200, { otp_id: first?.otp_id }),
  refused: refusedInJson,
  settings: ({ urlOf, secret }) => [
    // It is on by default: the plugin then only logs its messages.
    { name: 'Simulation mode', value: 'Off' },
    { name: 'SMS API URL', value: urlOf('sms') },
    { name: 'URL encode data', value: 'On' },
    { name: 'API Secret Token Attribute', value: 'key' },
    { name: 'API Secret', value: secret },
    { name: 'Message Attribute', value: 'text' },
    { name: 'Receiver Phone Number Attribute', value: 'to' },
    { name: 'Sender Phone Number Attribute', value: 'from' },
  ],
  play: ({ recipient, code, secret }) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      key: secret,
      text: `Your SMS code is ${code} and is valid for 5 minutes.`,
      to: recipient,
      from: 'Keycloak',
    }).toString(),
  }),
};
