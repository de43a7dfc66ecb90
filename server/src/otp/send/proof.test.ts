import { createContext, runInContext } from 'node:vm';
import { createApiKey, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { type Challenge, createChallenge, PROOF_COST, type ProofMode } from '@sixdigit/contract/proof.ts';
import {
  checkDestination,
  listDecisions,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { sendTestCode } from '@sixdigit/contract/test-send.ts';
import { createChallenge as altchaChallenge, solveChallenge } from 'altcha-lib/v1';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { numberOf, proofWith, solved } from '../../../test/proof.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { read } from '../../../test/source.ts';
import { retentionJobs } from '../../operations/retention/retention.ts';

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
let count = 0;
const phone = (prefix = '+1415555') => `${prefix}${3000 + ++count}`;

type Owner = Sender & { bearer: string };
const owner = async (require_proof: ProofMode = 'never', rules: object = {}): Promise<Owner> => {
  const made = await sender(service, `Proof${++count}`);
  const bearer = await signedIn(service, made);
  expect((await service.call(updateProtection, { bearer, body: { require_proof, rules } })).status).toBe(200);
  return { ...made, bearer };
};
const challengeFor = async (alice: { key(): string }, recipient: string, more = {}): Promise<Challenge> => {
  const { status, body } = await service.call(createChallenge, {
    apiKey: alice.key(),
    body: { recipient, ...more },
  });
  expect(status).toBe(201);
  return body;
};
/** The refusal's reason and problem, or else 201. */
const told = async (sending: ReturnType<Sender['send']>) => {
  const { status, body } = await sending;
  return status === 201 ? status : (body.problem ?? body.reason ?? Object.keys(body));
};
const usedProofs = () => service.app.db.rows('select from used_proofs');

test('ALTCHA’s library makes and solves the same challenges', async () => {
  const alice = await owner('always');
  const recipient = phone();
  const { signature, ...challenge } = await challengeFor(alice, recipient);
  const solution = await solveChallenge(challenge.challenge, challenge.salt, 'SHA-256', challenge.maxnumber)
    .promise;
  const number = solution?.number ?? -1;
  const { salt, maxnumber } = challenge;
  expect(await altchaChallenge({ hmacKey: 'of theirs', salt, number, maxnumber })).toMatchObject(challenge);
  const proof = proofWith({ ...challenge, signature }, { number });
  expect(await told(alice.send(recipient, { proof }))).toBe(201);
});

test('the sample page in the documentation solves a challenge and sends with it', async () => {
  const alice = await owner('always');
  const [worker = '', page = ''] = [...read('docs/protection.md').matchAll(/```js\n(.*?)```/gs)].map(
    ([, code]) => code,
  );
  /** The browser's, which runs the first sample. */
  class Worker {
    onmessage?: (event: { data: unknown }) => void;
    scope = createContext({
      ...{ TextEncoder, crypto, btoa },
      postMessage: (data: unknown) => this.onmessage?.({ data }),
    });
    postMessage(data: unknown) {
      runInContext(worker, this.scope);
      this.scope.onmessage({ data });
    }
    terminate() {}
  }
  const fetch = async (_path: string, { body }: { body: string }) => {
    const answer = await service.call(sendOtp, {
      apiKey: alice.key(),
      body: { channel: 'sms', ...JSON.parse(body) },
    });
    return { json: async () => answer.body };
  };
  const scope = createContext({ Worker, fetch });
  runInContext(page, scope);
  expect(await scope.requestCode(phone())).toMatchObject({ status: 'pending' });
});

test('a challenge does not name its recipient', async () => {
  const alice = await owner();
  const challenge = await challengeFor(alice, '+14155553999');
  expect(JSON.stringify(challenge)).not.toMatch(/415555|3999/);
});

test.each<[string, unknown, (challenge: Challenge) => string]>([
  ['a wrong number', 'wrong', (challenge) => proofWith(challenge, { number: numberOf(challenge) + 1 })],
  ['a number as text', 'wrong', (challenge) => proofWith(challenge, { number: `${numberOf(challenge)}` })],
  ['another algorithm', 'wrong', (it) => proofWith(it, { number: numberOf(it), algorithm: 'SHA-1' })],
  ['another signature', 'wrong', (it) => proofWith(it, { number: numberOf(it), signature: '00'.repeat(32) })],
  ['no signature', 'wrong', (it) => proofWith(it, { number: numberOf(it), signature: null })],
  [
    'a later expiry',
    'wrong',
    (it) => proofWith(it, { number: numberOf(it), salt: it.salt.replace('expires=1', 'expires=2') }),
  ],
  ['no JSON', 'wrong', () => Buffer.from('{').toString('base64')],
  ['no object', 'wrong', () => Buffer.from('null').toString('base64')],
  ['no base64', ['proof'], () => '{"number":1}'],
  ['more than 2,048 characters', ['proof'], () => 'A'.repeat(2_049)],
])('a proof with %s is refused and costs nothing', async (_, problem, proofOf) => {
  const alice = await owner();
  const recipient = phone();
  const proof = proofOf(await challengeFor(alice, recipient));
  expect(await told(alice.send(recipient, { proof }))).toEqual(problem);
  expect(await alice.balance()).toBe(100);
});

test('a proof is for one recipient, account and mode, of any key, and for ten minutes', async () => {
  const [alice, bob] = [await owner('always'), await owner('always')];
  const recipient = phone();
  const proofs = await Promise.all([1, 2, 3].map(async () => solved(await challengeFor(alice, recipient))));
  const [first, second, third] = proofs;
  expect(await told(alice.send(phone(), { proof: first }))).toBe('other_recipient');
  expect(await told(bob.send(recipient, { proof: first }))).toBe('other_recipient');
  const body = { name: 'Test', mode: 'test' as const };
  const { key } = (await service.call(createApiKey, { bearer: alice.bearer, body })).body;
  const asTest = service.call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient, proof: first } });
  expect(await told(asTest)).toBe('other_recipient');
  expect(await told(alice.send(recipient, { proof: first }))).toBe(201);
  await service.clock.advance(595_000);
  expect(await told(alice.send(recipient, { proof: second }))).toBe(201);
  await service.clock.advance(10_000);
  const expired = await alice.send(recipient, { proof: third });
  expect(expired.body).toMatchObject({ reason: 'invalid_proof', problem: 'expired' });
  const proof = solved(expired.body.challenge as Challenge);
  expect(await told(alice.send(recipient, { proof }))).toBe(201);
});

test('one of many parallel sends with one proof over two processes passes', async () => {
  const alice = await owner('always');
  const recipient = phone();
  const proof = solved(await challengeFor(alice, recipient));
  await other.app.protection.exchange();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      told(
        (n % 2 ? service : other).call(sendOtp, {
          apiKey: alice.key(),
          body: { channel: 'sms', recipient, proof, purpose: `p${n}` },
        }),
      ),
    ),
  );
  expect(answers.toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 'used')]);
});

test('a send that is refused for another reason leaves its proof valid', async () => {
  const alice = await owner('always');
  const recipient = phone();
  const proof = solved(await challengeFor(alice, recipient));
  const deny = [{ kind: 'number' as const, value: recipient }];
  await service.call(updateProtection, { bearer: alice.bearer, body: { deny } });
  expect(await told(alice.send(recipient, { proof }))).toBe('destination_blocked');
  await service.call(updateProtection, { bearer: alice.bearer, body: { deny: [] } });
  expect(await told(alice.send(recipient, { proof }))).toBe(201);
  expect(await told(alice.send(recipient, { proof }))).toBe('used');
});

test('a request with the same Idempotency-Key gets its first response, whatever its proof', async () => {
  const alice = await owner('always');
  const recipient = phone();
  const headers = { 'idempotency-key': 'one' };
  const needed = await alice.send(recipient, {}, headers);
  expect(needed.body.reason).toBe('proof_required');
  const proof = solved(needed.body.challenge as Challenge);
  const first = await alice.send(recipient, { proof }, headers);
  for (const more of [{ proof }, {}]) {
    const again = await alice.send(recipient, more, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
  }
});

test('the stricter one of the account’s and the key’s settings counts, and the account’s only for live keys', async () => {
  const alice = await owner('always');
  expect(await told(alice.send(phone()))).toBe('proof_required');
  expect(await told(alice.send('ann@example.com', { channel: 'email' }))).toBe('proof_required');
  const plan = { channel: undefined, channels: ['sms', 'voice'] as const };
  expect(await told(alice.send(phone(), plan as never))).toBe('proof_required');

  const body = { name: 'Test', mode: 'test' as const };
  const { key, id } = (await service.call(createApiKey, { bearer: alice.bearer, body })).body;
  const asTest = () =>
    told(service.call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient: phone() } }));
  expect(await asTest()).toBe(201);
  const change = { require_proof: 'always' as const };
  await service.call(updateApiKey, { bearer: alice.bearer, params: { id }, body: change });
  expect(await asTest()).toBe('proof_required');

  const bob = await owner();
  await service.call(updateApiKey, {
    bearer: bob.bearer,
    params: { id: bob.api_key_id },
    body: change,
  });
  const withKey = (apiKey: string) =>
    told(service.call(sendOtp, { apiKey, body: { channel: 'sms', recipient: phone() } }));
  expect(await withKey(bob.api_key)).toBe('proof_required');
  expect(await withKey(bob.keys[1] ?? '')).toBe(201);
});

test('resends, the dashboard’s test codes and calls in other systems’ forms need no proof', async () => {
  const alice = await owner();
  const otp_id = await alice.sent(phone());
  await service.call(updateProtection, { bearer: alice.bearer, body: { require_proof: 'always' } });
  const again = await service.call(resendOtp, { apiKey: alice.key(), params: { otp_id }, body: {} });
  expect([again.status, again.body.status]).toEqual([200, 'pending']);
  const body = { api_key: alice.api_key_id, channel: 'sms' as const, recipient: phone() };
  expect((await service.call(sendTestCode, { bearer: alice.bearer, body })).status).toBe(201);
  const relayed = await service.inject({
    method: 'POST',
    url: '/compat/camara/one-time-password-sms/v1/send-code',
    headers: { authorization: `Bearer ${alice.key()}` },
    payload: { phoneNumber: phone(), message: 'Code: {{code}}' },
  });
  expect(relayed.statusCode).toBe(200);
});

const FIVE = { prefix_velocity: { mode: 'enforce', limit: 5 } };

test('under pressure, a proof replaces the refusal of a rule on many sends up to twice its limit', async () => {
  const alice = await owner('under_pressure', FIVE);
  const prefix = '+1212555';
  const recipient = phone(prefix);
  expect((await challengeFor(alice, recipient)).maxnumber).toBe(PROOF_COST.base);
  for (let n = 0; n < 5; n++) expect(await told(alice.send(phone(prefix)))).toBe(201);
  const needed = await alice.send(recipient);
  await service.app.requestLog.flush();
  const logged = await service.call(listRequestLogs, { bearer: alice.bearer });
  expect(logged.body.results[0]).toMatchObject({ reason: 'proof_required', otp: { recipient } });
  expect(needed.body).toMatchObject({
    reason: 'proof_required',
    challenge: { maxnumber: PROOF_COST.atLimit },
  });
  expect(
    (await service.call(checkDestination, { apiKey: alice.key(), body: { recipient } })).body,
  ).toMatchObject({ decision: 'refused', blocked_by: [], refusal: { reason: 'proof_required' } });
  const proof = solved(needed.body.challenge as Challenge);
  expect(await told(alice.send(recipient, { proof }))).toBe(201);
  const { maxnumber } = await challengeFor(alice, phone(prefix));
  expect(maxnumber).toBe(1.2 * PROOF_COST.atLimit);
  for (let n = 0; n < 4; n++) {
    const to = phone(prefix);
    expect(await told(alice.send(to, { proof: solved(await challengeFor(alice, to)) }))).toBe(201);
  }
  const last = phone(prefix);
  const late = await alice.send(last, { proof: solved(await challengeFor(alice, last)) });
  expect(late.body).toMatchObject({ reason: 'destination_blocked', blocked_by: ['prefix_velocity'] });

  await service.app.protection.exchange();
  const { results } = (await service.call(listDecisions, { bearer: alice.bearer })).body;
  const kinds = results.map(({ outcome, exemption, rule }) => `${outcome} ${exemption} ${rule}`);
  expect([...new Set(kinds)].sort()).toEqual([
    'blocked null prefix_velocity',
    'challenged null prefix_velocity',
    'passed proof prefix_velocity',
  ]);
});

test('always demanding a proof leaves the limits of the rules as they are', async () => {
  const alice = await owner('always', FIVE);
  const prefix = '+1213555';
  const send = async () => {
    const to = phone(prefix);
    return told(alice.send(to, { proof: solved(await challengeFor(alice, to)) }));
  };
  for (let n = 0; n < 5; n++) expect(await send()).toBe(201);
  expect(await send()).toBe('destination_blocked');
});

test('used proofs are deleted an hour after their expiry', async () => {
  const alice = await owner('always');
  const recipient = phone();
  await service.app.db.run('delete from used_proofs');
  expect(await told(alice.send(recipient, { proof: solved(await challengeFor(alice, recipient)) }))).toBe(
    201,
  );
  const clean = async () => {
    const [retention] = retentionJobs(service.app);
    await retention?.run({ signal: new AbortController().signal } as never);
    return (await usedProofs()).length;
  };
  await service.clock.advance(65 * 60_000);
  expect(await clean()).toBe(1);
  await service.clock.advance(6 * 60_000);
  expect(await clean()).toBe(0);
});
