import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { FieldValues } from '../../carrier.ts';

/** DKIM signatures (RFC 6376) of mail over SMTP: a selector, and an RSA key as base64 of PKCS #8 in one line. */
export interface Dkim {
  selector: string;
  key: string;
}

export const SELECTOR = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const isDkimSelector = (text: string): boolean => SELECTOR.test(text);

const LEAST_BITS = 1024;

/** Undefined if the text is not such a key. A PEM block is accepted too. */
export function dkimKey(text: string): KeyObject | undefined {
  const der = Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  try {
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= LEAST_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}

export const newDkimKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'der' })
    .toString('base64');

/** The TXT record of a key, and the name at which receivers look it up. */
export function dkimRecord({ selector, key }: Dkim, domain: string): { name: string; value: string } {
  const privateKey = dkimKey(key);
  if (!privateKey) throw new Error('Not a DKIM key');
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return {
    name: `${selector}._domainkey.${domain}`,
    value: `v=DKIM1; k=rsa; p=${spki.toString('base64')}`,
  };
}

/** The public key in a TXT record; undefined if it has none. */
export const publicKeyIn = (record: string): string | undefined =>
  /(?:^|;)\s*p=([A-Za-z0-9+/=\s]+)/.exec(record)?.[1]?.replace(/\s/g, '');

/** Undefined unless both are set. */
export const dkimOf = ({ dkim_selector, dkim_key }: FieldValues): Dkim | undefined =>
  dkim_selector && dkim_key ? { selector: dkim_selector, key: dkim_key } : undefined;
