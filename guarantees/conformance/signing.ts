import { createHmac } from 'node:crypto';

/** How a system signs its requests. Systems that send a secret need none of this: their headers or bodies contain `{secret}`. */
export type Signature =
  | {
      scheme: 'standard-webhooks';
      /** `{message_uuid}` is the same in all attempts of a message, `{attempt_uuid}` differs */
      id: string;
      /** between several signatures; Standard Webhooks wants a space */
      join: string;
    }
  | { scheme: 'zitadel'; header: string };

export interface Signed {
  body: Buffer;
  /** one signature each */
  secrets: string[];
  /** the moment that the signatures cover */
  at: Date;
  /** the moment that the header states */
  statedAt: Date;
  /** Standard Webhooks */
  id: string;
}

const secondsOf = (at: Date): string => String(Math.floor(at.getTime() / 1000));

/** The headers of a signed request. */
export function signatureOf(
  signature: Signature,
  { body, secrets, at, statedAt, id }: Signed,
): Record<string, string> {
  if (signature.scheme === 'zitadel') {
    const macs = secrets.map(
      (secret) =>
        `v1=${createHmac('sha256', secret)
          .update(`${secondsOf(at)}.`)
          .update(body)
          .digest('hex')}`,
    );
    return { [signature.header]: [`t=${secondsOf(statedAt)}`, ...macs].join(',') };
  }
  const macs = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^v1,/, '').replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key)
      .update(`${id}.${secondsOf(at)}.`)
      .update(body)
      .digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': secondsOf(statedAt),
    'webhook-signature': macs.join(signature.join),
  };
}

/** Another secret of the same form and length: one character in the middle differs. */
export function otherSecret(secret: string): string {
  const middle = Math.floor(secret.length * 0.6);
  const at = [...secret].findIndex((one, n) => n >= middle && /[A-Za-z0-9]/.test(one));
  return `${secret.slice(0, at)}${secret[at] === 'a' ? 'b' : 'a'}${secret.slice(at + 1)}`;
}
