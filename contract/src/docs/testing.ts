import {
  TEST_CODE,
  TEST_DOMAIN,
  TEST_INBOX_DAYS,
  TEST_RECIPIENTS,
  TEST_SENDS_PER_DAY,
} from '../test-mode.ts';
import type { Chapter } from './chapter.ts';

/** Test keys and their recipients. */
export const testing = (): Chapter => ({
  id: 'testing',
  title: 'Testing',
  summary: 'Test keys, and recipients with a fixed outcome',
  parts: [
    {
      text: [
        `A test key begins with \`sd_test_\`. It sends nothing and costs nothing. The code is always \`${TEST_CODE.slice(0, 6)}\`, or the beginning of \`${TEST_CODE}\` if your codes have another length. Messages appear for ${TEST_INBOX_DAYS} days in the [test inbox](/?mode=test&view=inbox). Responses and webhooks have \`test: true\`. An account can make ${TEST_SENDS_PER_DAY.toLocaleString('en-US')} test sends per day.`,
        'These recipients have a fixed outcome. Messages to all others are delivered.',
        {
          kind: 'table',
          label: 'Test recipients',
          headings: ['Phone', 'Email', 'Outcome'],
          rows: TEST_RECIPIENTS.map(({ phone, local, result }) => [
            `\`${phone}\``,
            `\`${local}@${TEST_DOMAIN}\``,
            result,
          ]),
        },
        'With `channels`, a number that is not delivered is delivered in the last step. With one that is not reached, WhatsApp and Telegram are skipped.',
      ],
    },
  ],
});
