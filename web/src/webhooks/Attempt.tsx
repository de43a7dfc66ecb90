import { Button, Skeleton } from '@mantine/core';
import type { WebhookAttempt } from '@sixdigit/contract/webhooks.ts';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { Badge } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { PageLink } from '../ui/links.tsx';
import classes from './Attempts.module.css';
import { attemptRequest } from './attempts.ts';

interface Props {
  attempt: WebhookAttempt;
  endpointId: string;
  isBusy: boolean;
  onReplay: () => void;
}

/** One delivery attempt: its outcome, and on opening the response and the ids. */
export const Attempt = ({ attempt, endpointId, isBusy, onReplay }: Props) => (
  <li className={classes.attempt}>
    <div className={classes.top}>
      <Badge tone={attempt.succeeded ? 'green' : 'red'}>{attempt.response_status ?? 'No response'}</Badge>
      <code className={classes.event}>{attempt.event_type}</code>
      <time className={classes.time} dateTime={attempt.attempted_at}>
        {fullDateTime(attempt.attempted_at)}
      </time>
    </div>
    {attempt.error ? <p className={classes.error}>{attempt.error}</p> : null}
    <div className={classes.bottom}>
      <span>
        Attempt {attempt.attempt} · {attempt.duration_ms.toLocaleString('en-US')} ms{laterOf(attempt)}
      </span>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconRefresh size={14} aria-hidden />}
        {...busyButton(isBusy)}
        onClick={() => {
          if (!isBusy) onReplay();
        }}
      >
        Replay
      </Button>
    </div>
    <AttemptRequest attempt={attempt} endpointId={endpointId} />
    <details className={classes.details}>
      <summary>Response and IDs</summary>
      <dl>
        <dt>Message</dt>
        <dd>
          <code>{attempt.message_id}</code>
        </dd>
        {attempt.otp_id ? (
          <>
            <dt>Verification</dt>
            <dd>
              <PageLink to="/" search={{ otp: attempt.otp_id }}>
                <code>{attempt.otp_id}</code>
              </PageLink>
            </dd>
          </>
        ) : null}
        <dt>Response</dt>
        <dd>
          {attempt.response_excerpt ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <pre className={classes.answer} tabIndex={0}>
              {attempt.response_excerpt}
            </pre>
          ) : attempt.response_status === null ? (
            'None'
          ) : (
            'Empty'
          )}
        </dd>
      </dl>
    </details>
  </li>
);

/** What became of the message after a failure. */
const laterOf = ({ succeeded, delivered, next_attempt_at }: WebhookAttempt): string => {
  if (!succeeded && delivered) return ' · delivered later';
  return next_attempt_at && Date.parse(next_attempt_at) > nowMs()
    ? ` · next try ${fullDateTime(next_attempt_at)}`
    : '';
};

/** The headers and the body that an attempt sent, loaded when it is opened. */
function AttemptRequest({ attempt, endpointId }: { attempt: WebhookAttempt; endpointId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Request sent</summary>
      {isOpen ? <Sent endpointId={endpointId} attemptId={attempt.id} /> : null}
    </details>
  );
}

function Sent({ endpointId, attemptId }: { endpointId: string; attemptId: string }) {
  const query = useQuery(attemptRequest(endpointId, attemptId));
  if (query.isError) return <QueryError query={query} message="Failed to load the request" />;
  if (!query.data) return <Skeleton height={120} radius="md" />;
  const { headers, body } = query.data;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className={classes.request}>
      <CodeBlock label="Headers sent" code={lines.join('\n')} />
      <CodeBlock
        label="Body sent"
        code={body === null ? 'This message is not stored any more.' : indented(body)}
        {...(body !== null && { language: 'json' })}
      />
      <p className={classes.note}>
        Signatures are not stored. The body is indented here; it was sent and signed without line breaks.
      </p>
    </div>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
