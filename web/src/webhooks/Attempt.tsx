import { Button, Skeleton } from '@mantine/core';
import type { WebhookAttempt } from '@sixdigit/contract/webhooks.ts';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { Badge } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { PageLink } from '../ui/links.tsx';
import { attemptRequest } from './attempts.ts';
import classes from './Webhooks.module.css';

interface Props {
  attempt: WebhookAttempt;
  endpointId: string;
  isBusy: boolean;
  onReplay: () => void;
}

/** One delivery attempt: its outcome and, when expanded, the request, the response and the ids. */
export const Attempt = ({ attempt, endpointId, isBusy, onReplay }: Props) => (
  <li className="grid grid-cols-1 gap-2 rounded-10 border border-line px-3.5 py-3 text-14">
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <Badge tone={attempt.succeeded ? 'green' : 'red'}>{attempt.response_status ?? 'No response'}</Badge>
      <code className="font-mono text-13">{attempt.event_type}</code>
      <time className="ms-auto text-13 text-ink-soft" dateTime={attempt.attempted_at}>
        {fullDateTime(attempt.attempted_at)}
      </time>
    </div>
    {attempt.error ? <p className="m-0 text-red wrap-anywhere">{attempt.error}</p> : null}
    <div className="flex items-center justify-between gap-3 text-13 text-ink-soft tabular-nums">
      <span>
        Attempt {attempt.attempt} · {attempt.duration_ms.toLocaleString('en-US')} ms{laterOf(attempt)}
      </span>
      <Button
        className="flex-none"
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
    <details>
      <Summary>Response and IDs</Summary>
      <dl className="mt-2 mb-0">
        <Entry name="Message">
          <code className="font-mono text-13">{attempt.message_id}</code>
        </Entry>
        {attempt.otp_id ? (
          <Entry name="Verification">
            <PageLink to="/" search={{ otp: attempt.otp_id }}>
              <code className="font-mono text-13">{attempt.otp_id}</code>
            </PageLink>
          </Entry>
        ) : null}
        <Entry name="Response">
          {attempt.response_excerpt ? (
            <pre
              className={`${classes.response} mt-1 mb-0 overflow-auto rounded-8 border border-line bg-sunken px-3 py-2.5 font-mono text-13 wrap-anywhere whitespace-pre-wrap`}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
              tabIndex={0}
            >
              {attempt.response_excerpt}
            </pre>
          ) : attempt.response_status === null ? (
            'None'
          ) : (
            'Empty'
          )}
        </Entry>
      </dl>
    </details>
  </li>
);

const Summary = ({ children }: { children: string }) => (
  <summary className="w-fit cursor-pointer rounded-4 text-13 text-ink-soft">{children}</summary>
);

const Entry = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-13 text-ink-soft">{name}</dt>
    <dd className="mx-0 mt-0 mb-2 wrap-anywhere">{children}</dd>
  </>
);

/** The message's status after a failure. */
const laterOf = ({ succeeded, delivered, next_attempt_at }: WebhookAttempt): string => {
  if (!succeeded && delivered) return ' · delivered later';
  return next_attempt_at && Date.parse(next_attempt_at) > nowMs()
    ? ` · next try ${fullDateTime(next_attempt_at)}`
    : '';
};

/** The headers and body that an attempt sent, loaded when expanded. */
function AttemptRequest({ attempt, endpointId }: { attempt: WebhookAttempt; endpointId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <Summary>Request sent</Summary>
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
    <div className="mt-2 grid grid-cols-1 gap-3">
      <CodeBlock label="Headers sent" code={lines.join('\n')} />
      <CodeBlock
        label="Body sent"
        code={body === null ? 'This message is no longer stored.' : indented(body)}
        {...(body !== null && { language: 'json' })}
      />
      <p className="m-0 text-13 text-ink-soft">
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
