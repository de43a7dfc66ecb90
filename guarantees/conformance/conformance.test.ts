/** The suite as others run it: a program with a file of settings, against the running service. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEMS, type SystemName } from '@sixdigit/contract/connection-list.ts';
import { createConnection, rotateConnection } from '@sixdigit/contract/connections.ts';
import { expect, test } from 'vitest';
import { listen } from '../../server/test/fakes/http-listener.ts';
import { fixture } from '../../server/test/fixture.ts';
import { sender } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { signedIn } from '../../server/test/signed-in.ts';
import type { Report } from './conformance.ts';
import { filled } from './placeholders.ts';
import { allSystems, checkFields, type System } from './systems.ts';

const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: '*' } }));
const address = fixture(async () => ({ base: await service.listen() }));
const alice = fixture(() =>
  sender(service, 'Alice', { credits: 5_000, keys: 2, scopes: ['verify_services:write'] }),
);
const folder = fixture(() => {
  const path = mkdtempSync(join(tmpdir(), 'conformance-'));
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true }) };
});
/** The service's lists of messages. Sends what is due before each request, as a worker would. */
const inbox = fixture(async () => {
  const { origin, close } = await listen(async ({ path, headers: { authorization = '' } }) => {
    await service.deliver();
    const answer = await fetch(`${address.base}${path}`, { headers: { authorization } });
    return { status: answer.status, body: await answer.json() };
  });
  return { url: origin, [Symbol.asyncDispose]: close };
});

const sidOf = (id: string): string => `AC${id.replaceAll('-', '')}`;

async function settingsOf(
  system: SystemName,
  mode: 'live' | 'test' = 'live',
): Promise<Record<string, string>> {
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(createConnection, { bearer, body: { system, name: system, mode } });
  const { id, endpoints, secret: previous_secret } = body;
  const rotated = await service.call(rotateConnection, { bearer, params: { id }, body: { valid_hours: 1 } });
  return {
    ...Object.fromEntries(endpoints.map(({ kind, url }) => [kind, new URL(url).pathname])),
    secret: rotated.body.secret,
    previous_secret,
    ...(system === 'twilio-messages' ? { account_sid: sidOf(id) } : {}),
  };
}

interface Ended {
  code: number;
  out: string;
  error: string;
}
const start = (file: string, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const program = [join(import.meta.dirname, file), ...args];
    const child = execFile(process.execPath, program, { maxBuffer: 1e8 }, (_, out, error) =>
      resolve({ code: child.exitCode ?? -1, out, error }),
    );
  });

function run(settings: object, ...args: string[]): Promise<Ended> {
  const file = join(folder.path, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(settings));
  return start('run.ts', '--settings', file, ...args);
}

test('every version of every system passes against the running service', { timeout: 120_000 }, async () => {
  const connections = await Promise.all(SYSTEMS.map(async (name) => [name, await settingsOf(name)] as const));
  const [verifyKey = '', camaraKey = ''] = alice.keys;
  const systems = {
    ...Object.fromEntries(connections),
    'twilio-verify': { api: '/compat/twilio', account_sid: sidOf(alice.account_id), secret: verifyKey },
    camara: { api: '/compat/camara/one-time-password-sms/v1', secret: camaraKey },
  };
  const messages = { url: `${inbox.url}/sandbox/messages?recipient={recipient}` };
  const { code, out, error } = await run(
    { base: address.base, systems, messages },
    ...['--json', '--rate', '25', '--wait', '20'],
  );
  expect(error).toBe('');
  const report = JSON.parse(out) as Report;
  const failed = report.rows.flatMap(({ name, version, outcomes }) =>
    outcomes.filter(({ status }) => status === 'failed').map((outcome) => ({ name, version, ...outcome })),
  );
  expect(failed).toEqual([]);
  expect([code, report.failed, report.messages_read]).toEqual([0, 0, true]);
  expect(report.passed).toBeGreaterThan(700);
  // Every endpoint of every system was played.
  const played = new Set(report.rows.map(({ system, kind }) => `${system} ${kind}`));
  const offered = Object.entries(systems).flatMap(([system, given]) =>
    Object.keys(given)
      .filter((name) => ['sms', 'email', 'voice', 'api'].includes(name))
      .map((kind) => `${system} ${kind}`),
  );
  expect([...played].toSorted()).toEqual(offered.toSorted());
});

test('test connections pass too, with the settings that the program for Sixdigit makes', {
  timeout: 60_000,
}, async () => {
  const token = await signedIn(service, alice);
  const made = await start('sixdigit.ts', '--base', address.base, '--token', token);
  expect(made).toMatchObject({ code: 0, error: '' });
  const settings = JSON.parse(made.out) as { systems: object; messages: { url: string } };
  expect(Object.keys(settings.systems).toSorted()).toEqual(
    [...SYSTEMS, 'camara', 'twilio-verify'].toSorted(),
  );
  const messages = { ...settings.messages, url: inbox.url + settings.messages.url };
  const before = await alice.balance();
  const systems = 'novu,twilio-messages,twilio-verify,camara';
  const { out } = await run({ ...settings, messages }, '--rate', '25', '--only', systems);
  expect(out).toMatch(/^\d+ passed, 0 failed, \d+ skipped$/m);
  expect(out).not.toContain('Only responses were checked');
  expect(await alice.balance()).toBe(before);
});

test('a failure has a line, a sentence and an exit code', async () => {
  const logto = await settingsOf('logto');
  const { code, out } = await run(
    { systems: { logto: { ...logto, secret: 'not-the-secret-of-this-connection' } } },
    ...['--base', address.base, '--rate', '25'],
  );
  expect(code).toBe(1);
  expect(out).toMatch(/^✗ {2}Logto {3}HTTP SMS connector {2,}0\/2 {2,}0\/3 /m);
  expect(out).toMatch(
    /^✗ Logto, HTTP SMS connector: request, next code, retry, .*\n {2}Expected status 200-299, got 401 with \{"message":/m,
  );
  expect(out).toContain('Only responses were checked');
  expect(out).toMatch(/\d+ passed, \d+ failed, \d+ skipped\n$/);
});

test.each([
  [{}, [], 'Set the base address'],
  [{ base: 'otp.example.com' }, [], 'The base address otp.example.com is not an HTTP address.'],
  [{ base: 'https://x.test' }, [], 'The settings need "systems"'],
  [{ base: 'https://x.test', systems: { auth9: {} } }, [], 'Unknown system "auth9". Use: authentik, camara,'],
  [{ base: 'https://x.test', systems: { logto: { sms: '/x' } } }, [], '"logto" needs its "secret".'],
  [
    { base: 'https://x.test', systems: { logto: { secret: 'x' } } },
    [],
    '"logto" needs an address: "sms", "email".',
  ],
  [
    { base: 'https://x.test', systems: { logto: { secret: 'x', voice: '/x' } } },
    [],
    '"logto" has no requests for "voice", only for "sms", "email".',
  ],
  [
    { base: 'https://x.test', systems: { 'twilio-verify': { secret: 'x', api: '/x' } } },
    [],
    '"twilio-verify" needs "account_sid".',
  ],
  [
    { base: 'https://x.test', systems: { logto: { secret: 'x', sms: '/x' } }, messages: { url: '/inbox' } },
    [],
    'The "url" of "messages" must contain {recipient}.',
  ],
  [
    { base: 'https://x.test', systems: { logto: { secret: 'x', sms: '/x' } } },
    ['--only', 'novu'],
    'no system "novu"',
  ],
  [{}, ['--speed', '9'], "Unknown option '--speed'"],
])('the settings %j with the options %j get a sentence', async (settings, args, sentence) => {
  const { code, out, error } = await run(settings, ...args);
  expect([code, out]).toEqual([2, '']);
  expect(error).toContain(sentence);
});

test('messages that cannot be read are a problem of the settings', async () => {
  const systems = { logto: await settingsOf('logto', 'test') };
  const messages = { url: 'http://127.0.0.1:9/?to={recipient}' };
  const { code, out, error } = await run({ base: address.base, systems, messages }, '--rate', '25');
  expect([code, out, error]).toEqual([2, '', 'Cannot reach the address of "messages".\n']);
});

test("a misspelled field of a system's file gets a sentence", () => {
  const logto = allSystems().find(({ id }) => id === 'logto') as System;
  const { id: _, ...file } = logto;
  expect(() => checkFields('logto.json', file)).not.toThrow();
  expect(() => checkFields('logto.json', { ...file, gives_up: 5 } as typeof file)).toThrow(
    'logto.json: a system has no field "gives_up".',
  );
  const steps = [{ do: 'Send', ...{ exepct: [] } }];
  expect(() => checkFields('logto.json', { ...file, flows: [{ name: 'x', kind: 'sms', steps }] })).toThrow(
    'logto.json: a step has no field "exepct".',
  );
  expect(() => filled('{recipent}', { recipient: 'x' })).toThrow('{recipent} has no value in: {recipent}');
  expect(filled('{{code}} {base64:a:{secret}}', { secret: 'b' })).toBe('{{code}} YTpi');
});

test('a pattern for too few recipients gets a sentence', async () => {
  const systems = { logto: { sms: '/x', secret: 'x' } };
  const { code, error } = await run(
    { base: 'http://127.0.0.1:9', phone: '+1201555010#', systems },
    '--rate',
    '999',
  );
  expect([code, error]).toEqual([2, expect.stringContaining('use more # in "phone"')]);
});

test('--list names every version', async () => {
  const { code, out } = await run({}, '--list');
  expect(code).toBe(0);
  expect(out).toContain('supabase (Supabase Auth)\n  sms    SMS hook without metadata\n');
});
