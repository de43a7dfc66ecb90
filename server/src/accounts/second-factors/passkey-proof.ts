/**
 * The ceremonies of WebAuthn. Every passkey is discoverable and verifies its user, and is bound to the origin of `PUBLIC_URL`. A
 * challenge is consumed by its first credential, right or wrong.
 */

import type { Assertion, NewCredential } from '@sixdigit/contract/second-factors/passkeys.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import { type Config, pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import {
  type ChallengeOwner,
  consumePasskeyChallenge,
  createPasskeyChallenge,
  isPasskeyChallenge,
} from './passkey-challenges.ts';
import { credentialsOf, findCredential, noteUse, type PasskeyUse, suspect } from './passkey-queries.ts';

type App = Needs<'db' | 'random' | 'config' | 'log' | 'vault' | 'wakeups'>;

/** Throws `unauthenticated` if they were deleted. Every change of its factors takes this lock first. */
export interface LocksPeople {
  lockPerson(tx: Tx, person_id: string): Promise<unknown>;
}

/** Loaded on demand, because its code takes a tenth of a second to load. */
const webauthn = () => import('@simplewebauthn/server');

/** Call it before the API listens, because loading the code blocks all requests. */
export async function preparePasskeys(): Promise<void> {
  await webauthn();
}

export function relyingParty(config: Config): {
  id: string;
  name: string;
  origin: string;
} {
  const url = new URL(pageUrl({ config }, '/'));
  // The id of a relying party must be a host name, so a loopback address becomes `localhost`.
  if (LOOPBACK.includes(url.hostname)) url.hostname = 'localhost';
  return { id: url.hostname, name: config.brandName, origin: url.origin };
}

const LOOPBACK = ['127.0.0.1', '[::1]'];
/** EdDSA, ES256 and RS256 (RFC 9053, 8812), which authenticators support. */
const ALGORITHMS = [-8, -7, -257];
const CEREMONY_MS = 5 * 60_000;

export async function registrationOptions(
  app: App,
  owner: ChallengeOwner & { person_id: string },
  email: string,
): Promise<{ challenge: string }> {
  const { generateRegistrationOptions } = await webauthn();
  const { id, name } = relyingParty(app.config);
  const options = await generateRegistrationOptions({
    rpID: id,
    rpName: name,
    userID: handleOf(owner.person_id),
    userName: email,
    userDisplayName: email,
    challenge: await createPasskeyChallenge(app, owner),
    timeout: CEREMONY_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: await listed(app, owner.person_id),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { ...options };
}

/** If `owner` names no person, the browser offers every passkey that it has for this service. */
export async function assertionOptions(app: App, owner: ChallengeOwner): Promise<{ challenge: string }> {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(app.config).id,
    challenge: await createPasskeyChallenge(app, owner),
    timeout: CEREMONY_MS,
    userVerification: 'required',
    ...(owner.person_id === null ? {} : { allowCredentials: await listed(app, owner.person_id) }),
  });
  return { ...options };
}

const listed = async ({ db }: Needs<'db'>, person_id: string) =>
  (await credentialsOf(db, person_id)).map(({ credential_id, transports }) => ({
    id: credential_id.toString('base64url'),
    transports,
  }));

/** The user handle of WebAuthn: the 16 bytes of the person's id. */
const handleOf = (person_id: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(person_id.replaceAll('-', ''), 'hex'));

export interface Registered {
  credential_id: Buffer;
  public_key: Uint8Array;
  counter: number;
  transports: readonly string[];
  is_synced: boolean;
  is_syncable: boolean;
}

/**
 * Locks the person, consumes the challenge and runs `complete` in one transaction. Throws `invalid_passkey`, and
 * `unauthenticated` for a deleted person.
 */
export async function register<T>(
  app: App & LocksPeople,
  owner: ChallengeOwner & { person_id: string },
  credential: NewCredential,
  complete: (tx: Tx, registered: Registered) => Promise<T>,
): Promise<T> {
  const challenge = await openChallenge(app, owner, credential.response.clientDataJSON);
  const registered = await verified(app, owner, challenge, async () => {
    const { verifyRegistrationResponse } = await webauthn();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: credential as never,
      expectedChallenge: challenge,
      expectedOrigin: relyingParty(app.config).origin,
      expectedRPID: relyingParty(app.config).id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return registrationInfo;
  });
  const { id, publicKey, counter } = registered.credential;
  return app.db.transaction(async (tx) => {
    await app.lockPerson(tx, owner.person_id);
    if (!(await consumePasskeyChallenge(tx, challenge, owner))) throw new Failure('invalid_passkey');
    return complete(tx, {
      credential_id: Buffer.from(id, 'base64url'),
      public_key: publicKey,
      counter,
      transports: credential.response.transports ?? [],
      is_synced: registered.credentialBackedUp,
      is_syncable: registered.credentialDeviceType === 'multiDevice',
    });
  });
}

/**
 * Runs `complete` in the transaction that consumes the challenge and stores the counter. Throws `invalid_passkey`, and
 * `passkey_suspected` for a right signature whose counter did not grow: its owner gets a mail, and can use another factor.
 */
export async function proveByPasskey<T>(
  app: App,
  owner: ChallengeOwner,
  assertion: Assertion,
  complete: (tx: Tx, person_id: string) => Promise<T>,
): Promise<T> {
  const challenge = await openChallenge(app, owner, assertion.response.clientDataJSON);
  const passkey = await findCredential(app.db, Buffer.from(assertion.id, 'base64url'));
  const info = await verified(app, owner, challenge, async () => {
    if (!passkey || !isOwner(passkey.person_id, owner, assertion)) return undefined;
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified: isRight, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion as never,
      expectedChallenge: challenge,
      expectedOrigin: relyingParty(app.config).origin,
      expectedRPID: relyingParty(app.config).id,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id.toString('base64url'),
        publicKey: Uint8Array.from(passkey.public_key),
        // The statement below compares the counter, so that parallel requests cannot both pass.
        counter: 0,
      },
    });
    return isRight ? { ...authenticationInfo, passkey } : undefined;
  });
  const { id, person_id } = info.passkey;
  const outcome = await app.db.transaction(async (tx) => {
    if (!(await consumePasskeyChallenge(tx, challenge, owner))) return undefined;
    const use = {
      counter: info.newCounter,
      is_synced: info.credentialBackedUp,
      is_syncable: info.credentialDeviceType === 'multiDevice',
    };
    if ((await noteUse(tx, id, use)) === 1) return { completed: await complete(tx, person_id) };
    return (await noteSuspicion(tx, app, info.passkey, use)) ? 'suspected' : undefined;
  });
  if (outcome === 'suspected') {
    app.wakeups.notify('notices');
    throw new Failure('passkey_suspected');
  }
  if (!outcome) throw new Failure('invalid_passkey');
  return outcome.completed;
}

/** Returns false if the passkey was removed meanwhile. Mails its owner at most once a day. */
async function noteSuspicion(
  tx: Tx,
  app: App,
  { id, person_id }: { id: string; person_id: string },
  { counter }: PasskeyUse,
): Promise<boolean> {
  const suspected = await suspect(tx, id);
  if (!suspected) return false;
  app.log.warn({ person_id, passkey_id: id, counter }, 'the counter of a passkey did not grow');
  if (suspected.is_first)
    await notifyPerson(tx, app, person_id, { kind: 'passkeySuspected', name: suspected.name });
  return true;
}

/** The passkey must belong to the person who gives the proof, and to the user that its response names. */
function isOwner(person_id: string, owner: ChallengeOwner, { response }: Assertion): boolean {
  const named = response.userHandle;
  const isNamed = named
    ? Buffer.from(named, 'base64url').equals(Buffer.from(handleOf(person_id)))
    : owner.person_id !== null;
  return isNamed && (owner.person_id === null || owner.person_id === person_id);
}

/** The challenge that the browser signed. Throws `invalid_passkey` if it is not one of the owner's pending challenges. */
async function openChallenge(app: App, owner: ChallengeOwner, clientDataJSON: string): Promise<string> {
  const challenge = challengeIn(clientDataJSON);
  if (challenge === undefined || !(await isPasskeyChallenge(app.db, challenge, owner)))
    throw new Failure('invalid_passkey');
  return challenge;
}

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    return typeof challenge === 'string' && challenge.length < 200 ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** A wrong credential also consumes the challenge. */
async function verified<T>(
  app: App,
  owner: ChallengeOwner,
  challenge: string,
  verify: () => Promise<T | undefined>,
): Promise<T> {
  let reason: unknown;
  const result = await verify().catch((cause: unknown) => {
    reason = cause;
    return undefined;
  });
  if (result !== undefined) return result;
  await consumePasskeyChallenge(app.db, challenge, owner);
  app.log.debug({ err: reason }, 'a passkey was refused');
  throw new Failure('invalid_passkey');
}
