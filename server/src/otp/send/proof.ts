/**
 * Proof of work before a send. A challenge is a hash in the format of ALTCHA's first version: the caller finds the number whose
 * SHA-256 with the salt it is. The salt names the expiry and, as a keyed hash, the account, its mode and the recipient; the signature
 * covers all of it. So a challenge needs no row, and only used ones are stored.
 */

import { createHash } from 'node:crypto';
import type { createChallenge } from '@sixdigit/contract/proof.ts';
import {
  type Challenge,
  PROOF_COST,
  PROOF_MODES,
  PROOF_SECONDS,
  type ProofMode,
  type ProofProblem,
} from '@sixdigit/contract/proof.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { FastifyRequest } from 'fastify';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { jsonLiteral } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import { equalSecrets, hex } from '../../platform/security/vault.ts';
import { destinationOf, type Protection } from '../../protection/protection.ts';
import type { LimitsOfAccounts } from '../../settings/account-limits/account-limits.ts';
import { askedOf } from './destination-guard.ts';
import {
  guardedDestination,
  normaliseRecipient,
  recipientHash,
  type SendProof,
  type UsedProof,
} from './item.ts';

type App = Needs<'vault' | 'clock' | 'random' | 'config'> & {
  accountLimits: LimitsOfAccounts;
  protection: Pick<Protection, 'guard'>;
};
type Program = Pick<ApiCaller, 'account_id' | 'api_key_id' | 'is_test' | 'require_proof'>;
type Asked = Parsed<typeof createChallenge, 'body'>;

/** The stricter one of the settings of the account and the key. The account's rules, and so its setting, ignore tests. */
export function proofMode(
  { protection }: Pick<App, 'protection'>,
  { account_id, is_test, require_proof = 'never' }: Pick<Program, 'account_id' | 'is_test' | 'require_proof'>,
): ProofMode {
  const account = is_test ? 'never' : protection.guard.policyOf(account_id).require_proof;
  return PROOF_MODES.indexOf(account) > PROOF_MODES.indexOf(require_proof) ? account : require_proof;
}

/**
 * Checks the proof of a send with two hashes and two HMACs, before anything else. Only requests of the API can give one, so only they
 * need one. Throws the refusal, or a field error for an invalid recipient.
 */
export function checkProof<B extends Asked & { proof?: string | undefined; code?: unknown }, C>(
  app: App,
  program: Program,
  { body: { proof: given, ...body }, request, ...call }: C & { body: B; request: FastifyRequest },
) {
  const proof = proofOf(app, program, body, given);
  // A repeated request or code gets its first response all the same.
  const isFirst = request.headers['idempotency-key'] === undefined && body.code === undefined;
  if (proof?.problem && isFirst) throw proofRefusal(app, program, body, proof.problem);
  return { ...call, request, body, proof };
}

function proofOf(app: App, program: Program, to: Asked, given: string | undefined): SendProof | undefined {
  const mode = proofMode(app, program);
  if (given === undefined && mode === 'never') return undefined;
  if (given === undefined) return mode === 'always' ? { mode, problem: 'missing' } : { mode };
  const { recipient } = recipientOf(app, program, to);
  return { mode, ...checked(app, subjectOf(program, recipient), given) };
}

/** The refusal, with a challenge for the next attempt. */
export function proofRefusal(
  app: App,
  program: Program,
  to: Asked,
  problem: ProofProblem | 'missing',
): Failure {
  const challenge = challengeFor(app, program, to);
  return problem === 'missing'
    ? new Failure('proof_required', { challenge })
    : new Failure('invalid_proof', { problem, challenge });
}

/** The part of the salt behind its random digits. Its end keeps digits of the number from counting as those of a parameter. */
const PARAMETERS = /\?expires=(\d{1,12})&for=([\da-f]{32})&\d*$/;

export function challengeFor(app: App, program: Program, to: Asked): Challenge {
  const { vault, random, clock } = app;
  const { recipient } = recipientOf(app, program, to);
  const expires = Math.floor(clock.now().getTime() / 1000) + PROOF_SECONDS;
  const owner = fingerprintOf(vault.fingerprint(OWNER, subjectOf(program, recipient)));
  const salt = `${random.bytes(12).toString('hex')}?expires=${expires}&for=${owner}&`;
  const maxnumber = costOf(app, program, to, recipient);
  const number = Math.floor((random.bytes(4).readUInt32BE() / 2 ** 32) * (maxnumber + 1));
  const challenge = hashOf(salt, number);
  const signature = vault.fingerprint(SIGNATURE, challenge).toString('hex');
  return { algorithm: 'SHA-256', challenge, maxnumber, salt, signature };
}

const SIGNATURE = 'proof';
const OWNER = 'proof-owner';
const fingerprintOf = (hash: Buffer): string => hash.toString('hex', 0, 16);
const hashOf = (salt: string, number: number): string =>
  createHash('sha256').update(`${salt}${number}`).digest('hex');

const subjectOf = ({ account_id, is_test }: Program, recipient: string): string =>
  `${account_id} ${is_test ? 'test' : 'live'} ${recipient}`;

const recipientOf = (app: App, { account_id, is_test }: Program, { recipient }: Asked) =>
  normaliseRecipient(app, recipient.includes('@') ? 'email' : 'sms', recipient, {
    is_test,
    countries: is_test ? undefined : app.accountLimits.of(account_id)?.countries,
  });

/** The numbers to try. Rules do not press on tests and emails. */
function costOf(app: App, program: Program, { client_ip }: Asked, recipient: string): number {
  const { guard } = app.protection;
  const { base, atLimit, most } = PROOF_COST;
  if (program.is_test || recipient.includes('@')) return base;
  const to = destinationOf(recipient, client_ip ?? null);
  const asked = askedOf(
    guard,
    {
      ...program,
      destination: guardedDestination(app, program.account_id, to),
      recipient_hash: recipientHash(app, recipient),
    },
    { known: undefined, sends_today: 0, now_ms: app.clock.now().getTime() },
  );
  const level = asked ? guard.pressureOf(asked) : 0;
  return level < 1 ? base : Math.min(most, Math.round(atLimit * level));
}

/** A widget's solution. */
interface Solution {
  algorithm?: unknown;
  challenge?: unknown;
  number?: unknown;
  salt?: unknown;
  signature?: unknown;
}

function checked(
  { vault, clock }: Needs<'vault' | 'clock'>,
  subject: string,
  given: string,
): Pick<SendProof, 'used' | 'problem'> {
  const solved = solutionIn(given);
  const isOurs =
    solved &&
    vault
      .fingerprints(SIGNATURE, solved.challenge)
      .some((one) => equalSecrets(one, Buffer.from(solved.signature, 'hex')));
  const [, expires, owner] = (isOurs && PARAMETERS.exec(solved.salt)) || [];
  if (!solved || owner === undefined) return { problem: 'wrong' };
  if (!vault.fingerprints(OWNER, subject).some((one) => fingerprintOf(one) === owner))
    return { problem: 'other_recipient' };
  const expires_ms = Number(expires) * 1000;
  if (expires_ms <= clock.now().getTime()) return { problem: 'expired' };
  return { used: { id: solved.challenge.slice(0, 32), expires_at: new Date(expires_ms).toISOString() } };
}

/** Undefined unless the number solves the challenge. */
function solutionIn(given: string): { challenge: string; salt: string; signature: string } | undefined {
  let solution: Solution | null;
  try {
    solution = JSON.parse(Buffer.from(given, 'base64').toString());
  } catch {
    return undefined;
  }
  const { algorithm = 'SHA-256', challenge, number, salt, signature } = solution ?? {};
  if (algorithm !== 'SHA-256' || typeof salt !== 'string' || typeof signature !== 'string') return undefined;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  return hashOf(salt, number) === challenge ? { challenge, salt, signature } : undefined;
}

export const selectUsedProofs = (ids: readonly string[]): string =>
  `SELECT encode(p.id, 'hex') AS id FROM used_proofs p
   WHERE p.id = ANY (ARRAY(SELECT decode(i.id, 'hex') FROM json_array_elements_text(${jsonLiteral(ids)}) AS i (id)))`;

/** Fails if one is used already. The lock of its recipient keeps concurrent sends from that. */
export const insertUsedProofs = (proofs: readonly UsedProof[]): string =>
  `INSERT INTO used_proofs (id, expires_at)
   SELECT id, expires_at FROM json_populate_recordset(null::used_proofs, ${jsonLiteral(
     proofs.map(({ id, expires_at }) => ({ id: hex(Buffer.from(id, 'hex')), expires_at })),
   )})`;
