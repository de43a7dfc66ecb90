import { getOverview } from '@sixdigit/contract/operator/overview.ts';
import { confirmRetention } from '@sixdigit/contract/operator/retention.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { testService } from '../../../test/service.ts';
import { testWorker } from '../../../test/worker.ts';
import { eraseRecipient } from '../../deletion/deletion.ts';
import { setFact } from '../../platform/db/facts.ts';
import { retentionCommand } from '../commands/retention/retention.ts';
import { retentionJobs } from './retention.ts';

const DAY = 86_400_000;
const service = fixture(() => testService({ env: { RETENTION_DAYS: '600' } }));
const alice = fixture(() => service.customer('Alice'));

/** As a worker that was started with these settings. */
async function retain(days: { retentionDays?: number; recipientRetentionDays?: number } = {}): Promise<void> {
  const config = { ...service.app.config, ...days };
  for (const job of retentionJobs({ ...service.app, config }).filter(({ name }) =>
    name.includes('retention'),
  ))
    while (await job.run(testWorker(service.app.random.uuid())));
}
const recipients = async () =>
  (await service.app.db.rows<{ recipient: string }>('select recipient from verifications order by id')).map(
    ({ recipient }) => recipient,
  );
const command = async (days: { retentionDays: number }, ...args: string[]) => {
  const lines: string[] = [];
  const app = { ...service.app, config: { ...service.app.config, ...days } };
  const code = await retentionCommand(app, args, (line) => void lines.push(line));
  return { code, text: lines.join('\n') };
};

test('a retention that shrinks deletes nothing until an operator confirms it', async () => {
  const send = (recipient: string) =>
    service.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'email', recipient } });
  await send('old@example.com');
  await send('erased@example.com');
  await retain({ recipientRetentionDays: 600 });
  await service.clock.advance(450 * DAY);
  const lost = { retentionDays: 400, recipientRetentionDays: 90 };
  await retain(lost);
  expect(await recipients()).toEqual(['old@example.com', 'erased@example.com']);
  expect(service.logLines.join()).toContain('RETENTION_DAYS is 400, but data has been kept for 600 days');

  // An erasure finds what is still there.
  const app = { ...service.app, config: { ...service.app.config, ...lost } };
  expect(await eraseRecipient(app, 'erased@example.com')).toMatchObject({ verifications: 1 });

  expect(await command(lost)).toMatchObject({ code: 0, text: expect.stringContaining('retention confirm') });
  expect((await command(lost, 'confirm', 'all')).code).toBe(2);
  expect((await recipients())[0]).toBe('old@example.com');
  expect(await command(lost, 'confirm')).toMatchObject({
    code: 0,
    text: expect.stringContaining('confirmed 400 days'),
  });
  await retain(lost);
  expect(await recipients()).toEqual([]);
  expect((await command(lost)).text).toBe('No retention setting waits for a confirmation.');
  expect((await command({ retentionDays: 700 })).text).toBe('No retention setting waits for a confirmation.');
});

test('an operator confirms in the console what was shown, once, and the audit log records it', async () => {
  await retain();
  await setFact(service.app.db, 'days kept by RETENTION_DAYS', '700');
  const olivia = await testOperator(service);
  const shown = { name: 'RETENTION_DAYS', days: 600, kept_days: 700 } as const;
  const waiting = async () => (await olivia.call(getOverview)).body.shrunk_retention;
  expect(await waiting()).toEqual([shown]);
  const confirm = (more: object = {}) =>
    olivia.call(confirmRetention, { body: { ...shown, ...more, reason: 'Less is enough' } });
  for (const other of [{ days: 500 }, { kept_days: 800 }, { name: 'LOG_RETENTION_DAYS' }])
    expect(await confirm(other)).toMatchObject({ status: 409, body: { reason: 'changed_meanwhile' } });
  expect(await waiting()).toEqual([shown]);
  const answers = await Promise.all([confirm(), confirm()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
  expect(await waiting()).toEqual([]);
  expect(await auditOf(service)).toEqual([
    { action: 'retention.confirm', reason: 'Less is enough', before: { days: 700 }, after: { days: 600 } },
  ]);
});
