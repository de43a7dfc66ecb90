import { createWebhook, listWebhooks, updateWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Person, person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';

const service = fixture(testService);

const URL_OF_HERS = 'https://hooks.example.com/orders';
const hook = (url: string) => ({ name: 'Orders', url });

const prove = ({ email }: Person, at: string) =>
  service.app.db.run(
    `update sessions set proven_at = ${at} where account_id = (select id from accounts where email = $1)`,
    [email],
  );
const mailsTo = async ({ email }: Person) => {
  await service.drain();
  return (await service.inbox(email)).filter(({ subject }) => /webhook endpoint/.test(subject ?? ''));
};

async function withEndpoint(name: string) {
  const alice = await person(service, name);
  const bearer = alice.access;
  const made = await service.call(createWebhook, { bearer, body: hook(URL_OF_HERS) });
  expect(made.status).toBe(201);
  await prove(alice, 'null');
  const move = (url: string) =>
    service.call(updateWebhook, { bearer, params: { id: made.body.id }, body: hook(url) });
  return { alice, bearer, move };
}

test('without a recent proof of identity, no endpoint is added', async () => {
  const { bearer } = await withEndpoint('Adds');
  const refused = await service.call(createWebhook, { bearer, body: hook('https://evil.example/') });
  expect(refused).toMatchObject({ status: 400, body: { reason: 'step_up_required' } });
  expect((await service.call(listWebhooks, { bearer, query: {} })).body.count).toBe(1);
});

test.each([
  ['another host', 'https://evil.example/orders'],
  ['a host inside its host', 'https://evil.hooks.example.com/orders'],
  ['another port', 'https://hooks.example.com:8443/orders'],
  ['another protocol', 'http://hooks.example.com/orders'],
  ['a user name that looks like its host', 'https://hooks.example.com@evil.example/orders'],
])('without a recent proof of identity, no endpoint moves to %s', async (_, url) => {
  const { alice, bearer, move } = await withEndpoint('Moves');
  const refused = await move(url);
  expect(refused.status).toBe(400);
  const { results } = (await service.call(listWebhooks, { bearer, query: {} })).body;
  expect(results[0]?.url).toBe(URL_OF_HERS);
  expect(await mailsTo(alice)).toHaveLength(1);
});

test('an endpoint keeps its origin without a proof: another path, or its default port, is no new receiver', async () => {
  const { alice, move } = await withEndpoint('Stays');
  for (const url of ['https://hooks.example.com/returns', 'https://HOOKS.example.com:443/orders'])
    expect((await move(url)).status).toBe(200);
  expect(await mailsTo(alice)).toHaveLength(1);
});

test('the owner gets a mail about a new endpoint and about another origin, which names no path', async () => {
  const { alice, move } = await withEndpoint('Told');
  await prove(alice, 'clock_now()');
  expect((await move('https://elsewhere.example/secret-path')).status).toBe(200);
  const mails = await mailsTo(alice);
  const textOf = (subject: string) => mails.find((mail) => mail.subject === subject)?.text;
  expect(mails).toHaveLength(2);
  expect(textOf('A new webhook endpoint was added')).toContain('https://hooks.example.com');
  expect(textOf('A webhook endpoint has a new address')).toContain('https://elsewhere.example');
  expect(JSON.stringify(mails)).not.toMatch(/secret-path|\/orders/);
});

test('the mails about receivers are at most ten a day', async () => {
  const { alice, move } = await withEndpoint('Flooded');
  await prove(alice, 'clock_now()');
  for (let n = 0; n < 12; n += 1) expect((await move(`https://host${n}.example/`)).status).toBe(200);
  expect(await mailsTo(alice)).toHaveLength(10);
});
