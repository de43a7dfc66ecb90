import { Button, Skeleton } from '@mantine/core';
import type { WebhookDelivery } from '@sixdigit/contract/webhooks.ts';
import { IconChevronRight, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { nowMs } from '../api/clock.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { LoneLink } from '../ui/links.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { attemptById, nameOf } from './deliveries.ts';
import classes from './Webhooks.module.css';

type Attempt = WebhookDelivery['attempts'][number];

interface Props {
  delivery: WebhookDelivery;
  endpointId: string;
  isBusy: boolean;
  onReplay: () => void;
}

const STATES: Record<WebhookDelivery['state'], { tone: Tone; label: string }> = {
  waiting: { tone: 'blue', label: 'Waiting' },
  retrying: { tone: 'orange', label: 'Retrying' },
  delivered: { tone: 'green', label: 'Delivered' },
  failed: { tone: 'red', label: 'Failed' },
  dropped: { tone: 'gray', label: 'Not sent' },
};

/** One message: its state and, when expanded, its attempts with the request and the response. */
export function Delivery({ delivery, endpointId, isBusy, onReplay }: Props) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const { tone, label } = STATES[delivery.state];
  const name = nameOf(delivery);
  const [last] = delivery.attempts;
  return (
    <li className="rounded-10 border border-line text-14">
      <div className={`${classes.message} flex flex-wrap items-center gap-x-3 gap-y-2 px-3.5 py-2.5`}>
        <button
          type="button"
          className={`${classes.opener} min-h-11 min-w-0 cursor-pointer items-center rounded-6 border-0 bg-transparent p-0 text-start text-ink`}
          aria-expanded={isOpen}
          aria-controls={details}
          onClick={() => setOpen((before) => !before)}
        >
          <IconChevronRight className={classes.chevron} size={16} stroke={2} aria-hidden />
          <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
            <Badge tone={tone}>{label}</Badge>
            <code className="font-mono text-13">{delivery.event_type}</code>
            {delivery.recipient === null ? null : (
              <span className="min-w-0 wrap-anywhere">
                {delivery.recipient.includes('@') ? (
                  delivery.recipient
                ) : (
                  <RecipientText recipient={delivery.recipient} />
                )}
              </span>
            )}
          </span>
          <span className={`${classes.about} text-13 text-ink-soft tabular-nums`}>
            <time dateTime={delivery.created_at}>{fullDateTime(delivery.created_at)}</time>
            {progressOf(delivery)}
          </span>
        </button>
        {may('replayWebhookMessage') ? (
          <Button
            className="flex-none"
            variant="default"
            size="compact-sm"
            leftSection={<IconRefresh size={14} aria-hidden />}
            aria-label={`Replay ${name}`}
            {...busyButton(isBusy)}
            onClick={() => {
              if (!isBusy) onReplay();
            }}
          >
            Replay
          </Button>
        ) : null}
      </div>
      {last && !last.succeeded && delivery.state !== 'delivered' && !isOpen ? (
        <p className="mt-0 me-3.5 mb-2.5 ms-8.5 text-13 text-red wrap-anywhere">{last.error}</p>
      ) : null}
      <div id={details} hidden={!isOpen}>
        {isOpen ? <Details delivery={delivery} endpointId={endpointId} /> : null}
      </div>
    </li>
  );
}

/** ' · 3 attempts · next try Nov 21, 2026, 3:50:12 AM' */
function progressOf({ attempt_count, next_attempt_at, state }: WebhookDelivery): string {
  const tries =
    attempt_count === 0 ? '' : ` · ${attempt_count} ${attempt_count === 1 ? 'attempt' : 'attempts'}`;
  const isLater = next_attempt_at && Date.parse(next_attempt_at) > nowMs();
  return state === 'retrying' && isLater ? `${tries} · next try ${fullDateTime(next_attempt_at)}` : tries;
}

function Details({ delivery, endpointId }: Pick<Props, 'delivery' | 'endpointId'>) {
  // The newest attempt, until another one is chosen.
  const [chosen, setChosen] = useState<string>();
  const { attempts, attempt_count } = delivery;
  const shown = attempts.find(({ id }) => id === chosen) ?? attempts[0];
  return (
    <div className="grid grid-cols-1 gap-3 border-t border-line px-3.5 pt-3 pb-3.5">
      <dl className={`${classes.ids} m-0 grid gap-x-5 gap-y-1 text-13`}>
        <Id name="Message" value={delivery.id}>
          <code className="font-mono">{delivery.id}</code>
        </Id>
        {delivery.otp_id ? (
          <Id name="Verification" value={delivery.otp_id}>
            <LoneLink to="/" search={{ otp: delivery.otp_id }}>
              <code className="font-mono">{delivery.otp_id}</code>
            </LoneLink>
          </Id>
        ) : null}
      </dl>
      {shown ? (
        <>
          <ol
            className="m-0 grid list-none grid-cols-1 gap-1 p-0"
            aria-label={`Attempts of ${nameOf(delivery)}`}
          >
            {attempts.map((attempt) => (
              <li key={attempt.id}>
                <AttemptButton
                  attempt={attempt}
                  isShown={attempt === shown}
                  onShow={() => setChosen(attempt.id)}
                />
              </li>
            ))}
          </ol>
          {attempt_count > attempts.length ? (
            <p className="m-0 text-13 text-ink-soft">
              The last {attempts.length} of {attempt_count} attempts. The export has all of them.
            </p>
          ) : null}
          <Exchange key={shown.id} attempt={shown} endpointId={endpointId} />
        </>
      ) : (
        <p className="m-0 text-ink-soft">
          {delivery.state === 'dropped'
            ? 'It was not sent, because the endpoint was inactive.'
            : 'It has not been sent yet.'}
        </p>
      )}
    </div>
  );
}

const Id = ({ name, value, children }: { name: string; value: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-ink-soft">{name}</dt>
    <dd className="m-0 flex min-w-0 items-center gap-1">
      <span className="min-w-0 wrap-anywhere">{children}</span>
      <CopyButton value={value} label={`Copy ${name} ID`} />
    </dd>
  </div>
);

/** One attempt. Pressed: its request and response are shown. */
const AttemptButton = (props: { attempt: Attempt; isShown: boolean; onShow: () => void }) => {
  const { attempt, isShown, onShow } = props;
  return (
    <button
      type="button"
      className={`${classes.attempt} min-h-9 w-full cursor-pointer rounded-8 border border-transparent bg-transparent px-2.5 py-1.5 text-start text-13 text-ink hover:bg-canvas touch:min-h-11`}
      aria-pressed={isShown}
      onClick={onShow}
    >
      <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1 tabular-nums">
        <Badge tone={attempt.succeeded ? 'green' : 'red'}>{attempt.response_status ?? 'No response'}</Badge>
        <span className="font-550">Attempt {attempt.attempt}</span>
        <span className="text-ink-soft">{attempt.duration_ms.toLocaleString('en-US')} ms</span>
        <time className="ms-auto text-ink-soft" dateTime={attempt.attempted_at}>
          {fullDateTime(attempt.attempted_at)}
        </time>
      </span>
      {attempt.error ? <span className="mt-1 block text-red wrap-anywhere">{attempt.error}</span> : null}
    </button>
  );
};

/** The payload beside the response. */
function Exchange({ attempt, endpointId }: { attempt: Attempt; endpointId: string }) {
  const query = useQuery(attemptById(endpointId, attempt.id));
  if (query.isError) return <QueryError query={query} message="Failed to load the request" />;
  if (!query.data) return <Skeleton height={240} radius="md" />;
  const { headers, body, response_excerpt } = query.data;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className={`${classes.exchange} grid gap-4`}>
      <section className="grid min-w-0 grid-cols-1 content-start gap-2">
        <Heading>Payload</Heading>
        {body === null ? (
          <Absent>This message is no longer stored.</Absent>
        ) : (
          <div className={classes.body}>
            <CodeBlock label="Body sent" code={indented(body)} language="json" />
          </div>
        )}
        <details>
          <summary className="w-fit cursor-pointer rounded-4 text-13 text-ink-soft">Headers</summary>
          <div className="mt-2 grid grid-cols-1 gap-2">
            <CodeBlock label="Headers sent" code={lines.join('\n')} />
            <p className="m-0 text-13 text-ink-soft">
              Signatures are not stored. The body is indented here; it was sent and signed without line
              breaks.
            </p>
          </div>
        </details>
      </section>
      <section className="grid min-w-0 grid-cols-1 content-start gap-2">
        <Heading>Response {attempt.response_status ?? ''}</Heading>
        {response_excerpt ? (
          <pre
            className={`${classes.response} m-0 overflow-auto rounded-10 border border-line bg-sunken px-3 py-2.5 font-mono text-13 wrap-anywhere whitespace-pre-wrap`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
          >
            {response_excerpt}
          </pre>
        ) : (
          <Absent>
            {attempt.response_status === null ? 'The endpoint did not respond.' : 'The response was empty.'}
          </Absent>
        )}
      </section>
    </div>
  );
}

const Heading = ({ children }: { children: ReactNode }) => (
  <h3 className="m-0 text-13 font-600">{children}</h3>
);

const Absent = ({ children }: { children: ReactNode }) => (
  <p className="m-0 rounded-10 border border-dashed border-border px-3 py-2.5 text-13 text-ink-soft">
    {children}
  </p>
);

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
