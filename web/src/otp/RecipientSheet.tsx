import { Button } from '@mantine/core';
import type { DestinationCheck } from '@sixdigit/contract/protection/protection.ts';
import { getRecipient, type RecipientEvent, type RecipientHistory } from '@sixdigit/contract/recipients.ts';
import type { SuppressionReason } from '@sixdigit/contract/suppressions.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { BuyCredits } from '../accounts/BuyCredits.tsx';
import { nowMs } from '../api/clock.ts';
import { read } from '../api/read.ts';
import { whyOf } from '../protection/check-texts.ts';
import { RULE_NAMES } from '../protection/rule-texts.ts';
import { StatusBadge, StatusCode, TestBadge } from '../ui/Badge.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { labelOf } from '../ui/channel.ts';
import { SideSheet } from '../ui/Dialog.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { LoneLink } from '../ui/links.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { useLastShown } from '../ui/shown.ts';
import { outcomeOfVerification, type Story, storyOf, whyRefused } from './recipient-story.ts';

interface Props {
  opened: boolean;
  /** in any spelling; undefined while closed */
  recipient: string | undefined;
  onClose: () => void;
}

/** Everything about one recipient: what happened to the last code, what to do, and the timeline. */
export function RecipientSheet({ opened, recipient, onClose }: Props) {
  const [shown] = useLastShown(recipient);
  return (
    <SideSheet
      opened={opened}
      onClose={onClose}
      title="Recipient History"
      description="Codes, refused requests, blocks and opt-outs of one recipient"
      size="38rem"
    >
      {shown === undefined ? null : <History key={shown} text={shown} />}
    </SideSheet>
  );
}

const pageOf = (recipient: string, before?: string) =>
  read(getRecipient, { query: { recipient, ...(before && { before }) } }, { staleTime: 0 });

function History({ text }: { text: string }) {
  const query = useQuery(pageOf(text));
  return (
    <Loaded query={query} failure={query.error?.message ?? 'Failed to load recipient history'}>
      {(history) => <Shown text={text} history={history} />}
    </Loaded>
  );
}

function Shown({ text, history }: EventsProps) {
  const story = storyOf(history.results, nowMs());
  return (
    <div className="grid grid-cols-1 gap-5">
      <Summary history={history} story={story} />
      {history.results.length > 0 ? (
        <section aria-label="Timeline">
          <h3 className="m-0 mb-1 text-15 font-650">Timeline</h3>
          <Events text={text} history={history} />
        </section>
      ) : null}
    </div>
  );
}

interface EventsProps {
  text: string;
  history: RecipientHistory;
}

const Events = ({ text, history: { results, next } }: EventsProps) => (
  <>
    <ol className="m-0 list-none p-0">
      {results.map((event) => (
        <Event key={event.id} event={event} />
      ))}
    </ol>
    {next === null ? null : <Earlier text={text} before={next} />}
  </>
);

/** The next page, once it is asked for. */
function Earlier({ text, before }: { text: string; before: string }) {
  const [isAsked, setAsked] = useState(false);
  const page = useRef<HTMLDivElement>(null);
  const query = useQuery({ ...pageOf(text, before), enabled: isAsked });
  // The button that had the focus is gone.
  useEffect(() => {
    if (isAsked) page.current?.focus();
  }, [isAsked]);
  if (!isAsked) {
    return (
      <Button variant="default" fullWidth onClick={() => setAsked(true)}>
        Show Earlier
      </Button>
    );
  }
  return (
    <div ref={page} tabIndex={-1}>
      <Loaded query={query} failure="Failed to load earlier events">
        {(history) => <Events text={text} history={history} />}
      </Loaded>
    </div>
  );
}

const SUPPRESSED: Record<SuppressionReason, string> = {
  hard_bounce: 'The mailbox does not exist.',
  soft_bounces: 'Three messages in a row came back, so messages are stopped for a day.',
  complaint: 'The recipient reported a message as spam.',
  provider: 'The mail provider suppresses the address.',
  manual: 'Your account added the address.',
};

/** What would happen to a new code. */
const OUTLOOK: Record<DestinationCheck['decision'], string> = {
  allowed: 'A new code would go out.',
  blocked: 'A new code would be blocked.',
  refused: 'A new code would be refused.',
};

function Summary({
  history: { recipient, check, problem, opted_out, suppression },
  story,
}: {
  history: RecipientHistory;
  story: Story | undefined;
}) {
  return (
    <section aria-label="Summary" className="grid gap-3 rounded-10 bg-sunken px-4 py-[0.9rem]">
      <p className="m-0 text-17 font-650 wrap-anywhere">
        <RecipientText recipient={recipient} isWhole />
      </p>
      <p className="m-0 font-550 wrap-anywhere">
        {story?.what ?? 'No code was sent to this recipient in the stored history.'} {story?.next}
      </p>
      {(problem ?? check) ? (
        <p className="m-0 text-14 text-ink-soft">
          <strong className="font-550">
            {check ? OUTLOOK[check.decision] : 'A new code would be refused.'}
          </strong>{' '}
          {problem ?? (check && whyOf(check))}
        </p>
      ) : null}
      {opted_out ? (
        <p className="m-0 text-14 text-ink-soft">
          <strong className="font-550">Opted out:</strong> The recipient replied STOP. Texting START to the
          sender ends the opt-out.
        </p>
      ) : null}
      {suppression ? (
        <p className="m-0 text-14 wrap-anywhere text-ink-soft">
          <strong className="font-550">Suppressed since {fullDateTime(suppression.created_at)}:</strong>{' '}
          {SUPPRESSED[suppression.reason]} {suppression.detail}
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {story ? (
          <CopyButton value={story.answer} label="Copy Answer for Support" withText withToast />
        ) : null}
        {check && check.decision !== 'allowed' ? (
          check.refusal?.reason === 'insufficient_credits' ? (
            <BuyCredits />
          ) : check.refusal?.reason === 'recipient_suppressed' ? (
            <LoneLink to="/protection/suppressed" search={{ search: recipient }}>
              View Suppressions
            </LoneLink>
          ) : (
            <LoneLink to="/protection">Open Protection</LoneLink>
          )
        ) : null}
        {check?.prefix ? (
          <LoneLink to="/protection/decisions" search={{ search: check.prefix }}>
            Decisions
          </LoneLink>
        ) : null}
      </div>
    </section>
  );
}

function Event({ event: { created_at, verification, refusal } }: { event: RecipientEvent }) {
  if (verification) {
    return (
      <Row
        at={created_at}
        badge={<StatusBadge status={verification.status} />}
        isTest={verification.test}
        title={`${labelOf(verification.channel)} code`}
        text={outcomeOfVerification(verification, nowMs())}
        link={
          <LoneLink
            to="/"
            search={{ otp: verification.id }}
            aria-label={`View History of ${fullDateTime(created_at)}`}
          >
            View History
          </LoneLink>
        }
      />
    );
  }
  if (!refusal) return null;
  const blockers = refusal.blocked_by ?? [];
  return (
    <Row
      at={created_at}
      badge={<StatusCode status={refusal.response_status_code} />}
      isTest={refusal.test}
      title={refusal.request_type === 'send_otp' ? 'Send refused' : 'Verify refused'}
      text={[
        whyRefused(refusal),
        blockers.length > 0
          ? `Blocked by: ${blockers.map((rule) => RULE_NAMES[rule as keyof typeof RULE_NAMES] ?? rule).join(', ')}.`
          : '',
        refusal.count > 1 ? `${refusal.count} requests in this second.` : '',
      ]
        .filter((part) => part !== '')
        .join(' ')}
      link={
        <LoneLink
          to="/logs"
          search={{ request: refusal.request_id }}
          aria-label={`View Request of ${fullDateTime(created_at)}`}
        >
          View Request
        </LoneLink>
      }
    />
  );
}

interface RowProps {
  at: string;
  badge: ReactNode;
  isTest: boolean;
  title: string;
  text: string;
  link: ReactNode;
}

const Row = ({ at, badge, isTest, title, text, link }: RowProps) => (
  <li className="grid gap-1 border-t border-line py-3">
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {badge}
      {isTest ? <TestBadge /> : null}
      <span className="font-550">{title}</span>
      <span className="text-13 text-ink-soft">{fullDateTime(at)}</span>
    </span>
    <span className="text-14 wrap-anywhere">{text}</span>
    <span className="text-14 touch:grid touch:min-h-11 touch:items-center">{link}</span>
  </li>
);
