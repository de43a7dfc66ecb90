import { getLookup, removeLookup, setLookup, testLookup } from '@sixdigit/contract/operator/lookups.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { testService } from '../../../test/service.ts';
import { dumpTables } from '../../../test/table-dump.ts';

const service = fixture(testService);
const olivia = fixture(() => testOperator(service));
const oscar = fixture(() => testOperator(service, { name: 'Oscar' }));

const SECRET = 'a secret that only the company knows';
const lookup = (more: object = {}) =>
  ({
    kind: 'prelude',
    is_enabled: true,
    cache_hours: 24,
    timeout_ms: 1_000,
    daily_limit: 100,
    account_daily_limit: 10,
    api_key: SECRET,
    version: 0,
    reason: 'Set up',
    ...more,
  }) as Given<typeof setLookup, 'body'>;
const set = (more: object = {}, by = olivia) => by.call(setLookup, { body: lookup(more) });

afterEach(async () => {
  const { body } = await olivia.call(getLookup);
  if (!body.lookup) return;
  const { version } = body.lookup;
  expect((await olivia.call(removeLookup, { body: { version, reason: 'Done' } })).status).toBe(200);
});

test('the secret of a look-up is stored encrypted, and neither responses, audit nor log contain it', async () => {
  const { status, body } = await set();
  expect(status).toBe(200);
  expect(body.lookup?.fields[0]).toEqual({
    name: 'api_key',
    value: null,
    is_set: true,
    last4: SECRET.slice(-4),
  });
  expect(JSON.stringify(body)).not.toContain(SECRET);
  for (const { table, text } of await dumpTables(service.app.db)) expect(text, table).not.toContain(SECRET);
  expect(service.logLines.join('\n')).not.toContain(SECRET);
});

test('one of several operators who change the look-up at once succeeds, and the others must reload', async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, n) => (n % 2 ? oscar : olivia).call(setLookup, { body: lookup() })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ reason: 'changed_meanwhile' });
});

test('a look-up that was changed meanwhile is not deleted', async () => {
  const first = (await set()).body.lookup;
  const { version = 0 } = first ?? {};
  await service.clock.advance(60_000);
  const second = (await set({ version })).body.lookup;
  const [before = 0, after = 0] = [first, second].map((one) => Date.parse(one?.changed_at ?? ''));
  expect(after - before).toBeGreaterThanOrEqual(60_000);
  const reply = await olivia.call(removeLookup, { body: { version, reason: 'Old' } });
  expect(reply).toMatchObject({ status: 409, body: { reason: 'changed_meanwhile' } });
});

test('a new address needs the secret again, and an empty secret otherwise keeps the stored one', async () => {
  const version = (await set()).body.lookup?.version;
  expect((await set({ version, api_key: '', cache_hours: 1 })).body.lookup).toMatchObject({
    cache_hours: 1,
    fields: [{ is_set: true }, {}],
  });
  const moved = await set({
    version: Number(version) + 1,
    api_key: '',
    api_url: 'https://other.example.com',
  });
  expect(moved.body).toMatchObject({ api_key: [expect.stringContaining('Enter it again')] });
  const other = await set({
    version: Number(version) + 1,
    kind: 'camara',
    api_key: '',
    api_url: 'https://x.example',
  });
  expect(other.body).toMatchObject({ api_key: ['This field is required.'] });
});

const RECORD = {
  send: { url: 'https://api.example.com/{to}', auth: { type: 'bearer', token: '{api_key}' } },
  found: { line_type: 'type' },
};
test.each<[string, object, object]>([
  ['no secret', { api_key: '' }, { api_key: ['This field is required.'] }],
  [
    'too long a time limit',
    { timeout_ms: 60_000 },
    { timeout_ms: [expect.stringContaining('100 to 5,000')] },
  ],
  ['no reason', { reason: ' ' }, { reason: ['Please enter a reason'] }],
  ['an FTP address', { api_url: 'ftp://x.example' }, { api_url: [expect.stringContaining('https://')] }],
  [
    'hours beyond the standard',
    { kind: 'camara_check', api_url: 'https://x.example', max_age: '9999' },
    { max_age: [expect.stringContaining('1 to 2400')] },
  ],
  ['no JSON', { kind: 'custom', record: '{' }, { record: ['The record is not valid JSON.'] }],
  [
    'a record without a number',
    { kind: 'custom', record: JSON.stringify({ ...RECORD, send: { url: 'https://api.example.com/' } }) },
    { record: [expect.stringContaining('must contain {to}')] },
  ],
  [
    'a record with the secret in its address',
    {
      kind: 'custom',
      record: JSON.stringify({ ...RECORD, send: { url: 'https://x.example/{to}?k={api_key}' } }),
    },
    { record: [expect.stringContaining('must not contain the secret {api_key}')] },
  ],
  [
    'a record without a fact',
    { kind: 'custom', record: JSON.stringify({ ...RECORD, found: { carrier: 'name' } }) },
    { record: [expect.stringContaining('Name line_type')] },
  ],
])('a look-up with %s is refused', async (_what, more, problems) => {
  expect(await set(more)).toMatchObject({ status: 400, body: problems });
});

test('each change and test of the look-up is in the audit log, and a deleted one cannot be tested', async () => {
  const { body } = await set({ kind: 'custom', record: JSON.stringify(RECORD) });
  const version = body.lookup?.version ?? 0;
  await olivia.call(testLookup, { body: { recipient: '+14155550100' } });
  await olivia.call(removeLookup, { body: { version, reason: 'Too expensive' } });
  const actions = (await auditOf(service)).map(({ action, after }) => [action, after]);
  expect(actions.slice(-3)).toEqual([
    ['lookup.create', expect.anything()],
    ['lookup.test', { recipient: '+1415••••00' }],
    ['lookup.delete', null],
  ]);
  expect((await olivia.call(testLookup, { body: { recipient: '+14155550100' } })).status).toBe(404);
});

test('the audit log keeps no query of a URL, neither of a field nor within a record of several lines', async () => {
  const url = 'https://api.example.com/{to}?key=literal';
  const record = JSON.stringify({ ...RECORD, send: { ...RECORD.send, url } }, null, 2);
  const escaped = record.replace('?', '\\u003f');
  let version = 0;
  for (const more of [
    { kind: 'custom', record },
    { kind: 'custom', record: escaped },
    { api_url: 'https://a.example/?key=literal' },
  ]) {
    const { status, body } = await set({ ...more, version });
    version = body.lookup?.version ?? 0;
    expect({ status, body }).toMatchObject({ status: 200 });
    const { after } = (await auditOf(service)).at(-1) ?? {};
    expect(JSON.stringify(after)).toContain('?…');
    expect(JSON.stringify(after)).not.toContain('literal');
  }
});
