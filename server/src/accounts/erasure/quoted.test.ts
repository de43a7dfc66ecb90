import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { numberOf } from '../../../test/fakes/behaviour.ts';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { dumpTables } from '../../../test/table-dump.ts';
import { eraseRecipient } from './erasure.ts';

/** What carriers and receivers write about a recipient comes over the wire, and every table is searched for it. */
const recipient = numberOf.echo;
/** the national number, in any spelling */
const NAMED = /2025550121/;
const digits = (text: string) => text.replace(/\D/g, '');

const ANSWERS = [
  `No route to ${recipient}, retry later`,
  '{"error": "unknown", "to": "+1 202-555-0121"}',
  '<p>(202)&nbsp;555&nbsp;0121 is busy</p>',
  `${'. '.repeat(2040)} to ${recipient} and more`,
];

const service = fixture(() => serviceWithCarriers(['twilio', 'http'], { WEBHOOK_ALLOW_PRIVATE: '1' }));
const receiver = fixture(startReceiver);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

const tablesThatName = async () => [
  ...new Set(
    (await dumpTables(service.app.db))
      .filter(
        ({ text }) =>
          NAMED.test(text) || NAMED.test(digits(text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ' x '))),
      )
      .map(({ table }) => table),
  ),
];

test('an erased recipient is in no table, also where a carrier or a receiver quoted the number', async () => {
  const bearer = await signedIn(service, alice);
  const { status } = await service.call(createWebhook, {
    bearer,
    body: { name: 'Receiver', url: receiver.at('/answers') } as never,
  });
  expect(status).toBe(201);
  let answered = 0;
  receiver.answer = () => ({ status: 500, body: ANSWERS[answered++ % ANSWERS.length] ?? '' });
  await alice.sent(recipient);
  for (let n = 0; n < 12; n += 1) {
    await service.drain();
    await service.clock.advance(3 * 3_600_000);
  }
  expect(answered).toBeGreaterThan(ANSWERS.length);
  expect(await tablesThatName()).toEqual(
    expect.arrayContaining(['verifications', 'webhook_attempts', 'webhook_messages', 'request_logs']),
  );
  await eraseRecipient(service.app, recipient);
  expect(await tablesThatName()).toEqual([]);
});
