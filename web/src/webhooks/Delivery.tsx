import { Button, Skeleton } from '@mantine/core';
import { getWebhookAttempt, type WebhookDelivery } from '@sixdigit/contract/webhooks.ts';
import { IconChevronRight, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { nowMs } from '../api/clock.ts';
import { read } from '../api/read.ts';
import { busyButton } from '../ui/busy-button.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { fullDateTime, relativeTime } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { LoneLink } from '../ui/links.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { AttemptList, attemptsText, DeliveryState, Exchange, NoAttempts, nameOf } from './AttemptList.tsx';
import classes from './Webhooks.module.css';

type Attempt = WebhookDelivery['attempts'][number];

interface Props {
  delivery: WebhookDelivery;
  endpointId: string;
  isBusy: boolean;
  onReplay: () => void;
}

/** One message: its state and, when expanded, its attempts with the request and the response. */
export function Delivery({ delivery, endpointId, isBusy, onReplay }: Props) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const name = nameOf(delivery);
  const [last] = delivery.attempts;
  const progress = progressOf(delivery);
  return (
    <li className="rounded-10 border border-line text-14">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3.5 py-2.5">
        <button
          type="button"
          className={`${classes.opener} min-h-11 min-w-0 cursor-pointer items-center rounded-6 border-0 bg-transparent p-0 text-start text-ink`}
          aria-expanded={isOpen}
          aria-controls={details}
          onClick={() => setOpen((before) => !before)}
        >
          <IconChevronRight className={classes.chevron} size={16} stroke={2} aria-hidden />
          <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="sm:min-w-19">
              <DeliveryState state={delivery.state} />
            </span>
            <code className="font-mono text-13 sm:min-w-26">{delivery.event_type}</code>
            {delivery.recipient === null ? null : (
              <span className="min-w-0 wrap-anywhere">
                <RecipientText recipient={delivery.recipient} isWhole />
              </span>
            )}
          </span>
          <span className={`${classes.about} text-13 text-ink-soft tabular-nums`}>
            <time dateTime={delivery.created_at}>{fullDateTime(delivery.created_at)}</time>
            {progress === '' ? null : (
              <>
                <span className={classes.dot}> · </span>
                {progress}
              </>
            )}
          </span>
        </button>
        {may('replayWebhookMessage') ? (
          <Button
            className={`${classes.replay} flex-none`}
            variant="default"
            size="compact-sm"
            leftSection={<IconRefresh size={14} aria-hidden />}
            aria-label={`Replay ${name}`}
            {...busyButton(isBusy)}
            onClick={() => {
              if (!isBusy) onReplay();
            }}
          >
            <span className={classes.replayName}>Replay</span>
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

/** '3 attempts · next try in 5 minutes'. Empty for a message that arrived at once. */
function progressOf({ attempt_count, next_attempt_at, state }: WebhookDelivery): string {
  if (attempt_count === 0 || (state === 'delivered' && attempt_count === 1)) return '';
  const tries = attemptsText(attempt_count);
  const isLater = next_attempt_at && Date.parse(next_attempt_at) > nowMs();
  return state === 'retrying' && isLater
    ? `${tries} · next try ${relativeTime(next_attempt_at, nowMs())}`
    : tries;
}

function Details({ delivery, endpointId }: Pick<Props, 'delivery' | 'endpointId'>) {
  // The newest attempt, until another one is chosen.
  const [chosen, setChosen] = useState<string>();
  const { attempts } = delivery;
  const shown = attempts.find(({ id }) => id === chosen) ?? attempts[0];
  return (
    <div className={`${classes.details} grid grid-cols-1 gap-3 border-t border-line px-3.5 pt-3 pb-3.5`}>
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
          <AttemptList
            delivery={delivery}
            shown={shown}
            onShow={setChosen}
            rest=" The export has all of them."
          />
          <LoadedExchange key={shown.id} attempt={shown} endpointId={endpointId} />
        </>
      ) : (
        <NoAttempts state={delivery.state} />
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

function LoadedExchange({ attempt, endpointId }: { attempt: Attempt; endpointId: string }) {
  const query = useQuery(attemptById(endpointId, attempt.id));
  if (query.isError) return <QueryError query={query} message="Failed to load the request" />;
  if (!query.data) return <Skeleton height={240} radius="md" />;
  return <Exchange attempt={attempt} exchange={query.data} />;
}

/** An attempt never changes. */
const attemptById = (id: string, attempt_id: string) =>
  read(getWebhookAttempt, { params: { id, attempt_id } }, { staleTime: Number.POSITIVE_INFINITY });
