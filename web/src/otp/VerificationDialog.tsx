import { Loader } from '@mantine/core';
import { LINE_NAMES } from '@sixdigit/contract/protection/lookups.ts';
import type { Verification, VerificationDetail } from '@sixdigit/contract/verifications.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nowMs } from '../api/clock.ts';
import { keepPrevious } from '../api/read.ts';
import { type Around, useNeighbors } from '../table/neighbors.ts';
import { StepButtons } from '../table/StepButtons.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { SideSheet } from '../ui/Dialog.tsx';
import { duration, fullDateTime } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { PageLink } from '../ui/links.tsx';
import { OTP_ID_LENGTH, PROVIDER_ID_LENGTH, truncate } from '../ui/RecipientText.tsx';
import { useLastShown } from '../ui/shown.ts';
import { Steps } from './plans/Steps.tsx';
import { isOurText, languageText } from './texts.ts';
import { momentsOf } from './timeline.ts';
import { VerificationActions } from './VerificationActions.tsx';
import { VerificationHead } from './VerificationHead.tsx';
import classes from './VerificationHistory.module.css';
import { Card, History } from './VerificationHistory.tsx';
import { verificationDetail } from './verification-detail.ts';
import { verificationPage, type verificationSearch } from './verifications.ts';

interface Props {
  opened: boolean;
  /** undefined while closed */
  id: string | undefined;
  list: Pick<Around<Verification, typeof verificationSearch.defaults>, 'search' | 'page'>;
  onClose: () => void;
  /** shows the verification that a resend created */
  onSent: (id: string) => void;
}

/** One verification and its history beside the list, refetched while it is open. `j` and `k` step through the list. */
export function VerificationDialog({ opened, id, list, onClose, onSent }: Props) {
  const [shown, forget] = useLastShown(id);
  const steps = useNeighbors(id, {
    ...list,
    pageOf: verificationPage,
    idOf: (otp) => otp.id,
    parameter: 'otp',
    failure: 'Failed to load OTP verifications',
  });
  return (
    <SideSheet
      opened={opened}
      onClose={onClose}
      onClosed={forget}
      title="Verification Details"
      description="Complete history and status changes for this verification"
      size="38rem"
      tools={steps ? <StepButtons steps={steps} noun="verification" /> : null}
    >
      {shown === undefined ? null : <AuditTrail id={shown} onSent={onSent} />}
    </SideSheet>
  );
}

function AuditTrail({ id, onSent }: { id: string } & Pick<Props, 'onSent'>) {
  // The old verification stays until the next one has arrived.
  const query = useQuery({ ...verificationDetail(id), ...keepPrevious });
  if (query.data) {
    return (
      <div className={classes.shown} data-stale={query.isPlaceholderData || undefined}>
        <Details otp={query.data} onSent={onSent} />
      </div>
    );
  }
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
  const isPast = Date.parse(otp.expires_at) < nowMs();
  return (
    <div className="grid min-h-88 grid-cols-1 content-start gap-4">
      <VerificationHead otp={otp} />
      <VerificationActions key={`actions ${otp.id}`} otp={otp} onSent={onSent} />
      <dl key={`facts ${otp.id}`} className={`${classes.facts} m-0 grid grid-cols-2 gap-x-5`}>
        <Fact name="Created" isWideOnPhones>
          {fullDateTime(otp.created_at)}
        </Fact>
        <Fact name="Expires" isWideOnPhones>
          <span className={isPast ? 'text-error' : undefined}>{fullDateTime(otp.expires_at)}</span>
        </Fact>
        <Fact name="API Key">{otp.api_key.name}</Fact>
        <Fact name="OTP ID" isWideOnPhones>
          <span className="font-mono text-13" title={otp.id}>
            {truncate(otp.id, OTP_ID_LENGTH)}
          </span>
          <CopyButton value={otp.id} label="Copy OTP ID" />
        </Fact>
        {otp.segments === null ? null : <Fact name="SMS Segments">{otp.segments}</Fact>}
        {otp.language || otp.locale ? <Fact name="Language">{languageText(otp)}</Fact> : null}
        {otp.template ? (
          <Fact name="Template">
            {otp.template}, version {otp.template_version}
          </Fact>
        ) : null}
        {otp.message ? (
          <Fact name={isOurText(otp) ? 'Text' : 'Custom Message'} isWide>
            {otp.message}
          </Fact>
        ) : null}
        {otp.lookup?.line_type ? <Fact name="Line">{LINE_NAMES[otp.lookup.line_type]}</Fact> : null}
        {otp.lookup?.carrier ? <Fact name="Network">{otp.lookup.carrier}</Fact> : null}
        {otp.purpose ? <Fact name="Purpose">{otp.purpose}</Fact> : null}
        {otp.code_length === 6 && otp.max_attempts === null ? null : (
          <Fact name="Code">
            {otp.code_length} characters{otp.max_attempts === null ? '' : `, ${otp.max_attempts} attempts`}
          </Fact>
        )}
        {[...otp.resends, ...(otp.resend_of ? [otp.resend_of] : [])].map((other) => (
          <Fact key={other} name={otp.resend_of ? 'Resend of' : 'Sent again'} isWideOnPhones>
            <PageLink to="/" search={{ otp: other }} className="font-mono text-13">
              {truncate(other, OTP_ID_LENGTH)}
            </PageLink>
          </Fact>
        ))}
        {otp.metadata ? (
          <Fact name="Metadata" isWide>
            <span className="font-mono text-13">
              {Object.entries(otp.metadata).map(([key, value]) => (
                <bdi key={key} className="block">
                  {key}: {value}
                </bdi>
              ))}
            </span>
          </Fact>
        ) : null}
        {/* A simulated message has no provider. */}
        {otp.provider_message_id && otp.carrier !== 'sandbox' ? (
          <Fact name="Provider ID" isWide>
            <span className="font-mono text-13" title={otp.provider_message_id}>
              {truncate(otp.provider_message_id, PROVIDER_ID_LENGTH)}
            </span>
            <CopyButton value={otp.provider_message_id} label="Copy Provider ID" />
          </Fact>
        ) : null}
      </dl>
      {otp.sent_at || otp.verified_at ? <Timeline otp={otp} /> : null}
      {otp.steps ? (
        <Card id="steps" title="Plan">
          <Steps steps={otp.steps} day={otp.created_at} />
        </Card>
      ) : null}
      <History key={otp.id} otp={otp} />
      <div className={classes.more} aria-hidden />
    </div>
  );
}

interface FactProps {
  name: string;
  isWide?: boolean;
  isWideOnPhones?: boolean;
  children: ReactNode;
}

const Fact = ({ name, isWide, isWideOnPhones, children }: FactProps) => (
  <div className={isWide ? 'col-span-full' : isWideOnPhones ? 'max-sm:col-span-full' : undefined}>
    <dt className="text-13 text-ink-soft">{name}</dt>
    <dd className="m-0 flex min-h-7 items-center gap-[0.35rem] wrap-anywhere whitespace-pre-wrap">
      {children}
    </dd>
  </div>
);

/** How long each step took, counted from the creation. The history has the times. */
const Timeline = ({ otp }: { otp: VerificationDetail }) => (
  <Card id="timeline" title="Timeline">
    <ol className={`${classes.moments} m-0 flex list-none gap-x-2 p-0 tabular-nums`}>
      {momentsOf(otp).map(({ name, afterMs }) => (
        <li
          key={name}
          className="relative grid content-start pt-4"
          data-moment={name}
          data-future={Date.parse(otp.created_at) + afterMs > nowMs() || undefined}
        >
          <span className="font-550">{name}</span>{' '}
          <span className="text-13 text-ink-soft">
            {name === 'Created' ? '0 s' : `+${duration(afterMs)}`}
          </span>
        </li>
      ))}
    </ol>
  </Card>
);
