import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placeDatabase } from '../../../test/fakes/place-database.ts';
import { person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { plainNetwork } from './ip-network.ts';
import { openPlaces } from './places.ts';

test.each([
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:ffff:c000:207', '192.0.2.7'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::/0', '::/0'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['2001:db8::/32', '2001:db8::/32'],
])('the address %s is normalized to %s', (given, plain) => {
  expect(plainNetwork(given)).toBe(plain);
});

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sixdigit-places-'));
  file = join(folder, 'places.mmdb');
  await writeFile(
    file,
    placeDatabase({
      '203.0.113.0/24': { country: { iso_code: 'DE' }, city: { names: { en: 'Berlin' } } },
      '198.51.100.0/24': { country_code: 'US' },
      '192.0.2.0/25': { country: 'FR', city: 'Lyon' },
      '192.0.2.128/25': { country: { iso_code: 'ZZZ' } },
    }),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the place of an address is read from nested and flat records', async () => {
  const placeOf = await openPlaces(file);
  expect(
    ['203.0.113.7', '198.51.100.1', '192.0.2.1', '192.0.2.200', '8.8.8.8', '2001:db8::1', null].map(placeOf),
  ).toEqual(['Berlin, Germany', 'United States', 'Lyon, France', null, null, null, null]);
});

test('a file that is not a place database is refused', async () => {
  const text = join(folder, 'text.mmdb');
  await writeFile(text, 'not a database');
  await expect(openPlaces(text)).rejects.toThrow();
  await expect(openPlaces(join(folder, 'missing.mmdb'))).rejects.toThrow('no such file');
});

test('sessions, the activity and the mail about a new device show the place of the address', async () => {
  await using service = await testService({ env: { GEOIP_DATABASE: file } });
  const { email, password, access: bearer } = await person(service, 'Ada');
  const signedIn = await service.inject({
    method: 'POST',
    url: API_BASE + signIn.path,
    payload: { email, password },
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0' },
    remoteAddress: '203.0.113.7',
  });
  expect(signedIn.statusCode).toBe(200);
  const sessions = await service.call(listSessions, { bearer });
  expect(sessions.body.results.map(({ ip_address, place }) => [ip_address, place])).toEqual([
    ['203.0.113.7', 'Berlin, Germany'],
    ['127.0.0.1', null],
  ]);
  const { body } = await service.call(listAuditEntries, { bearer });
  expect(body.results[0]).toMatchObject({ action: 'sign_in.succeed', place: 'Berlin, Germany' });
  await service.deliver();
  const mails = await service.inbox(email);
  expect(mails.map(({ text }) => text).join()).toContain('203.0.113.7 (Berlin, Germany)');
});
