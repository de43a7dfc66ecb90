import { failures, REQUIRED } from '#contract/errors.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { PageLink } from '../ui/links.tsx';
import { Beside, Chapter } from './Chapter.tsx';
import classes from './Docs.module.css';

/** The two shapes of errors, and what to do about some. */
export const Errors = () => (
  <Chapter id="errors" title="Errors">
    <Beside
      sample={
        <CodeBlock
          code={JSON.stringify({ channel: [REQUIRED], recipient: [REQUIRED] }, null, 2)}
          language="json"
          label="Field errors"
        />
      }
    >
      <p>
        A call that is refused changes nothing and costs nothing; a wrong code alone counts, as a try. There
        are two shapes. Fields that are missing or wrong are named, each with its sentences.
      </p>
    </Beside>
    <Beside
      sample={<CodeBlock code={JSON.stringify(errorExample, null, 2)} language="json" label="An error" />}
    >
      <p>
        Everything else is a sentence for people, a <code>reason</code> for programs, and facts where there
        are any. Sentences may be reworded, reasons stay.
      </p>
      <ul className={classes.list}>
        <li>
          <strong>402</strong> means that the balance is used up:{' '}
          <PageLink to="/credits">buy credits</PageLink> or switch auto-purchase on.
        </li>
        <li>
          <strong>429</strong> and <strong>503</strong> carry <code>Retry-After</code>, in seconds. The{' '}
          <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code> and <code>RateLimit-Reset</code>{' '}
          headers of every answer say what is left.
        </li>
        <li>
          After a time-out or a <strong>500</strong>, send again with the same <code>Idempotency-Key</code>.
        </li>
        <li>
          Every answer has an <code>X-Request-Id</code>: search for it under{' '}
          <PageLink to="/logs">Logs</PageLink>.
        </li>
      </ul>
    </Beside>
  </Chapter>
);

const errorExample = {
  error: failures.invalid_code.error,
  reason: 'invalid_code',
  attempts_remaining: 4,
};
