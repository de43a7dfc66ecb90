import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test, vi } from 'vitest';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

/** A claim of a live worker that comes through after the worker has given it up, as when its commit waited for a standby. */

const receiver = fixture(startReceiver);
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));

async function claimedLate(table: 'deliveries' | 'webhook_deliveries'): Promise<void> {
  const claimed = await service.app.db.run(
    `update ${table} set worker_id = $1, claim = $2, claimed_at = clock_timestamp()`,
    [service.worker.id, service.app.random.uuid()],
  );
  expect(claimed).toBe(1);
}

test('a message with an orphaned claim is dispatched once', async () => {
  const recipient = 'late@example.com';
  await alice.sent(recipient);
  await claimedLate('deliveries');
  await vi.waitFor(
    async () => {
      await service.drain();
      expect(await service.inbox(recipient)).toHaveLength(1);
    },
    { timeout: 10_000 },
  );
});

test('a webhook message with an orphaned claim is delivered', async () => {
  const bearer = await signedIn(service, alice);
  const endpoint = { name: 'late', url: receiver.at('/ok') };
  expect((await service.call(createWebhook, { bearer, body: endpoint })).status).toBe(201);
  const otp_id = await alice.sent('late-event@example.com');
  await service.app.db.transaction(async (tx) => {
    await tx.run(`select apply_changes($1)`, [
      JSON.stringify([
        {
          account_id: alice.account_id,
          id: otp_id,
          allowed: ['pending'],
          to: 'sent',
          sent: true,
          event: 'sent',
        },
      ]),
    ]);
  });
  await claimedLate('webhook_deliveries');
  await vi.waitFor(
    async () => {
      await service.drain();
      expect(receiver.requests).toHaveLength(1);
    },
    { timeout: 10_000 },
  );
});
