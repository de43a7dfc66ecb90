import { exportVerifications, getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Member, memberOf } from '../../test/members.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { eraseRecipient } from '../deletion/deletion.ts';

/** A caller's own labels of a send. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { keys: 2 }));
const session = fixture(async () => ({ bearer: await signedIn(service, alice) }));

const METADATA = { order: '4711', note: 'café "5%_\\', from: '+1 415 555 0199' };

const foundBy = async (search: string, member?: Member): Promise<string[]> => {
  const query = { search };
  const { body } = member
    ? await member.call(listVerifications, { query })
    : await service.call(listVerifications, { ...session, query });
  return body.results.map(({ recipient }) => recipient);
};

test('the metadata of a send is in its status, its detail, its export and its webhooks', async () => {
  const { bearer } = session;
  await service.call(createWebhook, { bearer, body: { name: 'Hook', url: 'http://127.0.0.1:9/hook' } });
  const id = await alice.sent('ann@example.com', { metadata: METADATA });
  const other = await alice.sent('bob@example.com');
  await service.drain();
  expect((await alice.state(id)).metadata).toEqual(METADATA);
  expect((await alice.state(other)).metadata).toBeNull();
  const detail = await service.call(getVerification, { bearer, params: { id } });
  expect(detail.body.metadata).toEqual(METADATA);
  expect((await service.call(exportVerifications, { bearer })).body.text).toContain('"{""order"":""4711""');
  const published = await service.app.db.rows(
    `select otp_id, body::json #> '{data,metadata}' as metadata from webhook_messages
     where type = 'otp.sent' and account_id = $1 order by otp_id`,
    [alice.account_id],
  );
  expect(published).toEqual([
    { otp_id: id, metadata: METADATA },
    { otp_id: other, metadata: null },
  ]);
});

test('a search for a pair finds the sends that have exactly this pair', async () => {
  await alice.sent('cat@example.com', { metadata: { order: '471' } });
  await alice.sent('dan@example.com', { metadata: { note: '"order":"471"', reorder: '471' } });
  expect(await foundBy('metadata.order=471')).toEqual(['cat@example.com']);
  expect(await foundBy(`metadata.note=${METADATA.note}`)).toEqual(['ann@example.com']);
  expect(await foundBy('metadata.note=%')).toEqual([]);
});

test('a viewer sees metadata with numbers masked, and cannot confirm a number by a search', async () => {
  const viewer = await memberOf(service, alice, 'Viola', 'viewer');
  expect(await foundBy('metadata.order=471', viewer)).toHaveLength(1);
  expect(await foundBy(`metadata.from=${METADATA.from}`, viewer)).toEqual([]);
  expect(await foundBy(`metadata.from=${METADATA.from}`)).toHaveLength(1);
});

test.each([
  ['a text', 'order', 'Metadata must be an object of texts.'],
  [
    'eleven pairs',
    Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, 'v'])),
    /at most 10 pairs/,
  ],
  ['a capital in a key', { Order: '1' }, /Keys of metadata/],
  ['a key of 41 characters', { ['k'.repeat(41)]: '1' }, /Keys of metadata/],
  ['a value of 201 characters', { order: 'v'.repeat(201) }, /at most 200 characters/],
  ['a list as a value', { order: ['1'] }, /must be texts/],
  ['a control character', { order: 'a\0b' }, /plain text/],
  ['half a character', { order: '\ud800' }, /plain text/],
])('metadata with %s is a field error, and nothing is sent', async (_, metadata, sentence) => {
  const before = await alice.balance();
  const { status, body } = await alice.send('eve@example.com', { metadata });
  expect(status).toBe(400);
  expect(body.metadata).toEqual([expect.stringMatching(sentence)]);
  expect(await alice.balance()).toBe(before);
});

test('no pairs are no metadata', async () => {
  expect((await alice.state(await alice.sent('jo@example.com', { metadata: {} }))).metadata).toBeNull();
});

test('numbers count as texts', async () => {
  const id = await alice.sent('flo@example.com', { metadata: { order: 4711 } });
  expect((await alice.state(id)).metadata).toEqual({ order: '4711' });
});

test('the erasure of a recipient empties the metadata of its sends, and of sends that name it', async () => {
  const own = await alice.sent('gus@example.com', { metadata: { order: 'of Gus' } });
  const naming = await alice.sent('hal@example.com', { metadata: { for: 'Gus@Example.com' } });
  const other = await alice.sent('ida@example.com', { metadata: { order: '2' } });
  await service.drain();
  await eraseRecipient(service.app, 'gus@example.com');
  expect((await alice.state(own)).metadata).toBeNull();
  expect((await alice.state(naming)).metadata).toEqual({});
  const published = await service.app.db.rows(
    `select body::json #> '{data,metadata}' as metadata from webhook_messages where otp_id = any ($1) order by otp_id`,
    [[own, naming, other]],
  );
  expect(published).toEqual([{ metadata: null }, { metadata: null }, { metadata: { order: '2' } }]);
});
