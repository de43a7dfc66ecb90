import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import type { StatusLog, VerificationDetail } from '@sixdigit/contract/verifications.ts';
import type { VerificationWebhook } from '@sixdigit/contract/webhooks.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nowMs } from '../api/clock.ts';
import { statusLabel } from '../ui/Badge.tsx';
import { fullDateTime, longDate, relativeTime, timeOfDay } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import { carrierName } from './route-filters.ts';
import { type Entry, timelineOf, type WrongCodes } from './timeline.ts';
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

export const Changes = ({ label, children }: { label?: string; children: ReactNode }) => (
  <ol className="m-0 grid list-none gap-[0.8rem] p-0" aria-label={label}>
    {children}
  </ol>
);

interface ChangeProps {
  /** colors the mark */
  status: VerificationDetail['status'];
  what: ReactNode;
  /** how it ended */
  after?: string | undefined;
  /** null if it has no time yet */
  at: string | null;
  /** precedes the time */
  before?: string | null;
  /** the last one of several */
  until?: string | null | undefined;
  /** the day of the verification, whose times are shown without it */
  day?: string | undefined;
  /** follows the time */
  where?: ReactNode;
  notes?: string | null;
}

export const Change = ({ status, what, after, at, before, until = at, day, where, notes }: ChangeProps) => (
  <li className={`${classes.change} relative grid`} data-status={status}>
    <span className="font-550">
      {what}
      {after ? <small className="ms-2 text-13 font-400 text-ink-soft tabular-nums">{after}</small> : null}
    </span>
    <span className="text-13 wrap-anywhere text-ink-soft">
      {before}
      {at === null ? null : <At at={at} day={day} />}
      {at === null || until === null || until === at ? null : (
        <>
          {' to '}
          <At at={until} day={day ?? at} />
        </>
      )}
      {where}
    </span>
    {notes ? <em className="text-13 wrap-anywhere text-ink-soft">{notes}</em> : null}
  </li>
);

const At = ({ at, day }: { at: string; day: string | undefined }) => (
  <time dateTime={at} title={fullDateTime(at)}>
    {timeOn(day, at)}
  </time>
);

/** Every status change, wrong code and webhook message of a verification. */
export function History({ otp }: { otp: VerificationDetail }) {
  const { data: tries } = useQuery(wrongCodes(otp));
  const { data: messages } = useQuery(webhooksOf(otp));
  return (
    <StatusHistory
      otp={otp}
      tries={tries}
      messages={messages}
      linkTo={({ id, name }) => (
        <PageLink to="/webhooks" search={{ attempts: id }}>
          {name}
        </PageLink>
      )}
    />
  );
}

type Endpoint = VerificationWebhook['endpoint'];

interface HistoryProps {
  otp: Pick<VerificationDetail, 'status_logs' | 'created_at'>;
  tries: readonly RequestLog[] | undefined;
  messages: readonly VerificationWebhook[] | undefined;
  /** links an endpoint's name */
  linkTo: (endpoint: Endpoint) => ReactNode;
}

/** The same from what is loaded. */
export const StatusHistory = ({ otp, tries, messages, linkTo }: HistoryProps) => (
  <Card id="status-history" title="Status History">
    {otp.status_logs.length === 0 ? (
      <p className="mt-0 mb-3 text-ink-soft last:mb-0">No status changes recorded</p>
    ) : null}
    <Changes>
      {timelineOf({ logs: otp.status_logs, tries, messages }).map((entry) => (
        <EntryRow key={keyOf(entry)} entry={entry} day={otp.created_at} linkTo={linkTo} />
      ))}
    </Changes>
  </Card>
);

const keyOf = (entry: Entry): string => {
  if (entry.kind === 'status') return entry.log.id;
  return entry.kind === 'webhook' ? entry.message.message_id : entry.tries.id;
};

interface EntryProps extends Pick<HistoryProps, 'linkTo'> {
  entry: Entry;
  /** of the verification */
  day: string;
}

function EntryRow({ entry, day, linkTo }: EntryProps) {
  if (entry.kind === 'wrong_codes') return <WrongCodeChange tries={entry.tries} day={day} />;
  if (entry.kind === 'webhook')
    return <WebhookChange message={entry.message} day={day} link={linkTo(entry.message.endpoint)} />;
  const { log } = entry;
  return (
    <Change
      status={log.new_status}
      what={statusChange(log)}
      at={log.changed_at}
      day={day}
      where={log.ip_address ? ` from ${log.ip_address}` : null}
      notes={noteText(log.notes)}
    />
  );
}

const WrongCodeChange = ({
  tries: { count, from, until, ip_address },
  day,
}: {
  tries: WrongCodes;
  day: string;
}) => (
  <Change
    status="failed"
    what={count === 1 ? 'Wrong code entered' : `Wrong code entered ${count} times`}
    at={from}
    until={until}
    day={day}
    where={ip_address ? ` from ${ip_address}` : null}
  />
);

interface WebhookProps {
  message: VerificationWebhook;
  link: ReactNode;
  day: string;
}

/** A webhook message with the outcome of the last attempt. */
const WebhookChange = ({ message, link, day }: WebhookProps) => (
  <Change
    status={markOf(message)}
    what={
      <>
        Webhook <code className="font-mono text-13">{message.event_type}</code>
      </>
    }
    after={outcomeOf(message, nowMs())}
    at={message.created_at}
    day={day}
    where={<> to {link}</>}
  />
);

/** One line of a verification's history. */
export function statusChange({ previous_status, new_status }: StatusLog): string {
  if (!previous_status) return `Initial status set to ${statusLabel(new_status)}`;
  // a delivery report does not change the status, but is part of the history
  if (previous_status === new_status) return `Status stays ${statusLabel(new_status)}`;
  return `Status changed from ${statusLabel(previous_status)} to ${statusLabel(new_status)}`;
}

/** The note of a status change: 'Accepted by Twilio' instead of the stored 'Accepted by twilio' */
export const noteText = (notes: string | null): string | null =>
  notes?.replace(/^Accepted by (\S+)/, (_, carrier: string) => `Accepted by ${carrierName(carrier)}`) ?? null;

type Attempts = Pick<VerificationWebhook, 'attempts' | 'succeeded' | 'response_status' | 'next_attempt_at'>;

/** The status whose color marks a webhook message. */
export function markOf({ attempts, succeeded, next_attempt_at }: Attempts) {
  if (attempts === 0) return 'pending';
  if (succeeded) return 'verified';
  return next_attempt_at ? 'expired' : 'failed';
}

/** What happened to a webhook message so far, in the words of the endpoint's deliveries. */
export function outcomeOf(message: Attempts, nowMs: number): string {
  const { attempts, succeeded, response_status, next_attempt_at } = message;
  if (attempts === 0) return 'waiting';
  const status = response_status ?? 'no response';
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  if (succeeded) return `delivered${tries} (${status})`;
  if (!next_attempt_at) return `failed${tries} (${status})`;
  const isLater = Date.parse(next_attempt_at) > nowMs;
  return `retrying${attempts === 1 ? ' after 1 attempt' : tries} (${status})${isLater ? `, next try ${relativeTime(next_attempt_at, nowMs)}` : ''}`;
}

/** The time of day if it is on the same day, and otherwise the date and time. */
const timeOn = (day: string | undefined, at: string): string =>
  day !== undefined && longDate(at) === longDate(day) ? timeOfDay(at) : fullDateTime(at);
