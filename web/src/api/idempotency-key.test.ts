import { expect, test } from 'vitest';
import { z } from 'zod';
import { newIdempotencyKey } from './idempotency-key.ts';

test('each idempotency key is a new UUID, even outside a secure context', () => {
  const { randomUUID } = crypto;
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
  try {
    expect(z.uuidv4().safeParse(newIdempotencyKey()).success).toBe(true);
    expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
  } finally {
    Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true });
  }
});
