import { Failure } from '../../platform/http/failure.ts';
import { codeIn } from '../code-in-text.ts';
import { type Fields, formOrJson, isForm, textIn } from '../reading.ts';
import {
  anyOf,
  carriesSecret,
  equalTexts,
  type Inbound,
  json,
  readTextSecret,
  refusedInJson,
  type System,
  textSecret,
} from '../system.ts';

/**
 * The plugin builds JSON without escaping, so a quote or a line break in the text makes it invalid. Its order of fields is
 * fixed: the token, an id, the text, the number, the sender. Only the text and the number are always there.
 */
const BEFORE_TEXT =
  /^\s*\{(?:\s*"key"\s*:\s*"([^"]*)"\s*,)?(?:\s*"[^"]+"\s*:\s*"[^"]*"\s*,)?\s*"text"\s*:\s*"/;
/** The end of the text and the number. No part can match in two ways, so the time is linear. */
const AFTER_TEXT = /"\s*,\s*"to"\s*:\s*(?=(?:"([^",}]+)|([^\s",}][^",}]*))(?:"\s*)?[,}])/g;

/** The last `"to"` counts, because the text may contain another. */
function unescaped(body: string): Fields | undefined {
  const before = BEFORE_TEXT.exec(body);
  if (!before) return undefined;
  const rest = body.slice(before[0].length);
  let after: RegExpExecArray | undefined;
  for (const one of rest.matchAll(AFTER_TEXT)) after = one;
  return after && { key: before[1], text: rest.slice(0, after.index), to: after[1] ?? after[2] };
}

function fieldsOfPlugin(request: Pick<Inbound, 'text' | 'headers'>): Fields {
  try {
    return formOrJson(request);
  } catch (error) {
    const found = isForm(request) || !(error instanceof Failure) ? undefined : unescaped(request.text);
    if (!found) throw error;
    return found;
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
  readSecret: readTextSecret,
  isFromHead: (head, secrets) => carriesSecret(head, secrets, HEADERS),
  isFromBody(request, secrets) {
    const key = keyOf(request);
    return anyOf(secrets, (secret) => equalTexts(key, secret));
  },
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
