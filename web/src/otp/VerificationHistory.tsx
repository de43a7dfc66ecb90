import type { VerificationDetail } from '@sixdigit/contract/otp.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import type { VerificationWebhook } from '@sixdigit/contract/webhooks.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { fullDateTime } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import classes from './VerificationHistory.module.css';
import { webhooksOf, wrongCodes } from './verification-detail.ts';

/** A part of a verification's history. */
export const Card = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section className="rounded-10 border border-line px-4 pt-[0.9rem] pb-4" aria-labelledby={id}>
    <h3 className="mt-0 mb-[0.6rem] text-15 font-650" id={id}>
      {title}
    </h3>
    {children}
  </section>
);

/** `isLive`: screen readers announce each new change. */
export const Changes = ({ isLive, children }: { isLive?: boolean; children: ReactNode }) => (
  <ol
    className="m-0 grid list-none gap-[0.8rem] p-0"
    {...(isLive && { 'aria-live': 'polite', 'aria-relevant': 'additions' })}
  >
    {children}
  </ol>
);

interface ChangeProps {
  /** colours the mark */
  status: VerificationDetail['status'];
  what: ReactNode;
  /** how long it took, or how it ended */
  after?: string | undefined;
  at: string;
  /** follows the time */
  where?: ReactNode;
  notes?: string | null;
}

export const Change = ({ status, what, after, at, where, notes }: ChangeProps) => (
  <li className={`${classes.change} relative grid`} data-status={status}>
    <span className="font-550">
      {what}
      {after ? <small className="ms-2 text-13 font-400 text-ink-soft tabular-nums">{after}</small> : null}
    </span>
    <span className="text-13 wrap-anywhere text-ink-soft">
      <time dateTime={at}>{fullDateTime(at)}</time>
      {where}
    </span>
    {notes ? <em className="text-13 wrap-anywhere text-ink-soft">{notes}</em> : null}
  </li>
);

/** The wrong codes that were entered, from the request log. Renders nothing without any. */
export function WrongCodes({ otp }: { otp: VerificationDetail }) {
  const { data } = useQuery(wrongCodes(otp));
  return <WrongCodeList tries={data} />;
}

export function WrongCodeList({ tries = [] }: { tries: readonly RequestLog[] | undefined }) {
  if (tries.length === 0) return null;
  return (
    <Card id="wrong-codes" title="Wrong Codes">
      <Changes>
        {tries.map(({ id, created_at, ip_address }) => (
          <Change
            key={id}
            status="failed"
            what="Wrong code entered"
            at={created_at}
            where={ip_address ? ` from ${ip_address}` : null}
          />
        ))}
      </Changes>
    </Card>
  );
}

/** The webhook messages about a verification, with the outcome of the last attempt. Renders nothing without any. */
export function WebhookMessages({ otp }: { otp: VerificationDetail }) {
  const { data } = useQuery(webhooksOf(otp));
  return (
    <WebhookMessageList
      messages={data}
      linkTo={({ id, name }) => (
        <PageLink to="/webhooks" search={{ attempts: id }}>
          {name}
        </PageLink>
      )}
    />
  );
}

interface MessagesProps {
  messages: readonly VerificationWebhook[] | undefined;
  /** links an endpoint's name */
  linkTo: (endpoint: VerificationWebhook['endpoint']) => ReactNode;
}

export function WebhookMessageList({ messages = [], linkTo }: MessagesProps) {
  if (messages.length === 0) return null;
  return (
    <Card id="webhook-messages" title="Webhooks">
      <Changes>
        {messages.map((message) => (
          <Change
            key={message.message_id}
            status={markOf(message)}
            what={<code className="font-mono text-13">{message.event_type}</code>}
            after={outcomeOf(message)}
            at={message.created_at}
            where={<> to {linkTo(message.endpoint)}</>}
          />
        ))}
      </Changes>
    </Card>
  );
}

const markOf = ({ attempts, succeeded }: VerificationWebhook) =>
  attempts === 0 ? 'pending' : succeeded ? 'verified' : 'failed';

function outcomeOf(message: VerificationWebhook): string {
  const { attempts, succeeded, response_status, next_attempt_at } = message;
  if (attempts === 0) return 'waiting';
  const status = response_status ?? 'no response';
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  if (succeeded) return `delivered${tries} (${status})`;
  return `failed${tries} (${status})${next_attempt_at ? `, next try ${fullDateTime(next_attempt_at)}` : ''}`;
}
