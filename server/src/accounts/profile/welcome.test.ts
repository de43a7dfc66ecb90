import { deleteMe, getMe, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { createInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { createAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../../test/held-lock.ts';
import { TEST_KEY_COST, TEST_SECRET_KEY } from '../../../test/service.ts';
import { createVault } from '../../platform/security/vault.ts';
import { foundAccount } from '../sign-in/sign-up.ts';
import { giveWelcomeCredits } from './welcome.ts';

/** A service with a real SMS carrier. */
const service = fixture(() =>
  serviceWithCarriers(['http'], {
    EMAIL_CARRIERS: 'http',
    SMS_CARRIERS: 'http',
    WELCOME_CREDITS: '10',
  }),
);

const password = 'a sentence about nothing';
let counter = 0;

interface NewCustomer {
  access: string;
}

async function newCustomer(): Promise<NewCustomer> {
  const email = `new.${counter++}@people.test`;
  const { body } = await service.call(signUp, {
    body: { email, phone_number: '4155550123', password, confirm_password: password },
  });
  await service.drain();
  const code = service.http.messagesTo(email).at(-1)?.code ?? '';
  const tokens = await service.call(verifyTwoFactor, {
    body: { session_token: body.session_token ?? '', code },
  });
  expect(tokens.status).toBe(200);
  return tokens.body;
}

const wanted = (phone_number: string) => ({
  two_factor_enabled: true,
  two_factor_method: 'sms' as const,
  phone_number,
  current_password: password,
});

/** Requests a code for the number and returns a function that enters it. */
async function askForCode({ access }: NewCustomer, phone: string): Promise<() => Promise<number>> {
  const { status, body } = await service.call(updateTwoFactor, { bearer: access, body: wanted(phone) });
  expect(status).toBe(200);
  await service.drain();
  const code = service.http.messagesTo(phone).at(-1)?.code ?? '';
  return async () => {
    const entered = { ...wanted(phone), session_token: body.session_token ?? '', code };
    return (await service.call(updateTwoFactor, { bearer: access, body: entered })).status;
  };
}

const creditsOf = async ({ access }: NewCustomer) => {
  const { credits, welcome_credits_due } = (await service.call(getMe, { bearer: access })).body;
  return { credits, welcome_credits_due };
};
const promised = { credits: 0, welcome_credits_due: 10 };
const given = { credits: 10, welcome_credits_due: 0 };

test('a new account gets its welcome credits after it verifies its phone number', async () => {
  const alice = await newCustomer();
  expect(await creditsOf(alice)).toEqual(promised);
  const enter = await askForCode(alice, '+14155557801');
  expect(await creditsOf(alice)).toEqual(promised);
  expect(await enter()).toBe(200);
  expect(await creditsOf(alice)).toEqual(given);
  const again = await askForCode(alice, '+14155557802');
  expect(await again()).toBe(200);
  expect(await creditsOf(alice)).toEqual(given);
});

test('a phone number earns welcome credits once, even after its account is deleted', async () => {
  const phone = '+14155557803';
  const [alice, bob] = [await newCustomer(), await newCustomer()];
  await (await askForCode(alice, phone))();
  expect(await creditsOf(alice)).toEqual(given);
  expect((await service.call(deleteMe, { bearer: alice.access, body: { password } })).status).toBe(204);
  await (await askForCode(bob, phone))();
  expect(await creditsOf(bob)).toEqual(promised);
  // The other accounts still get welcome credits with other numbers.
  await (await askForCode(bob, '+14155557804'))();
  expect(await creditsOf(bob)).toEqual(given);
});

test('an invited person earns no welcome credits with a phone number, which still earns them for another account', async () => {
  const phone = '+14155557808';
  const email = 'invited@people.test';
  const owner = await newCustomer();
  const invited = await service.call(createInvitation, {
    bearer: owner.access,
    body: { email, role: 'admin' },
  });
  expect(invited.status).toBe(201);
  await service.drain();
  const [, invitation = ''] = /#([\w-]{43})/.exec(service.http.messagesTo(email).at(-1)?.text ?? '') ?? [];
  const { body } = await service.call(signUp, {
    body: { email, password, confirm_password: password, invitation },
  });
  const dana = { access: body.access ?? '' };
  const own = await service.call(createAccount, { bearer: dana.access, body: { name: 'Own' } });
  expect(await (await askForCode(dana, phone))()).toBe(200);
  const headers = { 'x-account': own.body.id };
  expect((await service.call(getMe, { bearer: dana.access, headers })).body).toMatchObject({
    credits: 0,
    welcome_credits_due: 0,
  });
  expect(await creditsOf(owner)).toEqual(promised);
  await (await askForCode(owner, phone))();
  expect(await creditsOf(owner)).toEqual(given);
});

/** A person with an account of their own. */
async function founded(): Promise<string> {
  const id = service.app.random.uuid();
  await service.app.db.transaction(async (tx) => {
    await tx.run('insert into people (id, created_at) values ($1, now())', [id]);
    await foundAccount(tx, service.app, id);
  });
  return id;
}

test('twenty transactions on two processes, and one after a rotation of the server key, grant the welcome credits of one phone number once', async () => {
  await using other = await anotherProcess(service);
  const ids: string[] = [];
  for (let n = 0; n <= 20; n += 1) ids.push(await founded());
  const give = (person_id: string, app: Pick<typeof service.app, 'db' | 'random' | 'vault'>) =>
    app.db.transaction((tx) => giveWelcomeCredits(tx, app, { person_id, phone: '+14155557806' }));
  const [last = '', ...first] = ids;
  await Promise.all(first.map((id, n) => give(id, n % 2 === 0 ? service.app : other.app)));
  const { db, random } = service.app;
  await give(last, { db, random, vault: createVault('a new key', [TEST_SECRET_KEY], random, TEST_KEY_COST) });
  const { sum } = await db.one<{ sum: number }>(
    'select sum(credits)::integer as sum from balances where account_id = any ($1)',
    [ids],
  );
  expect(sum).toBe(10);
});

test('an account that is deleted while it verifies a phone number earns no welcome credits', async () => {
  const { app } = service;
  const person_id = await founded();
  await using other = await holdLock(service, 'select from accounts where id = $1 for update', [person_id]);
  const proven = app.db.transaction((tx) =>
    giveWelcomeCredits(tx, app, { person_id, phone: '+14155557807' }),
  );
  await untilBlocked(service, 'accounts');
  await other.run('update accounts set welcome_credits_due = 0, deleted_at = clock_now() where id = $1', [
    person_id,
  ]);
  await other.commit();
  await proven;
  const { credits } = await app.db.one<{ credits: number }>(
    'select credits from balances where account_id = $1',
    [person_id],
  );
  expect(credits).toBe(0);
});

test('no table contains the phone number that earned welcome credits', async () => {
  const { rows } = await service.app.db.one<{ rows: string }>(
    `select string_agg(w::text, ' ') as rows from welcome_numbers w`,
  );
  expect(rows).not.toContain('4155557806');
});
