import { expect, test } from 'vitest';
import { fairSlots } from './fair-slots.ts';

/** Jobs that run until the test ends them. */
function slots(limits: Parameters<typeof fairSlots>[0]) {
  const fair = fairSlots(limits);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    started,
    run: (account: string, signal?: AbortSignal) =>
      fair.run(
        account,
        () =>
          new Promise<void>((resolve) => {
            started.push(account);
            ends.push(resolve);
          }),
        { signal },
      ),
    async end() {
      await new Promise((resolve) => setImmediate(resolve));
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const ONE = { anAccount: 1, aProcess: 1, waitingAnAccount: 2 };
const REFUSED = { status: 429, reason: 'too_many_requests' };

test('with one slot, accounts take turns', async () => {
  const { run, started, end } = slots(ONE);
  const all = [run('alice'), run('alice'), run('alice'), run('bob')];
  for (const _ of all) await end();
  await Promise.all(all);
  expect(started).toEqual(['alice', 'alice', 'bob', 'alice']);
});

test('work beyond an account’s queue is refused, and other accounts still wait', async () => {
  const { run, end } = slots(ONE);
  const all = [run('alice'), run('alice'), run('alice')];
  await expect(run('alice')).rejects.toMatchObject(REFUSED);
  all.push(run('bob'));
  for (const _ of all) await end();
  await Promise.all(all);
});

test('work beyond the queue of the process is refused', async () => {
  const { run, end } = slots({ ...ONE, waitingAProcess: 2 });
  const all = [run('alice'), run('bob'), run('carol')];
  await expect(run('dan')).rejects.toMatchObject(REFUSED);
  for (const _ of all) await end();
  await Promise.all(all);
});

test('waiting work whose client disconnects makes room', async () => {
  const { run, started, end } = slots({ ...ONE, waitingAProcess: 1 });
  const client = new AbortController();
  const first = run('alice');
  const waiting = run('bob', client.signal);
  client.abort();
  await expect(waiting).rejects.toMatchObject(REFUSED);
  await expect(run('bob', client.signal)).rejects.toMatchObject(REFUSED);
  const next = run('carol');
  await end();
  await end();
  await Promise.all([first, next]);
  expect(started).toEqual(['alice', 'carol']);
});
