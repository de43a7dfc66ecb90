import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { selfSigned } from '../../../test/fakes/certificate.ts';
import { roomiestFolder } from '../../../test/roomiest-folder.ts';
import { createLog } from '../log.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { openDb } from './sql.ts';
import { databaseStartProblem } from './start-problem.ts';
import { connectionOf, settleTls } from './tls.ts';

/** A server with a certificate for localhost, and another that accepts only encrypted connections. */
const log = createLog('silent');
const folder = mkdtempSync(join(roomiestFolder(), 'tls-'));
const root = join(folder, 'root.crt');
const otherRoot = join(folder, 'other-root.crt');
let server: Embedded;
const timeout = 120_000;

beforeAll(async () => {
  const dataDir = join(folder, 'data');
  await (await startEmbedded({ dataDir, log })).stop();
  const { cert, key } = selfSigned(['localhost']);
  writeFileSync(root, cert);
  writeFileSync(otherRoot, selfSigned(['localhost']).cert);
  const cluster = join(dataDir, 'postgres');
  const { uid, gid } = statSync(cluster);
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    writeFileSync(join(cluster, name), text, { mode: 0o600 });
    chownSync(join(cluster, name), uid, gid);
  }
  server = await startEmbedded({ dataDir, log, settings: { ssl: 'on' } });
}, timeout);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Settings = { host?: 'localhost' | '127.0.0.1'; sslmode?: string; sslrootcert?: string };

function urlOf({ host = 'localhost', ...params }: Settings): string {
  const url = new URL(server.url);
  url.hostname = host;
  return `${url.href}?${new URLSearchParams(params)}`;
}

/** Whether the connection is encrypted, as a start would make it. */
async function encrypted(url: string): Promise<boolean> {
  const db = openDb({ url: await settleTls(url), log });
  try {
    const { ssl } = await db.one<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return ssl;
  } finally {
    await db.close();
  }
}

const refusal = async (url: string): Promise<string> => {
  const error: unknown = await encrypted(url).then(
    () => new Error('It connected'),
    (failure: unknown) => failure,
  );
  return databaseStartProblem(error) ?? (error as Error).message;
};

describe('sslmode works as in the documentation of PostgreSQL', () => {
  test.each<[Settings, boolean]>([
    [{ sslmode: 'disable' }, false],
    [{ sslmode: 'allow' }, false],
    [{ sslmode: 'prefer' }, true],
    [{}, true],
    [{ sslmode: 'require' }, true],
    [{ sslmode: 'require', host: '127.0.0.1' }, true],
    [{ sslmode: 'require', sslrootcert: root, host: '127.0.0.1' }, true],
    [{ sslmode: 'prefer', sslrootcert: otherRoot }, true],
    [{ sslmode: 'verify-ca', sslrootcert: root }, true],
    [{ sslmode: 'verify-ca', sslrootcert: root, host: '127.0.0.1' }, true],
    [{ sslmode: 'verify-full', sslrootcert: root }, true],
  ])('the service connects with %o', async (settings, isEncrypted) => {
    expect(await encrypted(urlOf(settings))).toBe(isEncrypted);
  });

  test.each<[Settings, RegExp]>([
    [{ sslmode: 'require', sslrootcert: otherRoot }, /not from an authority that is trusted here/],
    [{ sslmode: 'verify-ca', sslrootcert: otherRoot }, /not from an authority that is trusted here/],
    [{ sslmode: 'verify-ca' }, /sslmode=verify-ca without sslrootcert/],
    [{ sslmode: 'verify-full', sslrootcert: otherRoot }, /not from an authority that is trusted here/],
    [{ sslmode: 'verify-full' }, /not from an authority that is trusted here/],
    [{ sslmode: 'verify-full', sslrootcert: 'system' }, /not from an authority that is trusted here/],
    [{ sslmode: 'verify-full', sslrootcert: root, host: '127.0.0.1' }, /is for another name/],
    [{ sslmode: 'verify-ca', sslrootcert: 'system' }, /set sslmode=verify-full/],
    [{ sslmode: 'verify-full', sslrootcert: join(folder, 'none.crt') }, /sslrootcert .* cannot be read/],
    [{ sslmode: 'no-verify' }, /an sslmode that does not exist/],
  ])('a connection with %o is refused with advice', async (settings, sentence) => {
    expect(await refusal(urlOf(settings))).toMatch(sentence);
  });

  test.each([
    ['sslmode=require&sslnegotiation=direct', 'direct'],
    ['sslmode=require&sslnegotiation=postgres', undefined],
    ['sslmode=disable&sslnegotiation=direct', undefined],
  ])('a connection with %s has the TLS negotiation %s', (query, negotiation) => {
    const { sslnegotiation, connectionString } = connectionOf(`${server.url}?${query}`);
    expect([sslnegotiation, connectionString]).toEqual([negotiation, server.url]);
  });

  test('a wrong database password is not tried again with another TLS mode', async () => {
    const url = new URL(urlOf({ sslmode: 'prefer' }));
    url.password = 'wrong';
    expect(await refusal(url.href)).toMatch(/refuses the password/);
  });

  test('a database server without TLS is used unless sslmode requires TLS', async () => {
    await using database = await testDatabase();
    const at = (sslmode: string) => `${database.url}?sslmode=${sslmode}`;
    for (const sslmode of ['disable', 'allow', 'prefer']) expect(await encrypted(at(sslmode))).toBe(false);
    expect(await encrypted(database.url)).toBe(false);
    for (const sslmode of ['require', 'verify-full'])
      expect(await refusal(at(sslmode))).toMatch(/offers no TLS, and sslmode in DATABASE_URL requires it/);
  });
});

describe('a server that takes only encrypted connections', () => {
  let strict: Embedded;
  beforeAll(async () => {
    await server.stop();
    const dataDir = join(folder, 'data');
    writeFileSync(join(dataDir, 'postgres', 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
    strict = await startEmbedded({ dataDir, log, settings: { ssl: 'on' } });
    server = strict;
  }, timeout);

  test.each(['allow', 'prefer', 'require'])(
    'a server that accepts only encrypted connections is reached with sslmode=%s',
    async (sslmode) => {
      expect(await encrypted(urlOf({ sslmode }))).toBe(true);
    },
  );

  test('a server that accepts only encrypted connections is reached without sslmode, but not with sslmode=disable', async () => {
    expect(await encrypted(urlOf({}))).toBe(true);
    expect(await refusal(urlOf({ sslmode: 'disable' }))).toMatch(
      /^The database takes no connection without TLS .*: add sslmode=require/,
    );
  });
});
