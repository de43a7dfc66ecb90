import type { Chapter, Facts } from './chapter.ts';
import { pythonSample, typeScriptSample } from './client-samples.ts';

/** The packages for TypeScript, Python and better-auth. */
export const clients = (facts: Facts): Chapter => ({
  id: 'clients',
  title: 'Clients',
  summary: 'Packages for TypeScript and Python, and the command sixdigit',
  parts: [
    {
      text: [
        'The packages named `sixdigit` for TypeScript and Python need no other package. The operator of this service has them: they are in `clients` of its source, and applications in `clients/samples`.',
        [
          '**Retries.** All attempts of a call have one idempotency key, so a code is sent and paid for once, even if a response was lost.',
          '**Errors.** A failed call throws a `SixdigitError` with the `reason` and details of the API, or `timeout` or `connection_failed`.',
          '**Webhooks.** `verifyWebhook` checks the signature and returns the event.',
          '**Tests.** `FakeSixdigit` replaces the service in your tests: you read its codes, let them expire, and make calls fail.',
          '**Terminal.** The command `sixdigit` sends and verifies codes. With a key that has the scope `events:read`, `sixdigit logs --follow` shows requests as they happen, and `sixdigit listen --forward-to <url>` forwards webhooks to your machine.',
        ],
      ],
      sample: {
        kind: 'code',
        code: typeScriptSample(facts),
        language: 'javascript',
        label: 'Send and verify with the TypeScript package',
      },
    },
    {
      text: [
        'The Python package has the same calls, and `AsyncSixdigit` for asyncio.',
        "`@sixdigit/better-auth` leaves the codes of better-auth's phone number plugin to this service.",
      ],
      sample: {
        kind: 'code',
        code: pythonSample(facts),
        language: 'python',
        label: 'Send and verify with the Python package',
      },
    },
  ],
});
