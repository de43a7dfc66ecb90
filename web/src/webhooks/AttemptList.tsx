import type { Reply } from '@sixdigit/contract/route.ts';
import type { getWebhookAttempt, WebhookDelivery } from '@sixdigit/contract/webhooks.ts';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { countOf } from '../ui/numbers.ts';
import tall from '../ui/TallCode.module.css';
import classes from './Webhooks.module.css';

type Attempt = WebhookDelivery['attempts'][number];

const STATES: Record<WebhookDelivery['state'], { tone: Tone; label: string }> = {
  waiting: { tone: 'blue', label: 'Waiting' },
  retrying: { tone: 'orange', label: 'Retrying' },
  delivered: { tone: 'green', label: 'Delivered' },
  failed: { tone: 'red', label: 'Failed' },
  dropped: { tone: 'gray', label: 'Not sent' },
};

export const DeliveryState = ({ state }: Pick<WebhookDelivery, 'state'>) => (
  <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
);

/** '3 attempts' */
export const attemptsText = (count: number): string => countOf(count, 'attempt');

interface Props {
  delivery: WebhookDelivery;
  /** the attempt whose request and response are shown */
  shown: Attempt;
  onShow: (id: string) => void;
  /** where to find the others, if there are more than the last ones */
  rest: string;
}

/** A message's attempts. */
export const AttemptList = ({ delivery, shown, onShow, rest }: Props) => (
  <>
    <ol className="m-0 grid list-none grid-cols-1 gap-1 p-0" aria-label={`Attempts of ${nameOf(delivery)}`}>
      {delivery.attempts.map((attempt) => (
        <li key={attempt.id}>
          <AttemptButton
            attempt={attempt}
            isShown={attempt.id === shown.id}
            onShow={() => onShow(attempt.id)}
          />
        </li>
      ))}
    </ol>
    {delivery.attempt_count > delivery.attempts.length ? (
      <p className="m-0 text-13 text-ink-soft">
        The last {delivery.attempts.length} of {attemptsText(delivery.attempt_count)}.{rest}
      </p>
    ) : null}
  </>
);

/** Without attempts. */
export const NoAttempts = ({ state }: Pick<WebhookDelivery, 'state'>) => (
  <p className="m-0 text-ink-soft">
    {state === 'dropped'
      ? 'It was not sent, because the endpoint was inactive.'
      : 'It has not been sent yet.'}
  </p>
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
        <span className="min-w-24">
          <Badge tone={attempt.succeeded ? 'green' : 'red'}>{attempt.response_status ?? 'No response'}</Badge>
        </span>
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

interface Exchanged {
  attempt: Attempt;
  exchange: Reply<typeof getWebhookAttempt>;
}

/** The payload beside the response. */
export function Exchange({ attempt, exchange: { headers, body, response_excerpt } }: Exchanged) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className={classes.details}>
      <div className={`${classes.exchange} grid gap-4`}>
        <section className="grid min-w-0 grid-cols-1 content-start gap-2">
          <Heading>Payload</Heading>
          {body === null ? (
            <Absent>This message is no longer stored.</Absent>
          ) : (
            <div className={`${classes.body} ${tall.tall}`}>
              <CodeBlock label="Body sent" code={indented(body)} language="json" isWrapped />
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

/** 'otp.verified of +14155550100' */
export const nameOf = ({ event_type, recipient }: WebhookDelivery): string =>
  recipient === null ? event_type : `${event_type} of ${recipient}`;
