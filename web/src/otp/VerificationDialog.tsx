import { Loader } from '@mantine/core';
import type { VerificationDetail } from '@sixdigit/contract/otp.ts';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { nowMs } from '../api/clock.ts';
import { keepPrevious } from '../api/read.ts';
import { hasSingleKeys } from '../frame/shortcuts.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { SideSheet } from '../ui/Dialog.tsx';
import { duration, fullDateTime } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { OTP_ID_LENGTH, PROVIDER_ID_LENGTH, truncate } from '../ui/RecipientText.tsx';
import { useLastShown } from '../ui/shown.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import { type Around, type Steps, useNeighbors } from './neighbors.ts';
import { momentsOf } from './timeline.ts';
import { VerificationActions } from './VerificationActions.tsx';
import { VerificationHead } from './VerificationHead.tsx';
import classes from './VerificationHistory.module.css';
import { Card, History } from './VerificationHistory.tsx';
import { verificationDetail } from './verification-detail.ts';

interface Props {
  /** undefined: closed */
  id: string | undefined;
  list: Around;
  onClose: () => void;
  /** shows the verification that a resend created */
  onSent: (id: string) => void;
}

/** One verification and its history beside the list, refetched while it is open. `j` and `k` step through the list. */
export function VerificationDialog({ id, list, onClose, onSent }: Props) {
  const [shown, forget] = useLastShown(id);
  const steps = useNeighbors(id, list);
  return (
    <SideSheet
      opened={id !== undefined}
      onClose={onClose}
      onClosed={forget}
      title="Verification Details"
      description="Complete history and status changes for this verification"
      size="38rem"
      tools={steps ? <StepButtons steps={steps} /> : null}
    >
      {shown === undefined ? null : <AuditTrail id={shown} onSent={onSent} />}
    </SideSheet>
  );
}

const TYPED = 'input, textarea, select';

/** The buttons stay focusable at the ends of the list, where a disabled one would lose the focus. */
function StepButtons({ steps }: { steps: Steps }) {
  const previous = useRef<HTMLButtonElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const press = useEffectEvent((event: KeyboardEvent): void => {
    const step = ({ j: 1, k: -1 } as const)[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!hasSingleKeys() || (event.target instanceof Element && event.target.closest(TYPED))) return;
    event.preventDefault();
    // What had the focus in the content will be gone.
    (step === 1 ? next : previous).current?.focus();
    void steps.go(step);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => press(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  const button = (isPossible: boolean, step: 1 | -1) => ({
    variant: 'subtle',
    color: 'gray',
    className: classes.step ?? '',
    'aria-disabled': !isPossible,
    ...(!isPossible && { 'data-disabled': true }),
    onClick: () => void steps.go(step),
  });
  return (
    <>
      <TipIcon
        ref={previous}
        label="Previous Verification"
        tip="Previous verification (k)"
        aria-keyshortcuts="k"
        {...button(steps.hasPrevious, -1)}
      >
        <IconChevronUp size={20} stroke={1.75} aria-hidden />
      </TipIcon>
      <TipIcon
        ref={next}
        label="Next Verification"
        tip="Next verification (j)"
        aria-keyshortcuts="j"
        {...button(steps.hasNext, 1)}
      >
        <IconChevronDown size={20} stroke={1.75} aria-hidden />
      </TipIcon>
    </>
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
        <Fact name="Created">{fullDateTime(otp.created_at)}</Fact>
        <Fact name="Expires">
          <span className={isPast ? 'text-error' : undefined}>{fullDateTime(otp.expires_at)}</span>
        </Fact>
        <Fact name="API Key">{otp.api_key.name}</Fact>
        <Fact name="OTP ID">
          <span className="font-mono text-13" title={otp.id}>
            {truncate(otp.id, OTP_ID_LENGTH)}
          </span>
          <CopyButton value={otp.id} label="Copy OTP ID" />
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
      {otp.sent_at || otp.verified_at ? <Timeline otp={otp} /> : null}
      <History key={otp.id} otp={otp} />
      <div className={classes.more} aria-hidden />
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

/** How long each step took, counted from the creation. The history has the times. */
const Timeline = ({ otp }: { otp: VerificationDetail }) => (
  <Card id="timeline" title="Timeline">
    <ol className={`${classes.moments} m-0 grid list-none gap-x-2 p-0 tabular-nums`}>
      {momentsOf(otp).map(({ name, afterMs }) => (
        <li key={name} className="relative grid content-start pt-4" data-moment={name}>
          <span className="font-550">{name}</span>{' '}
          <span className="text-13 text-ink-soft">
            {name === 'Created' ? '0 s' : `+${duration(afterMs)}`}
          </span>
        </li>
      ))}
    </ol>
  </Card>
);
