import { codeIn } from '../code-in-text.ts';
import { jsonOf, textIn, within } from '../reading.ts';
import { json, refusedInJson, type System, secretInHead } from '../system.ts';

const CODES = ['login_code', 'registration_code', 'verification_code', 'recovery_code', 'settings_code'];

/** The request body that Kratos makes for us from its data. */
const JSONNET = `function(ctx) {
  recipient: ctx.recipient,
  code: std.get(ctx.template_data, 'login_code', std.get(ctx.template_data, 'registration_code',
        std.get(ctx.template_data, 'verification_code', std.get(ctx.template_data, 'recovery_code')))),
  expires_in: std.get(ctx.template_data, 'expires_in_minutes', 0) * 60,
}
`;

const requestTo = (url: string, secret: string): string => `request_config:
        url: ${url}
        method: POST
        headers: { Content-Type: application/json }
        auth: { type: api_key, config: { name: Authorization, value: "Bearer ${secret}", in: header } }
        body: base64://${Buffer.from(JSONNET).toString('base64')}`;

/** Kratos sends emails by SMTP unless `delivery_strategy` is `http`. */
const configuration = (sms: string, email: string): string => `courier:
  channels:
    - id: sms
      type: http
      ${sms}
  delivery_strategy: http
  http:
      ${email}
`;

/**
 * Ory Kratos' courier of type `http` (ory/kratos, `courier/http_channel.go`), with our Jsonnet or with its whole data, of which the
 * rendered text may be all that contains the code. It logs the beginning of a refusal and tries again later.
 */
export const kratos: System = {
  kinds: ['sms', 'email'],
  ...secretInHead,
  read(request) {
    const body = jsonOf(request);
    const code = textIn(body, 'code') ?? textIn(within(body, 'template_data'), ...CODES);
    const minutes = Number(textIn(within(body, 'template_data'), 'expires_in_minutes') ?? 0);
    const seconds = Number(textIn(body, 'expires_in') ?? minutes * 60);
    return [
      {
        recipient: textIn(body, 'recipient'),
        ...(code === undefined ? codeIn(textIn(body, 'body'), request.code_pattern) : { code }),
        ...(seconds >= 60 && seconds <= 3_600 ? { expires_in: seconds } : {}),
      },
    ];
  },
  accepted: ([first]) => json(200, { otp_id: first?.otp_id }),
  refused: refusedInJson,
  settings: ({ urlOf, secret }) => [
    {
      name: 'Configuration file (kratos.yml)',
      value: configuration(requestTo(urlOf('sms'), secret), requestTo(urlOf('email'), secret)),
    },
  ],
  play: ({ recipient, code, secret }) => ({
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ recipient, code, expires_in: 900 }),
  }),
};
