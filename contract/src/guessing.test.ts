import { expect, test } from 'vitest';
import { CODE_LENGTH } from './code-message.ts';
import { attemptsFor, mostAttempts } from './guessing.ts';

test('codes below six digits allow three attempts, all others five', () => {
  expect([4, 5, 6, 7, 8].map(attemptsFor)).toEqual([3, 3, 5, 5, 5]);
});

test('no length and number of attempts make a guess likelier than the account’s own', () => {
  for (let account = CODE_LENGTH.min; account <= CODE_LENGTH.max; account += 1)
    for (let length = 4; length <= 10; length += 1) {
      const most = mostAttempts(length, account);
      const odds = BigInt(attemptsFor(account)) * 10n ** BigInt(length);
      expect(BigInt(most) * 10n ** BigInt(account) <= odds).toBe(true);
      expect(most === 10 || BigInt(most + 1) * 10n ** BigInt(account) > odds).toBe(true);
      // The account's default fits, wherever a length is allowed at all.
      expect(most === 0 || most >= attemptsFor(length)).toBe(true);
    }
});
