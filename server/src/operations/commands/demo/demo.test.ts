import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { testService } from '../../../../test/service.ts';
import { createDemoAccount, type DemoAccount, demoCommand, demoLines } from './demo.ts';

test('a first start creates one demo account, even if several processes start concurrently', async () => {
  await using service = await testService();
  const created = await Promise.all(Array.from({ length: 4 }, () => createDemoAccount(service.app)));
  expect(created.filter(Boolean)).toHaveLength(1);
  expect(await createDemoAccount(service.app)).toBeUndefined();
});

test('the demo account signs in with the printed password', async () => {
  await using service = await testService();
  const { email, password } = (await createDemoAccount(service.app)) as DemoAccount;
  const { status } = await service.call(signIn, { body: { email, password } });
  expect(status).toBe(200);
});

test('the two printed demo commands send and verify a code as pasted', async () => {
  await using service = await testService();
  service.app.config.publicUrl = await service.listen();
  const demo = (await createDemoAccount(service.app)) as DemoAccount;
  const [send, verify] = demoLines(service.app, demo).filter((line) => line.includes('curl'));
  const sent = await shell(`${send}`);
  expect(sent).toContain('"status":"pending"');
  await service.drain();
  const verified = await shell(`SENT='${sent.trim()}'; ${verify}`);
  expect(verified).toContain('"status":"verified"');
});

test('the demo command prints the same account again', async () => {
  await using service = await testService();
  const demo = (await createDemoAccount(service.app)) as DemoAccount;
  const printed: string[] = [];
  expect(await demoCommand(service.app, (line) => printed.push(line))).toBe(0);
  expect(printed).toEqual(demoLines(service.app, demo));
});

test('no demo account is created in production, in a public sandbox or in a sandbox with accounts', async () => {
  await using service = await testService();
  await service.customer('alice');
  expect(await createDemoAccount(service.app)).toBeUndefined();
  const printed: string[] = [];
  expect(await demoCommand(service.app, (line) => printed.push(line))).toBe(1);
  await using empty = await testService();
  Object.assign(empty.app.config, { isPublic: true });
  expect(await createDemoAccount(empty.app)).toBeUndefined();
  Object.assign(empty.app.config, { isPublic: false, sandbox: false });
  expect(await createDemoAccount(empty.app)).toBeUndefined();
});

test('the key and the password of the demo account are stored encrypted', async () => {
  await using service = await testService();
  const { api_key, password } = (await createDemoAccount(service.app)) as DemoAccount;
  const rows = await service.app.db.rows<{ value: string }>('select value from service_facts');
  const stored = rows.map(({ value }) => value + Buffer.from(value, 'base64').toString()).join(' ');
  expect(stored).not.toContain(api_key);
  expect(stored).not.toContain(password);
});

/** Runs a line in a POSIX shell without blocking the service in this process. */
async function shell(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  return stdout;
}
