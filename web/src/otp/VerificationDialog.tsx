import { Loader } from '@mantine/core';
import type { VerificationDetail } from '@sixdigit/contract/otp.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { StatusBadge, TestBadge } from '../ui/Badge.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { OTP_ID_LENGTH, PROVIDER_ID_LENGTH, RecipientText, truncate } from '../ui/RecipientText.tsx';
import { labelOf } from './channel.ts';
import { elapsed } from './elapsed.ts';
import { statusChange } from './status-change.ts';
import { VerificationActions } from './VerificationActions.tsx';
import classes from './VerificationDialog.module.css';
import { verificationDetail } from './verification-detail.ts';
import { WebhookMessages } from './WebhookMessages.tsx';
import { WrongCodes } from './WrongCodes.tsx';

interface Props {
  /** none: closed */
  id: string | undefined;
  onClose: () => void;
  /** shows the verification that sending again has made */
  onSent: (id: string) => void;
}

/** One verification, what happened to it, and when; follows it while it is open. */
export function VerificationDialog({ id, onClose, onSent }: Props) {
  // stays on screen while the dialog fades away
  const [shown, setShown] = useState(id);
  if (id !== undefined && id !== shown) setShown(id);
  return (
    <Dialog
      opened={id !== undefined}
      onClose={onClose}
      onClosed={() => setShown(undefined)}
      title="Verification Details"
      description="Complete history and status changes for this verification"
      size="lg"
    >
      {shown === undefined ? null : <AuditTrail key={shown} id={shown} onSent={onSent} />}
    </Dialog>
  );
}

function AuditTrail({ id, onSent }: { id: string } & Pick<Props, 'onSent'>) {
  const query = useQuery(verificationDetail(id));
  if (query.data) return <Details otp={query.data} onSent={onSent} />;
  if (query.errorUpdateCount > 0) {
    return (
      <QueryError query={query} title="Error loading audit trail" message="Failed to load audit trail" />
    );
  }
  return (
    <div className={classes.loading} role="status">
      <Loader size="sm" aria-hidden />
      Loading audit trail...
    </div>
  );
}

function Details({ otp, onSent }: { otp: VerificationDetail } & Pick<Props, 'onSent'>) {
  const isPast = new Date(otp.expires_at) < new Date(nowMs());
  return (
    <div className={classes.details}>
      <div className={classes.head}>
        <div className={classes.what}>
          <strong>{labelOf(otp.channel)} OTP</strong>
          {otp.test ? <TestBadge /> : null}
          <StatusBadge status={otp.status} />
        </div>
        <span className={classes.cost}>
          {otp.cost_credits > 0 ? `-${otp.cost_credits} credits` : '0 credits'}
        </span>
        <p className={classes.recipient}>
          {otp.channel === 'email' ? otp.recipient : <RecipientText recipient={otp.recipient} />}
        </p>
        {otp.failure ? <p className={classes.failure}>{otp.failure}</p> : null}
      </div>
      <dl className={classes.facts}>
        <Fact name="OTP ID">
          <span className={classes.id} title={otp.id}>
            {truncate(otp.id, OTP_ID_LENGTH)}
          </span>
          <CopyButton value={otp.id} label="Copy OTP ID" />
        </Fact>
        <Fact name="API Key">{otp.api_key.name}</Fact>
        <Fact name="Created">{fullDateTime(otp.created_at)}</Fact>
        <Fact name="Expires">
          <span className={isPast ? classes.past : undefined}>{fullDateTime(otp.expires_at)}</span>
        </Fact>
        {otp.segments === null ? null : <Fact name="SMS Segments">{otp.segments}</Fact>}
        {otp.message ? (
          <Fact name="Custom Message" isWide>
            {otp.message}
          </Fact>
        ) : null}
        {otp.provider_message_id ? (
          <Fact name="Provider ID" isWide>
            <span className={classes.id} title={otp.provider_message_id}>
              {truncate(otp.provider_message_id, PROVIDER_ID_LENGTH)}
            </span>
          </Fact>
        ) : null}
      </dl>
      <History otp={otp} />
      <WrongCodes otp={otp} />
      <WebhookMessages otp={otp} />
      {otp.sent_at || otp.verified_at ? <Timeline otp={otp} /> : null}
      <VerificationActions otp={otp} onSent={onSent} />
    </div>
  );
}

const Fact = ({ name, isWide, children }: { name: string; isWide?: boolean; children: ReactNode }) => (
  <div data-wide={isWide || undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const History = ({ otp }: { otp: VerificationDetail }) => (
  <section className={classes.card} aria-labelledby="status-history">
    <h3 id="status-history">Status History</h3>
    {otp.status_logs.length === 0 ? <p className={classes.none}>No status changes recorded</p> : null}
    <ol className={classes.changes} aria-live="polite" aria-relevant="additions">
      {otp.status_logs.map((log, index, logs) => (
        <li key={log.id} data-status={log.new_status}>
          <span className={classes.change}>
            {statusChange(log)}
            {index > 0 ? <small className={classes.after}>{elapsed(log, logs[index - 1], otp)}</small> : null}
          </span>
          <span className={classes.when}>
            <time dateTime={log.changed_at}>{fullDateTime(log.changed_at)}</time>
            {log.ip_address ? ` from ${log.ip_address}` : null}
          </span>
          {log.notes ? <em className={classes.notes}>{log.notes}</em> : null}
        </li>
      ))}
    </ol>
  </section>
);

function Timeline({ otp }: { otp: VerificationDetail }) {
  const points = [
    { name: 'Created', at: otp.created_at },
    { name: 'Sent', at: otp.sent_at },
    { name: 'Delivered', at: otp.delivered_at },
    { name: 'Verified', at: otp.verified_at },
    { name: 'Expires', at: otp.expires_at },
  ].flatMap(({ name, at }) => (at ? [{ name, at }] : []));
  return (
    <section className={classes.card} aria-labelledby="timeline">
      <h3 id="timeline">Timeline</h3>
      <ol className={classes.timeline}>
        {points.map(({ name, at }) => (
          <li key={name}>
            <span>{name}</span>
            <time dateTime={at}>{fullDateTime(at)}</time>
          </li>
        ))}
      </ol>
    </section>
  );
}
