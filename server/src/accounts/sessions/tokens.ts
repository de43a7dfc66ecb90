/**
 * Access tokens are signed by the server and hold the person, the session and the expiry; they are valid only while the session
 * exists. Refresh tokens are `session (16) | secret (32) | tag (16)`. A child's secret is derived from its parent under the
 * server key, so the same parent always yields the same child, and only hashes are stored. The tag proves that the server issued
 * the token: only an issued token can end a session by reuse.
 */

import { createHash } from 'node:crypto';
import type { Needs } from '../../platform/platform.ts';
import { uuidText } from '../../platform/security/random.ts';
import { equalSecrets } from '../../platform/security/vault.ts';

type App = Needs<'vault'>;

export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();

// ── access ──

export interface Access {
  session_id: string;
  person_id: string;
  expires_at: Date;
}

export function signAccess(app: App, { session_id, person_id, expires_at }: Access): string {
  const bytes = Buffer.alloc(38);
  idBytes(session_id).copy(bytes, 0);
  idBytes(person_id).copy(bytes, 16);
  bytes.writeUIntBE(expires_at.getTime(), 32, 6);
  const body = bytes.toString('base64url');
  return `${body}.${app.vault.fingerprint('access token', body).toString('base64url')}`;
}

/** Returns undefined if the signature is wrong. The database checks the expiry. */
export function readAccess(app: App, token: string): Access | undefined {
  const [body = '', signature = ''] = token.split('.');
  const [bytes, given] = [Buffer.from(body, 'base64url'), Buffer.from(signature, 'base64url')];
  if (bytes.length !== 38 || token !== `${bytes.toString('base64url')}.${given.toString('base64url')}`)
    return undefined;
  if (!app.vault.fingerprints('access token', body).some((own) => equalSecrets(own, given))) return undefined;
  return {
    session_id: uuidText(bytes.subarray(0, 16)),
    person_id: uuidText(bytes.subarray(16, 32)),
    expires_at: new Date(bytes.readUIntBE(32, 6)),
  };
}

// ── refresh ──

/** The first token of a session's family. */
export function firstRefresh(app: Needs<'vault' | 'random'>, session_id: string): string {
  const body = Buffer.concat([idBytes(session_id), app.random.bytes(32)]);
  return refreshText(body, app.vault.fingerprint('refresh tag', body.toString('base64url')));
}

/** The session id in a refresh token, whose tag is not verified here. Undefined if the token is malformed. */
export function sessionOfRefresh(token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url');
  return bytes.length === 64 && bytes.toString('base64url') === token
    ? uuidText(bytes.subarray(0, 16))
    : undefined;
}

/** The child token under the current server key, followed by those under the previous keys. */
export function childrenOf(app: App, parent: string): string[] {
  const session = Buffer.from(parent, 'base64url').subarray(0, 16);
  return app.vault.fingerprints('refresh child', parent).map((secret, index) => {
    const body = Buffer.concat([session, secret]);
    const tag = app.vault.fingerprints('refresh tag', body.toString('base64url'))[index] as Buffer;
    return refreshText(body, tag);
  });
}

/** Whether the server issued this token. */
export function isOurRefresh(app: App, token: string): boolean {
  const bytes = Buffer.from(token, 'base64url');
  return app.vault
    .fingerprints('refresh tag', bytes.subarray(0, 48).toString('base64url'))
    .some((tag) => equalSecrets(tag.subarray(0, 16), bytes.subarray(48)));
}

const refreshText = (body: Buffer, tag: Buffer): string =>
  Buffer.concat([body, tag.subarray(0, 16)]).toString('base64url');

const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');
