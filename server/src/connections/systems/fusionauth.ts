import { codeIn } from '../code-in-text.ts';
import { jsonOf, textIn } from '../reading.ts';
import { json, refusedInJson, type System, secretInHead } from '../system.ts';

/** FusionAuth's generic messenger (fusionauth.io/docs/apis/messengers/generic): the number and the text. */
export const fusionauth: System = {
  kinds: ['sms', 'voice'],
  ...secretInHead,
  read(request) {
    const body = jsonOf(request);
    const { code, message } = codeIn(textIn(body, 'textMessage', 'message'), request.code_pattern);
    return [{ recipient: textIn(body, 'phoneNumber'), code, ...(request.kind === 'sms' ? { message } : {}) }];
  },
  accepted: ([first]) => json(200, { otp_id: first?.otp_id }),
  refused: refusedInJson,
  settings: ({ urlOf, secret }) => [
    { name: 'URL of the messenger for SMS', value: urlOf('sms') },
    { name: 'URL of the messenger for voice', value: urlOf('voice') },
    { name: 'Basic auth username', value: 'sixdigit' },
    { name: 'Basic auth password', value: secret },
  ],
  play: ({ recipient, code, secret }) => ({
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`sixdigit:${secret}`).toString('base64')}`,
    },
    body: JSON.stringify({ phoneNumber: recipient, textMessage: `Your two-factor code is: ${code}` }),
  }),
};
