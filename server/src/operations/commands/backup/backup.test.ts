/** The whole program with its own database, backed up while it works and started again elsewhere. */

import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runSql } from '../../../../test/database-url.ts';
import { type RunningProgram, runProgram, stopProgram } from '../../../../test/program.ts';
import { roomiestFolder } from '../../../../test/roomiest-folder.ts';
import { backupUrl, startEmbedded } from '../../../platform/db/embedded.ts';
import { backUpEmbedded, backupCommand } from './backup.ts';
import { type Piece, streamBaseBackup } from './base-backup.ts';

const timeout = 120_000;
const log = { info: () => {}, error: () => {} };
let folder: string;
const started: RunningProgram[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(roomiestFolder(), 'backup-'));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map(stopProgram));
  rmSync(folder, { recursive: true, force: true });
});

function run(args: string[], env: Record<string, string>): RunningProgram {
  const program = runProgram(args, { WELCOME_CREDITS: '100000', ...env });
  started.push(program);
  return program;
}

/** Stays below the rate limit of thirty calls a second per key. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 40));

/** A customer's side of the wire. */
function customerOf(origin: string, key = '') {
  const call = async (path: string, body?: object, headers = {}) => {
    const answer = await fetch(`${origin}/api/v1${path}`, {
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), 'x-api-key': key, ...headers },
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  let sent = 0;
  const send = async (recipient = `+1415555${2000 + (sent++ % 7000)}`) => {
    const { status, body } = await call('/otp/send/', { channel: 'sms', recipient });
    return status === 201 ? (body.otp_id ?? '') : '';
  };
  const codeTo = (recipient: string) =>
    vi.waitFor(
      async () => {
        const answer = await fetch(`${origin}/sandbox/messages?recipient=${encodeURIComponent(recipient)}`);
        const [message] = (await answer.json()) as { code: string }[];
        return message?.code ?? Promise.reject(new Error('no message yet'));
      },
      { timeout: 20_000 },
    );
  return { call, send, codeTo };
}

async function newKey(origin: string): Promise<string> {
  const { call, codeTo } = customerOf(origin);
  const [email, password] = ['alice@people.test', 'a good long password'];
  const account = { email, phone_number: '4155552671', password, confirm_password: password };
  const { body: begun } = await call('/auth/signup', account);
  const code = await codeTo(email);
  const { body: tokens } = await call('/auth/verify-2fa', { session_token: begun.session_token, code });
  const bearer = { authorization: `Bearer ${tokens.access}` };
  const { body } = await call('/api-keys/', { name: 'My app' }, bearer);
  return body.key ?? '';
}

test('a backup during sends contains every acknowledged request, and a service starts from it elsewhere', {
  timeout,
}, async () => {
  const dataDir = join(folder, 'data');
  const service = run([], { DATA_DIR: dataDir });
  const origin = await service.url();
  const key = await newKey(origin);
  const customer = customerOf(origin, key);
  const kept = await customer.send('+14155551234');
  const code = await customer.codeTo('+14155551234');
  const before = [kept];
  for (let n = 0; n < 10; n++) {
    before.push(await customer.send());
    await pause();
  }
  expect(before).not.toContain('');

  const copy = join(folder, 'copies', 'one');
  const backup = run(['backup', copy], { DATA_DIR: dataDir });
  let isDone = false;
  void backup.exited.then(() => {
    isDone = true;
  });
  const during: string[] = [];
  while (!isDone) {
    during.push(await customer.send());
    await pause();
  }
  expect(await backup.exited, backup.output()).toBe(0);
  expect(during.length).toBeGreaterThan(5);
  expect(during).not.toContain('');
  for (const name of ['secret-key', 'postgres-password'])
    expect(statSync(join(copy, name)).mode & 0o777).toBe(0o600);
  expect(statSync(copy).mode & 0o777).toBe(0o700);
  const names = readdirSync(join(copy, 'postgres'));
  expect(names).toEqual(expect.arrayContaining(['backup_label', 'backup_manifest']));
  expect(names).not.toContain('postmaster.pid');
  service.child.kill('SIGKILL');
  await service.exited;

  const restored = run([], { DATA_DIR: copy });
  const elsewhere = customerOf(await restored.url(), key);
  for (const id of before) {
    expect((await elsewhere.call(`/otp/${id}/`)).status).toBe(200);
    await pause();
  }
  const verified = await elsewhere.call('/otp/verify/', { otp_id: kept, code });
  expect(verified).toMatchObject({ status: 200, body: { status: 'verified' } });
  expect(await elsewhere.send('+14155551299')).not.toBe('');
  expect(await elsewhere.codeTo('+14155551299')).toMatch(/^\d{6}$/);
  expect(await unbalanced(copy)).toMatchObject([{ unbalanced: 0 }]);
});

/** Accounts whose ledger does not add up to their balance, in a database that runs. */
async function unbalanced(dataDir: string) {
  const embedded = await startEmbedded({ dataDir, log, join: true });
  const rows = await runSql(
    embedded.url,
    `select count(*)::int as accounts, (count(*) filter (where b.credits - b.debt is distinct from
         (select sum(l.credits) from ledger l where l.account_id = b.account_id)))::int as unbalanced
     from balances b`,
  );
  await embedded.stop();
  return rows;
}

test('an interrupted backup does not get its final name, and an existing folder is refused', {
  timeout,
}, async () => {
  const dataDir = join(folder, 'data');
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  writeFileSync(join(copy, 'something'), '');
  await expect(backUpEmbedded({ dataDir, log }, copy)).rejects.toThrow('is not empty');
  await expect(backUpEmbedded({ dataDir, log }, join(dataDir, 'postgres', 'copy'))).rejects.toThrow(
    'inside the database',
  );
  rmSync(copy, { recursive: true });
  const embedded = await startEmbedded({ dataDir, log, superuser: true, settings: { fsync: 'off' } });
  await runSql(embedded.url, 'create table memory (word text)');
  // A tablespace can only be created by hand, and the copy would lack it.
  const space = join(folder, 'space');
  mkdirSync(space, { mode: 0o777 });
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(join(dataDir, 'postgres'));
    chownSync(space, uid, gid);
    chownSync(folder, uid, gid);
  }
  await runSql(embedded.url, `create tablespace elsewhere location '${space}'`);
  await expect(backUpEmbedded({ dataDir, log }, copy)).rejects.toThrow('tablespaces');
  expect(readdirSync(folder).sort()).toEqual(['data', 'space']);
  // The server can refuse before the first piece is read.
  const late = async (pieces: AsyncIterable<Piece>) => {
    await expect.poll(() => (pieces as Readable).destroyed).toBe(true);
    for await (const { of } of pieces) expect(of).toBe('archive');
  };
  const joined = await startEmbedded({ dataDir, log, join: true });
  await expect(streamBaseBackup(backupUrl(joined.url), late)).rejects.toThrow('tablespaces');
  await joined.stop();
  await runSql(embedded.url, 'drop tablespace elsewhere');
  expect(await backUpEmbedded({ dataDir, log }, copy)).toBe(copy);
  await embedded.stop();
  expect(existsSync(join(copy, 'secret-key'))).toBe(false);
  expect(readFileSync(join(copy, 'postgres', 'PG_VERSION'), 'utf8')).toBe('18\n');
});

test('a backup of an external database or without a folder is refused', async () => {
  const settings = { dataDir: join(folder, 'data'), databaseUrl: undefined, secretKey: undefined };
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const external = { ...settings, databaseUrl: 'postgres://nobody@127.0.0.1:8/none' };
  await expect(backupCommand(external, log, [join(folder, 'copy')], print)).rejects.toThrow(
    'back up that server with pg_dump',
  );
  expect(await backupCommand(settings, log, [], print)).toBe(2);
  expect(printed.join('\n')).toContain('Name one folder');
});
