import { failures } from '@sixdigit/contract/errors.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
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
        A refused call changes nothing and costs nothing, except that a wrong code counts as an attempt.
        Errors have two shapes. Missing or invalid fields are named, each with its messages.
      </p>
    </Beside>
    <Beside
      sample={<CodeBlock code={JSON.stringify(errorExample, null, 2)} language="json" label="An error" />}
    >
      <p>
        All other errors have a sentence for people, a <code>reason</code> for programs, and further facts.
        Sentences may be reworded; reasons never change.
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
