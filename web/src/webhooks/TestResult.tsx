import type { Reply } from '@sixdigit/contract/route.ts';
import type { testWebhook } from '@sixdigit/contract/webhooks.ts';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import classes from './Webhooks.module.css';

/** The endpoint's response to a test, announced by screen readers. */
export const TestResult = ({ result }: { result: Reply<typeof testWebhook> | undefined }) => (
  <div role="status">
    {result ? (
      <p className={classes.testResult} data-success={result.success}>
        {result.success ? <IconCircleCheck size={18} aria-hidden /> : <IconCircleX size={18} aria-hidden />}
        <span>
          {result.success
            ? `Answered ${result.response_status} in ${result.duration_ms} ms.`
            : `${result.error ?? 'No response.'} (${result.duration_ms} ms)`}
        </span>
      </p>
    ) : null}
  </div>
);
