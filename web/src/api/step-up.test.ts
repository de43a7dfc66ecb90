import { expect, test } from 'vitest';
import { askForProof, endProof, isProofWanted, onProofWanted } from './step-up.ts';

test('calls that wait for a proof at the same time share one dialog', async () => {
  const stop = onProofWanted(() => undefined);
  const calls = [askForProof(), askForProof()];
  expect(isProofWanted()).toBe(true);
  endProof(true);
  expect(await Promise.all(calls)).toEqual([true, true]);
  expect(isProofWanted()).toBe(false);
  const next = askForProof();
  endProof(false);
  expect(await next).toBe(false);
  stop();
});

test('a call fails at once if no screen can ask, and when the screen goes away', async () => {
  expect(await askForProof()).toBe(false);
  const stop = onProofWanted(() => undefined);
  const call = askForProof();
  stop();
  expect(await call).toBe(false);
});
