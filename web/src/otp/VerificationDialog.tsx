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
import { elapsed, statusChange } from './status-change.ts';
import { VerificationActions } from './VerificationActions.tsx';
import classes from './VerificationHistory.module.css';
import { Card, Change, Changes, WebhookMessages, WrongCodes } from './VerificationHistory.tsx';
import { verificationDetail } from './verification-detail.ts';

interface Props {
  /** undefined: closed */
  id: string | undefined;
  onClose: () => void;
  /** shows the verification that a resend created */
  onSent: (id: string) => void;
}

/** One verification and its history, refetched while the dialog is open. */
export function VerificationDialog({ id, onClose, onSent }: Props) {
  // stays on screen during the dialog's closing transition
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
    <div className="grid min-h-88 place-content-center place-items-center gap-3 text-ink-soft" role="status">
      <Loader size="sm" aria-hidden />
      Loading audit trail...
    </div>
  );
}

function Details({ otp, onSent }: { otp: VerificationDetail } & Pick<Props, 'onSent'>) {
  const isPast = new Date(otp.expires_at) < new Date(nowMs());
  return (
    <div className="grid min-h-88 content-start gap-4">
      <div className={`${classes.head} grid gap-x-4 rounded-10 bg-sunken px-4 py-[0.9rem]`}>
        <div className="flex flex-wrap items-center gap-x-[0.6rem] gap-y-[0.35rem]">
          <strong className="font-600">{labelOf(otp.channel)} OTP</strong>
          {otp.test ? <TestBadge /> : null}
          <StatusBadge status={otp.status} />
        </div>
        <span className="font-550 tabular-nums">
          {otp.cost_credits > 0 ? `-${otp.cost_credits} credits` : '0 credits'}
        </span>
        <p className="col-span-full m-0 wrap-anywhere">
          {otp.channel === 'email' ? otp.recipient : <RecipientText recipient={otp.recipient} />}
        </p>
        {otp.failure ? <p className="col-span-full m-0 text-error wrap-anywhere">{otp.failure}</p> : null}
      </div>
      <dl className={`${classes.facts} m-0 grid grid-cols-2 gap-x-5 px-1 max-sm:grid-cols-1`}>
        <Fact name="OTP ID">
          <span className="font-mono text-13" title={otp.id}>
            {truncate(otp.id, OTP_ID_LENGTH)}
          </span>
          <CopyButton value={otp.id} label="Copy OTP ID" />
        </Fact>
        <Fact name="API Key">{otp.api_key.name}</Fact>
        <Fact name="Created">{fullDateTime(otp.created_at)}</Fact>
        <Fact name="Expires">
          <span className={isPast ? 'text-error' : undefined}>{fullDateTime(otp.expires_at)}</span>
        </Fact>
        {otp.segments === null ? null : <Fact name="SMS Segments">{otp.segments}</Fact>}
        {otp.message ? (
          <Fact name="Custom Message" isWide>
            {otp.message}
          </Fact>
        ) : null}
        {otp.provider_message_id ? (
          <Fact name="Provider ID" isWide>
            <span className="font-mono text-13" title={otp.provider_message_id}>
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
  <div className={isWide ? 'col-span-full' : undefined}>
    <dt className="text-13 text-ink-soft">{name}</dt>
    <dd className="m-0 flex min-h-7 items-center gap-[0.35rem] wrap-anywhere whitespace-pre-wrap">
      {children}
    </dd>
  </div>
);

const History = ({ otp }: { otp: VerificationDetail }) => (
  <Card id="status-history" title="Status History">
    {otp.status_logs.length === 0 ? <p className="m-0 text-ink-soft">No status changes recorded</p> : null}
    <Changes isLive>
      {otp.status_logs.map((log, index, logs) => (
        <Change
          key={log.id}
          status={log.new_status}
          what={statusChange(log)}
          after={elapsed(log, logs[index - 1], otp)}
          at={log.changed_at}
          where={log.ip_address ? ` from ${log.ip_address}` : null}
          notes={log.notes}
        />
      ))}
    </Changes>
  </Card>
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
    <Card id="timeline" title="Timeline">
      <ol className="m-0 grid list-none gap-[0.35rem] p-0">
        {points.map(({ name, at }) => (
          <li key={name} className={`${classes.point} grid items-center gap-2 tabular-nums`}>
            <span className="font-550">{name}</span>
            <time className="text-ink-soft max-sm:text-13" dateTime={at}>
              {fullDateTime(at)}
            </time>
          </li>
        ))}
      </ol>
    </Card>
  );
}
