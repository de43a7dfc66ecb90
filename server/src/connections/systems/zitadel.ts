import { createHmac } from 'node:crypto';
import { equalSecrets } from '../../platform/security/vault.ts';
import { codeOf, jsonOf, textIn, within } from '../reading.ts';
import { json, readTextSecret, refusedInJson, type System, textSecret } from '../system.ts';

const TOLERANCE_SECONDS = 300;
const HEADERS = ['zitadel-signature', 'x-zitadel-signature'] as const;

/** Each provider has its own signing key. A connection for both has two keys, separated by a comma. */
const keysOf = (secret: string): string[] => secret.split(/, */);

const mac = (secret: string, at: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');

/**
 * Zitadel's SMS and e-mail providers of type HTTP (zitadel/zitadel, `internal/notification/channels/webhook`,
 * `pkg/actions/signing.go`): `ZITADEL-Signature: t=<seconds>,v1=<hex>`, with the key as text. It ignores the body of responses
 * and repeats a notification that was not accepted.
 */
export const zitadel: System = {
  kinds: ['sms', 'email'],
  newSecret: textSecret,
  readSecret: readTextSecret,
  isFromBody({ headers, bytes, now }, secrets) {
    const header = HEADERS.map((name) => headers[name]).find((value) => typeof value === 'string');
    const parts = String(header ?? '')
      .split(',')
      .map((part) => part.trim().split('='));
    const at = parts.find(([name]) => name === 't')?.[1] ?? '';
    if (!/^\d{1,12}$/.test(at)) return false;
    if (Math.abs(Math.floor(now.getTime() / 1000) - Number(at)) > TOLERANCE_SECONDS) return false;
    const given = parts.flatMap(([name, value = '']) =>
      name === 'v1' ? [Buffer.from(value.toLowerCase())] : [],
    );
    const expected = secrets.flatMap(keysOf).map((key) => Buffer.from(mac(key, at, bytes)));
    return given.flatMap((one) => expected.filter((other) => equalSecrets(one, other))).length > 0;
  },
  read(request) {
    const body = jsonOf(request);
    const [context, args] = [within(body, 'contextInfo'), within(body, 'args')];
    const recipient =
      request.kind === 'email'
        ? textIn(context, 'recipientEmailAddress')
        : textIn(context, 'recipientPhoneNumber');
    return [{ recipient, code: codeOf(textIn(args, 'code', 'Code')) }];
  },
  accepted: () => json(200, {}),
  refused: refusedInJson,
  settings: ({ urlOf }) => [
    { name: 'endpoint in POST /admin/v1/sms/http', value: urlOf('sms') },
    { name: 'endpoint in POST /admin/v1/email/http', value: urlOf('email') },
  ],
  play({ kind, recipient, code, secret, now, random }) {
    const provider = { id: random.uuid(), description: 'Sixdigit' };
    const body = JSON.stringify({
      contextInfo: {
        ...(kind === 'email' ? { recipientEmailAddress: recipient } : { recipientPhoneNumber: recipient }),
        eventType: kind === 'email' ? 'user.human.email.code.added' : 'user.human.phone.code.added',
        provider,
      },
      templateData: { text: `Use ${code} to verify your account` },
      args: { code, domain: 'example.com' },
    });
    const at = String(Math.floor(now.getTime() / 1000));
    const signature = `t=${at},v1=${mac(keysOf(secret)[0] ?? '', at, body)}`;
    return { headers: { 'content-type': 'application/json', 'zitadel-signature': signature }, body };
  },
};
