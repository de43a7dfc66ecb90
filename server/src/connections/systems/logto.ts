import { clientAddress, codeOf, jsonOf, textIn, within, withPlus } from '../reading.ts';
import { json, type System, secretInHead } from '../system.ts';

/**
 * Logto's HTTP connectors for SMS and e-mail (logto-io/logto, `packages/connectors/connector-http-sms`). The body of a refusal
 * becomes the error message.
 */
export const logto: System = {
  kinds: ['sms', 'email'],
  ...secretInHead,
  read(request) {
    const body = jsonOf(request);
    const to = textIn(body, 'to');
    const payload = within(body, 'payload');
    const code = codeOf(textIn(payload, 'code'));
    const locale = textIn(payload, 'locale');
    return [
      {
        recipient: request.kind === 'sms' ? withPlus(to) : to,
        code,
        locale,
        ...clientAddress(body, 'ip'),
      },
    ];
  },
  accepted: ([first]) => json(200, { otp_id: first?.otp_id }),
  refused: ({ status, reason, sentence }) => json(status, { message: sentence, reason }),
  settings: ({ urlOf, secret }) => [
    { name: 'Endpoint of the HTTP SMS connector', value: urlOf('sms') },
    { name: 'Endpoint of the HTTP email connector', value: urlOf('email') },
    { name: 'Authorization Header of both connectors', value: secret },
  ],
  play: ({ recipient, code, secret }) => ({
    headers: { 'content-type': 'application/json', authorization: secret },
    body: JSON.stringify({ to: recipient, type: 'SignIn', payload: { code } }),
  }),
};
