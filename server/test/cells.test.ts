import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { getSso } from '@sixdigit/contract/accounts/sso.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { newKeyText } from '../src/api-keys/key.ts';
import { systemClock } from '../src/platform/clock.ts';
import { systemRandom } from '../src/platform/security/random.ts';
import { fixture } from './fixture.ts';
import { freePorts } from './free-ports.ts';
import { codeFor, person } from './person.ts';
import { type TestService, testService } from './service.ts';
import { ROOT, read } from './source.ts';

/** The router of deploy/cells, run by HAProxy, in front of two cells. */
const PUBLIC = 'otp.example.com';
const DIRECTORY_KEY = 'pN2v8Kq0sXw5zR1tYb7LmC4dFh6JgA3eUo9iWkZxQyE=';

const cellNamed = (cell: string) =>
  fixture(() => testService({ env: { CELL: cell, PUBLIC_URL: `https://${cell}.${PUBLIC}` } }));
const one = cellNamed('01');
const two = cellNamed('02');
const folder = fixture(() => {
  const path = mkdtempSync(join(tmpdir(), 'cells-'));
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }) };
});
let addresses: string[];

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  body: Record<string, unknown>;
}

interface Router extends AsyncDisposable {
  ask(
    host: string,
    line: string,
    input?: { headers?: Record<string, string>; body?: string },
  ): Promise<Answer>;
  call(
    host: string,
    route: Route,
    input: { headers?: Record<string, string>; body?: object },
  ): Promise<Answer>;
}

/** `newIn`: the cell for addresses that are not in the directory. Otherwise the maps of the example decide. */
async function startRouter({ newIn, oldKey }: { newIn?: string; oldKey?: string } = {}): Promise<Router> {
  const at = (file: string) => join(folder.path, file);
  for (const file of ['hosts.map', 'keys.map', 'new-addresses.map', 'front.html'])
    writeFileSync(at(file), read(`deploy/cells/${file}`));
  if (newIn)
    writeFileSync(at('new-addresses.map'), [...'0123456789abcdef'].map((d) => `${d} ${newIn}\n`).join(''));
  if (oldKey) writeFileSync(at('keys.map'), `${createHash('sha256').update(oldKey).digest('hex')} 02\n`);
  const written = spawnSync(join(ROOT, 'deploy/cells/directory.sh'), {
    env: {
      PATH: process.env.PATH,
      CELLS: '01 02',
      DATABASE_URL_01: one.databaseUrl,
      DATABASE_URL_02: two.databaseUrl,
      DIRECTORY_KEY,
      DIRECTORY: at('directory.map'),
    },
    encoding: 'utf8',
  });
  expect([written.status, written.stderr]).toEqual([0, '']);
  const [port = 0, plainPort = 0] = await freePorts(2);
  const config = read('deploy/cells/haproxy.cfg')
    .replaceAll('/etc/haproxy/cells', folder.path)
    .replace(/^ {4}(?:user|group|chroot|maxconn) .*\n/gm, '')
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replace('bind :80', `bind 127.0.0.1:${plainPort}`)
    .replace(/10\.0\.([12])\.1[12]:3000/g, (_, cell) => addresses[Number(cell) - 1] ?? '');
  writeFileSync(at('haproxy.cfg'), config);
  const child = spawn(haproxy ?? 'haproxy', ['-db', '-f', at('haproxy.cfg')], {
    env: { DIRECTORY_KEY },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let problem = '';
  child.stderr.on('data', (chunk) => {
    problem += String(chunk);
  });
  await Promise.race([
    untilListening(port),
    ended.then((code) => Promise.reject(new Error(`HAProxy ended with ${code}: ${problem}`))),
  ]);
  const ask: Router['ask'] = async (host, line, { headers = {}, body: given } = {}) => {
    const [method, path] = line.split(' ');
    const options = { port, host: '127.0.0.1', method, path, headers: { ...headers, host }, agent: false };
    const outgoing = request(options);
    outgoing.end(given);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await response.toArray()).toString();
    const body = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.statusCode ?? 0, headers: response.headers, text, body };
  };
  return {
    ask,
    call: (host, { method, path }, { headers, body }) =>
      ask(host, `${method} ${API_BASE}${path}`, {
        headers: { 'content-type': 'application/json', ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function untilListening(port: number): Promise<void> {
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).once('error', () => resolve(false));
    });
  for (const end = Date.now() + 20_000; Date.now() < end; ) if (await isListening()) return;
  throw new Error('HAProxy does not listen after 20 s');
}

const inPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((path) => join(path, name))
    .find((path) => existsSync(path));
const haproxy = [inPath('haproxy'), '/usr/sbin/haproxy'].find((path) => path && existsSync(path));

const send = { channel: 'email', recipient: 'dora@end-users.test' };
const hasSent = async ({ app }: TestService, id: unknown) =>
  (await app.db.rows('select from verifications where id = $1', [id])).length === 1;
const form = (email: string) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ email }).toString(),
});

/** `npm test` installs both as root on Debian. CI must have them. */
describe.skipIf(!(haproxy && inPath('psql')) && !process.env.CI)('the router of cells', () => {
  beforeAll(async () => {
    // HAProxy sends requests only to processes that are ready, with a live worker.
    for (const { app } of [one, two])
      await app.db.run(
        `insert into workers (id, name, started_at, seen_at)
           values ($1, 'test', now(), clock_timestamp() + interval '1 hour')`,
        [app.random.uuid()],
      );
    addresses = (await Promise.all([one.listen(), two.listen()])).map((url) => new URL(url).host);
  });

  test('keys of both cells send through one address, and unknown keys get 401', async () => {
    const random = systemRandom(systemClock);
    const unknown = ['01', '02', 'zz'].map((cell) => newKeyText({ config: { cell }, random }));
    const customers = [await one.customer('Alice'), await two.customer('Bob')] as const;
    const before = newKeyText({ config: { cell: '01' }, random });
    await two.app.db.run('update api_keys set hash = $2 where id = $1', [
      (await two.anotherKey(customers[1].account_id)).id,
      createHash('sha256').update(before).digest(),
    ]);
    await using router = await startRouter({ oldKey: before });
    for (const [cell, key] of [
      [one, customers[0].api_key],
      [two, customers[1].api_key],
      [two, before],
    ] as const) {
      const { status, body } = await router.call(PUBLIC, sendOtp, {
        headers: { 'x-api-key': key },
        body: send,
      });
      expect([status, await hasSent(cell, body.otp_id)]).toEqual([201, true]);
      // The key decides even at the address of the other cell, and in the headers of other APIs.
      const other = cell === one ? '02' : '01';
      for (const headers of [
        { authorization: `Bearer ${key}` },
        { authorization: `Basic ${Buffer.from(`AC0:${key}`).toString('base64')}` },
      ])
        expect(await cellOf(router, other, headers)).toBe(cell.app.config.cell);
    }
    for (const key of unknown) {
      const { status, body } = await router.call(PUBLIC, sendOtp, {
        headers: { 'x-api-key': key },
        body: send,
      });
      expect([status, body.reason]).toEqual([401, 'invalid_api_key']);
    }
    const { status, body } = await router.call(PUBLIC, sendOtp, { body: send });
    expect([status, body.reason]).toEqual([401, 'missing_api_key']);
    for (const path of ['/metrics', '/metrics/', '/%6detrics'])
      expect((await router.ask('01.otp.example.com', `GET ${path}`)).text).toBe('');
  });

  test('a person of each cell finds it by the e-mail address and signs in there', async () => {
    for (const [cell, name, newIn] of [
      [one, '01', '02'],
      [two, '02', '01'],
    ] as const) {
      const { email, password } = await person(cell, 'Carol');
      await using router = await startRouter({ newIn });
      expect((await router.ask(PUBLIC, 'GET /')).text).toContain('<form method="post" action="/sign-in">');
      const found = await router.ask(PUBLIC, 'POST /sign-in', form(email.toUpperCase()));
      const host = `${name}.${PUBLIC}`;
      expect([found.status, found.headers.location]).toEqual([303, `https://${host}/sign-in`]);
      const { body } = await router.call(host, signIn, { body: { email, password } });
      const headers = { authorization: `Bearer ${body.access}` };
      expect((await router.call(host, getMe, { headers })).body).toMatchObject({ email });
    }
    expect(readFileSync(join(folder.path, 'directory.map'), 'utf8')).toMatch(/^(?:[0-9a-f]{64} 0[12]\n)+$/);
  });

  test('a sign-up is accepted only in the cell of the address, and later found there', async () => {
    const email = 'new@people.test';
    const password = 'a walk from cell to cell';
    const body = { email, phone_number: '4155550177', password, confirm_password: password };
    await using router = await startRouter();
    const { headers } = await router.ask(PUBLIC, 'POST /sign-up', form(email));
    const [, home = ''] =
      /^https:\/\/(0[12])\.otp\.example\.com\/sign-up$/.exec(String(headers.location)) ?? [];
    const [cell, other] = home === '01' ? [one, '02'] : [two, '01'];
    for (const path of ['signup', 'signup/', '%73ignup', 'sign%75p/', '%73%69%67%6e%75%70']) {
      const spelled = { ...signUp, path: signUp.path.replace(/signup\/?$/, path) } as typeof signUp;
      const refused = await router.call(`${other}.${PUBLIC}`, spelled, { body });
      expect([path, refused.status, refused.body.reason]).toEqual([path, 409, 'other_cell']);
    }
    const invited = { ...body, invitation: 'x'.repeat(43) };
    expect((await router.call(`${other}.${PUBLIC}`, signUp, { body: invited })).body.reason).toBe(
      'not_found',
    );
    const started = await router.call(`${home}.${PUBLIC}`, signUp, { body });
    const code = { session_token: started.body.session_token, code: await codeFor(cell, email) };
    expect(await router.call(`${home}.${PUBLIC}`, verifyTwoFactor, { body: code })).toMatchObject({
      status: 200,
    });

    await using later = await startRouter({ newIn: other });
    const found = await later.ask(PUBLIC, 'POST /sign-in', form(email));
    expect(found.headers.location).toBe(`https://${home}.otp.example.com/sign-in`);
  });

  test('the addresses for identity providers and connected systems lead to their cell', async () => {
    const { access } = await person(two, 'Erin');
    const sso = await two.call(getSso, { bearer: access });
    const made = await two.call(createConnection, {
      bearer: access,
      body: { system: 'webhook', name: 'Shop' },
    });
    const given = [sso.body.redirect_url, sso.body.start_url, ...made.body.endpoints.map(({ url }) => url)];
    for (const url of given) expect(new URL(url).host).toBe('02.otp.example.com');
    await using router = await startRouter();
    const path = new URL(given.at(-1) ?? '').pathname;
    const statusAt = async (host: string) => (await router.ask(host, `POST ${path}`)).status;
    expect([await statusAt('02.otp.example.com'), await statusAt('01.otp.example.com')]).toEqual([401, 404]);
  });

  test('while one cell is down, the other serves its customers, and unknown keys get 401', async () => {
    const [alice, bob] = [await one.customer('Alice'), await two.customer('Bob')];
    await using router = await startRouter();
    two.server.server.close();
    two.server.server.closeAllConnections();
    const sendWith = (key: string) =>
      router.call(PUBLIC, sendOtp, { headers: { 'x-api-key': key }, body: send });
    expect((await sendWith(alice.api_key)).status).toBe(201);
    const refused = await sendWith(bob.api_key);
    expect([refused.status, refused.body.reason, refused.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '1',
    ]);
    for (let n = 0; n < 4; n += 1) expect((await sendWith('sd_live_0')).status).toBe(401);
    expect((await router.ask('01.otp.example.com', 'GET /healthz')).status).toBe(200);
  });
});

/** The cell that responds to a request with these headers at a cell's address. */
async function cellOf(router: Router, host: string, headers: Record<string, string>) {
  const { body } = await router.ask(`${host}.${PUBLIC}`, 'GET /config.json', { headers });
  return /^https:\/\/(..)\./.exec(String(body.api_url))?.[1];
}
