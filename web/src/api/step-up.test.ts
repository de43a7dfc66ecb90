import { expect, test } from 'vitest';
import { askForProof, endProof, isProofWanted, onProofWanted } from './step-up.ts';

test('calls that need a proof of identity at the same time share one dialog', async () => {
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

test('a call that needs a proof of identity fails if no screen can ask for it or the screen closes', async () => {
  expect(await askForProof()).toBe(false);
  const stop = onProofWanted(() => undefined);
  const call = askForProof();
  stop();
  expect(await call).toBe(false);
});
