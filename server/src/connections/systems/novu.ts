import { codeIn } from '../code-in-text.ts';
import { jsonOf, textIn } from '../reading.ts';
import { json, refusedInJson, type System, secretInHead } from '../system.ts';

/** Novu's integration "SMS webhook" (docs.novu.co/platform/integrations/sms/sms-webhook). It reads the id at `data.id`. */
export const novu: System = {
  kinds: ['sms'],
  ...secretInHead,
  read(request) {
    const body = jsonOf(request);
    const { code, message } = codeIn(textIn(body, 'content', 'text', 'message'), request.code_pattern);
    return [{ recipient: textIn(body, 'to', 'recipient'), code, message }];
  },
  accepted: ([first], { now }) => json(200, { data: { id: first?.otp_id, date: now.toISOString() } }),
  refused: refusedInJson,
  settings: ({ urlOf, secret }) => [
    { name: 'Base URL', value: urlOf('sms') },
    { name: 'API Key Request Header', value: 'X-API-Key' },
    { name: 'API Key', value: secret },
    // The form requires it. Sixdigit ignores it.
    { name: 'From', value: 'Sixdigit' },
    { name: 'Id Path', value: 'data.id' },
    { name: 'Date Path', value: 'data.date' },
  ],
  play: ({ recipient, code, secret }) => ({
    headers: { 'content-type': 'application/json', 'x-api-key': secret },
    body: JSON.stringify({ sender: 'Novu', to: recipient, content: `Your code is ${code}` }),
  }),
};
