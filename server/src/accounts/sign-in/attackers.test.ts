import { updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { forgotPassword, resetPassword, resetPasswordByLink } from '@sixdigit/contract/accounts/passwords.ts';
import { resendTwoFactor, signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { codeFor, linkTokenFor, type Person, person, wrongCode } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

/** A service behind a proxy. Owners call from 127.0.0.1, where they signed up, attackers from all other addresses. */
const service = fixture(() => testService({ env: { TRUSTED_PROXIES: '10.0.0.0/8' } }));

async function from(address: string, route: Route, payload: object) {
  const answer = await service.inject({
    method: 'POST',
    url: API_BASE + route.path,
    remoteAddress: '10.0.0.1',
    headers: { 'x-forwarded-for': address },
    payload,
  });
  const body: Record<string, string> = answer.body === '' ? {} : answer.json();
  return { status: answer.statusCode, body };
}

/** Each address is in a different network, alternating between IPv4 and IPv6. */
const addressOf = (n: number): string =>
  n % 2 === 0
    ? `${11 + (n % 89)}.${(n >> 3) & 255}.${n & 255}.${1 + (n % 254)}`
    : `2${(0x400 + (n & 0x3ff)).toString(16).padStart(3, '0')}:${(n >> 4).toString(16)}:${n.toString(16)}::1`;

const fresh = (password: string) => ({ password, confirm_password: password });

/** One attacker: guesses the password, requests a reset, and enters wrong codes. */
async function attack(address: string, email: string): Promise<void> {
  await from(address, signIn, { email, password: `guess of ${address}` });
  const { body } = await from(address, forgotPassword, { email });
  for (let n = 0; n < 2 && body.session_token; n += 1)
    await from(address, resetPassword, {
      session_token: body.session_token,
      code: '000000',
      ...fresh('owned by the attacker'),
    });
}

/** The attack from many addresses in parallel. In a crowd, most only guess the password. */
async function attackFrom(addresses: number, email: string): Promise<void> {
  const everyone = Array.from({ length: addresses }, (_, n) => n);
  const guess = (address: string) => from(address, signIn, { email, password: `guess of ${address}` });
  while (everyone.length > 0)
    await Promise.all(
      everyone
        .splice(0, 500)
        .map((n) => (addresses > 100 && n % 20 > 0 ? guess(addressOf(n)) : attack(addressOf(n), email))),
    );
}

async function switchTwoFactorOn(owner: Person, bearer: string): Promise<void> {
  const body = { two_factor_enabled: true, two_factor_method: 'email' } as const;
  const { status } = await service.call(updateTwoFactor, {
    bearer,
    body: { ...body, current_password: owner.password },
  });
  expect(status).toBe(200);
}

/** Newest first. */
async function codesFor(email: string, subject: string): Promise<string[]> {
  await service.deliver();
  const mails = (await service.inbox(email)).filter((mail) => mail.subject === subject);
  return mails.flatMap(({ code }) => (code === null ? [] : [code]));
}

/** Everything that the owner does from her known network. Each step must succeed the first time. */
async function ownerGetsIn(owner: Person): Promise<void> {
  const { email } = owner;
  const signsIn = async () => {
    const { status, body } = await service.call(signIn, { body: { email, password: owner.password } });
    expect({ status, body }).toMatchObject({ status: 200, body: { requires_2fa: true } });
    const [code = ''] = await codesFor(email, 'Your Sixdigit sign-in code');
    const entered = await service.call(verifyTwoFactor, {
      body: { session_token: body.session_token ?? '', code },
    });
    expect(entered.status).toBe(200);
  };
  await signsIn();

  const asked = await service.call(forgotPassword, { body: { email } });
  owner.password = `${email} by the code`;
  // Mails that attackers requested arrive in between, with other codes.
  const statuses: number[] = [];
  for (const code of await codesFor(email, 'Reset your Sixdigit password')) {
    const body = { ...asked.body, code, ...fresh(owner.password) };
    statuses.push((await service.call(resetPassword, { body })).status);
    if (statuses.at(-1) === 204) break;
  }
  expect(statuses.at(-1)).toBe(204);
  await signsIn();

  await service.call(forgotPassword, { body: { email } });
  owner.password = `${email} by the link`;
  const byLink = await service.call(resetPasswordByLink, {
    body: { token: await linkTokenFor(service, email), ...fresh(owner.password) },
  });
  expect(byLink.status).toBe(204);
  await signsIn();
}

test.each([10, 100, 2_000])(
  'an owner in a known network signs in and resets her password, by code and by link, during and after an attack from %d addresses',
  async (addresses) => {
    const owner = await person(service, 'Owner');
    await switchTwoFactorOn(owner, owner.access);
    const attacked = attackFrom(addresses, owner.email);
    await ownerGetsIn(owner);
    await attacked;
    await ownerGetsIn(owner);
    // The pace of the attackers' mails, and the owner's own.
    const mails = await service.inbox(owner.email);
    const resets = mails.filter(({ subject }) => subject?.startsWith('Reset your'));
    expect(resets.length).toBeLessThanOrEqual(3 + 4);
    const changes = mails.filter(({ subject }) => subject === 'Your password was changed');
    expect(changes).toHaveLength(4);
  },
  240_000,
);

test('an owner in a known network signs in while attackers with her password request codes and enter wrong ones', async () => {
  const owner = await person(service, 'Stolen');
  await switchTwoFactorOn(owner, owner.access);
  for (let n = 0; n < 40; n += 1) {
    const { email, password } = owner;
    const { status, body } = await from(addressOf(n), signIn, { email, password });
    if (n >= 30) expect(status).toBe(429);
    if (n < 3)
      for (let guess = 0; guess < 5; guess += 1)
        await from(addressOf(n), verifyTwoFactor, { session_token: body.session_token, code: '000000' });
    if (n === 3)
      expect(
        await from(addressOf(n), verifyTwoFactor, { session_token: body.session_token, code: '000000' }),
      ).toMatchObject({ status: 429, body: { reason: 'code_entry_locked' } });
  }
  await service.deliver();
  await ownerGetsIn(owner);
}, 120_000);

test('an owner in a known network is limited by her own wrong codes', async () => {
  const owner = await person(service, 'Clumsy');
  await switchTwoFactorOn(owner, owner.access);
  const begin = async () => {
    const { status, body } = await service.call(signIn, { body: owner });
    expect({ status, body }).toMatchObject({ status: 200, body: { requires_2fa: true } });
    return body.session_token ?? '';
  };
  const enter = async (session_token: string, code: string) =>
    (await service.call(verifyTwoFactor, { body: { session_token, code } })).body;
  const wrong = wrongCode(await codeFor(service, owner.email));
  for (let n = 0; n < 2; n += 1) {
    const session_token = await begin();
    for (let guess = 0; guess < 5; guess += 1)
      expect(await enter(session_token, wrong)).toMatchObject({ attempts_remaining: 4 - guess });
  }
  expect(await enter(await begin(), wrong)).toMatchObject({ reason: 'code_entry_locked' });
  await service.clock.advance(15 * 60_000);
  // A right code clears the count.
  for (const guesses of [0, 4]) {
    const session_token = await begin();
    const code = await codeFor(service, owner.email);
    for (let guess = 0; guess < guesses; guess += 1) await enter(session_token, wrongCode(code));
    expect(await enter(session_token, code)).toMatchObject({ access: expect.any(String) });
  }
}, 60_000);

test('a flood of password reset requests sends a bounded number of mails, and the newest link stays valid for at least ten minutes', async () => {
  const owner = await person(service, 'Flooded');
  const { email } = owner;
  await service.deliver();
  await service.app.db.run('delete from sandbox_messages');
  const flood = async () => {
    for (let n = 0; n < 20; n += 1) await from(addressOf(n), forgotPassword, { email });
    await service.deliver();
  };
  for (let tenMinutes = 0; tenMinutes <= 18; tenMinutes += 1) {
    await flood();
    await service.clock.advance(10 * 60_000 - 5_000);
    const token = await linkTokenFor(service, email);
    const refused = { token, ...fresh('12345678') };
    // A common password is refused before the link is checked.
    expect((await service.call(resetPasswordByLink, { body: refused })).status).toBe(400);
    const { alive } = await service.app.db.one<{ alive: number }>(
      'select count(*) as alive from reset_links where account_id is not null and expires_at > clock_now()',
    );
    expect(alive).toBeGreaterThan(0);
    await service.clock.advance(5_000);
  }
  const mails = (await service.inbox(email)).length;
  expect(mails).toBe(3 + 9);
  const codes = (await service.inbox(email)).filter(({ code }) => code !== null);
  expect(codes).toHaveLength(5);

  // The owner in an unknown network gets no new mail, but a sent link works.
  const asked = await from('198.51.100.200', forgotPassword, { email });
  expect(asked.status).toBe(200);
  const token = await linkTokenFor(service, email);
  expect(
    (await from('198.51.100.200', resetPasswordByLink, { token, ...fresh('the road is long') })).status,
  ).toBe(204);
}, 120_000);

test('resends do not enlarge a flood of password reset requests', async () => {
  const owner = await person(service, 'Resent');
  const { body } = await from('198.51.100.1', forgotPassword, { email: owner.email });
  for (let n = 0; n < 8; n += 1) {
    await from('198.51.100.1', resendTwoFactor, { session_token: body.session_token });
    await service.clock.advance(30_000);
  }
  await service.deliver();
  const mails = (await service.inbox(owner.email)).filter(({ subject }) => subject?.startsWith('Reset your'));
  expect(mails).toHaveLength(3);
});
