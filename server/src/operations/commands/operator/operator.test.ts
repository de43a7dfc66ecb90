import { getOperator } from '@sixdigit/contract/operator/operator.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../../test/fixture.ts';
import { auditOf } from '../../../../test/operator.ts';
import { type Customer, testService } from '../../../../test/service.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { operatorCommand } from './operator.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));

const run = async (...words: string[]) => {
  const lines: string[] = [];
  const code = await operatorCommand(service.app, words, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
};
const asks = async (customer: Customer) =>
  (await service.call(getOperator, { bearer: await signedIn(service, customer) })).status;

test('the operator command adds, lists and removes operators', async () => {
  expect(await asks(bob)).toBe(404);
  expect(await run('add', 'BOB@customers.test', 'support')).toMatchObject({ code: 0 });
  expect(await asks(bob)).toBe(200);
  const anna = await service.customer('Anna');
  await run('add', anna.email);
  expect((await run('list')).text).toContain(`admin    ${anna.email}\nsupport  ${bob.email}`);
  await run('remove', anna.email);
  expect(await run('add', bob.email)).toMatchObject({ code: 0 });
  expect((await run('list')).text).toContain(`admin    ${bob.email}`);
  expect(await run('remove', bob.email)).toMatchObject({ code: 0 });
  expect(await asks(bob)).toBe(404);
  expect((await auditOf(service)).map(({ action, before, after }) => [action, before, after])).toEqual([
    ['operator.add', { role: null }, { role: 'support' }],
    ['operator.add', { role: null }, { role: 'admin' }],
    ['operator.remove', { role: 'admin' }, { role: null }],
    ['operator.add', { role: 'support' }, { role: 'admin' }],
    ['operator.remove', { role: 'admin' }, { role: null }],
  ]);
});

test('the operator command explains invalid arguments', async () => {
  expect(await run('add', 'nobody@example.com')).toMatchObject({
    code: 1,
    text: expect.stringContaining('No account'),
  });
  expect(await run('remove', bob.email)).toMatchObject({
    code: 1,
    text: expect.stringContaining('not an operator'),
  });
  for (const words of [
    [],
    ['add'],
    ['promote', alice.email],
    ['add', alice.email, 'owner'],
    ['list', alice.email],
    ['remove', bob.email, 'support'],
  ])
    expect(await run(...words)).toMatchObject({
      code: 2,
      text: expect.stringContaining('npm start -- operator'),
    });
});
