import type { VerificationDetail } from '@sixdigit/contract/otp.ts';
import type { VerificationWebhook } from '@sixdigit/contract/webhooks.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { fullDateTime } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import classes from './VerificationDialog.module.css';
import { webhooksOf } from './verification-detail.ts';

/** The webhook messages about a verification, with the outcome of the last attempt. Absent without any. */
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

interface ListProps {
  messages: readonly VerificationWebhook[] | undefined;
  /** the name of an endpoint as a link */
  linkTo: (endpoint: VerificationWebhook['endpoint']) => ReactNode;
}

export function WebhookMessageList({ messages = [], linkTo }: ListProps) {
  if (messages.length === 0) return null;
  return (
    <section className={classes.card} aria-labelledby="webhook-messages">
      <h3 id="webhook-messages">Webhooks</h3>
      <ol className={classes.changes}>
        {messages.map((message) => (
          <li key={message.message_id} data-status={markOf(message)}>
            <span className={classes.change}>
              <code>{message.event_type}</code>
              <small className={classes.after}>{outcomeOf(message)}</small>
            </span>
            <span className={classes.when}>
              <time dateTime={message.created_at}>{fullDateTime(message.created_at)}</time> to{' '}
              {linkTo(message.endpoint)}
            </span>
          </li>
        ))}
      </ol>
    </section>
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
