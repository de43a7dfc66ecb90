import { failures } from '../errors.ts';
import { REQUIRED } from '../field.ts';
import { type Chapter, json } from './chapter.ts';

const example = {
  error: failures.invalid_code.error,
  reason: 'invalid_code',
  attempts_remaining: 4,
};

/** The two shapes of errors, and how to handle common ones. */
export const errors = (): Chapter => ({
  id: 'errors',
  title: 'Errors',
  summary: 'The two shapes of errors, and how to handle common ones',
  parts: [
    {
      text: [
        'A refused call changes nothing and costs nothing, except that a wrong code counts as an attempt. Errors have two shapes. Field errors name each missing or invalid field with its messages.',
      ],
      sample: json({ channel: [REQUIRED], recipient: [REQUIRED] }, 'Field errors'),
    },
    {
      text: [
        'All other errors have a message for people, a `reason` for programs, and further details. Messages may change; reasons never do.',
        [
          '**402** with `insufficient_credits`: [buy credits](/credits) or turn on auto-purchase. With `spend_limit_reached`: wait until `resets_at`, or raise the limit under [Protection](/protection#spend).',
          '**429** and **503** have `Retry-After`, in seconds. In every response, the `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` headers show the remaining requests.',
          'After a timeout or a **500**, retry with the same `Idempotency-Key`.',
          'Every response has an `X-Request-Id`: search for it under [Logs](/logs).',
        ],
      ],
      sample: json(example, 'An error'),
    },
  ],
});
