import { TEST_DOMAIN, TEST_RECIPIENTS } from '@sixdigit/contract/test-mode.ts';
import { expect, test } from 'vitest';
import { read } from '../../../test/source.ts';

test('docs/api-keys.md lists every test recipient with its result', () => {
  const rows = [...read('docs/api-keys.md').matchAll(/^\| `(\+1500555\d{4})` \| `([^`]+)` \| (.+) \|$/gm)];
  expect(rows.map(([, phone, email, result]) => [phone, email, result?.replaceAll('`', '')])).toEqual(
    TEST_RECIPIENTS.map(({ phone, local, result }) => [phone, `${local}@${TEST_DOMAIN}`, result]),
  );
});
