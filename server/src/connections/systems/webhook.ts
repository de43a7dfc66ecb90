import { readSecret, signedHeaders, verifySigned } from '../../platform/signing/standard-webhooks.ts';
import { codeIn } from '../code-in-text.ts';
import { clientAddress, jsonOf, textIn } from '../reading.ts';
import { anyOf, json, refusedInJson, type System } from '../system.ts';

/** Any program that signs as Standard Webhooks says. Its `webhook-id` is the same in all attempts of one message. */
export const webhook: System = {
  kinds: ['sms', 'email', 'voice'],
  newSecret: ({ random }) => `whsec_${random.bytes(32).toString('base64')}`,
  readSecret,
  isFromBody: ({ headers, bytes, now }, secrets) =>
    anyOf(secrets, (secret) => verifySigned({ secret, headers, rawBody: bytes, now })),
  read(request) {
    const body = jsonOf(request);
    const [code, message] = [textIn(body, 'code'), textIn(body, 'message')];
    return [
      {
        recipient: textIn(body, 'recipient'),
        ...(code === undefined ? codeIn(message, request.code_pattern) : { code, message }),
        locale: textIn(body, 'locale'),
        channel: textIn(body, 'channel'),
        ...(body.expires_in === undefined ? {} : { expires_in: body.expires_in }),
        ...clientAddress(body, 'client_ip'),
        message_id: textIn({ ...request.headers }, 'webhook-id'),
      },
    ];
  },
  accepted: ([first]) => json(200, first),
  refused: refusedInJson,
  settings: ({ urlOf, secret }) => [
    { name: 'URL for SMS', value: urlOf('sms') },
    { name: 'URL for email', value: urlOf('email') },
    { name: 'URL for voice', value: urlOf('voice') },
    { name: 'Signing secret (Standard Webhooks)', value: secret },
  ],
  play({ kind, recipient, code, secret, now, random }) {
    const body = JSON.stringify({ recipient, channel: kind, code });
    const signed = signedHeaders({ id: `msg_${random.uuid()}`, at: now, body }, [secret]);
    return { headers: { 'content-type': 'application/json', ...signed }, body };
  },
};
