import { Button, Skeleton } from '@mantine/core';
import type { Finding, Overview as State } from '@sixdigit/contract/operator/overview.ts';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { labelOf } from '../ui/channel.ts';
import { duration, fullDateTime, relativeTime, shortDateTime } from '../ui/dates.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { PageLink } from '../ui/links.tsx';
import { countOf, percentOf, signOf } from '../ui/numbers.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { PanelSkeletons } from '../ui/PanelSkeletons.tsx';
import { useAsked } from './asked.ts';
import { CarrierErrors, CarrierHealth } from './carriers/CarrierHealth.tsx';
import { FirstCarrier } from './carriers/FirstCarrier.tsx';
import { Facts, number } from './Facts.tsx';
import { GoLive } from './GoLive.tsx';
import classes from './Operator.module.css';
import { findings, operatorProtection, overview } from './operator.ts';
import { operatorPages } from './operator-pages.ts';
import { Note, Row, Rows, RowText } from './Rows.tsx';
import { MonitoringOnly } from './settings/MonitoringOnly.tsx';
import { RetentionWaiting } from './settings/RetentionWaiting.tsx';

/** The deployment's state, updated every five seconds. */
export function Overview() {
  const query = useQuery(overview);
  // The steps and the notice about the rules would move the panels.
  const { data: protection, isPending } = useQuery(operatorProtection);
  return (
    <>
      <PageHeading title={operatorPages.overview.title}>
        The state of this deployment, updated every five seconds.
      </PageHeading>
      <Loaded query={query} failure="Failed to load the overview" waiting={<OverviewSkeleton />}>
        {(state) =>
          isPending ? (
            <OverviewSkeleton />
          ) : (
            <div className="grid grid-cols-1 gap-5">
              <RetentionWaiting settings={state.shrunk_retention} />
              <GoLive overview={state} rules={protection?.rules}>
                <FirstCarrier channels={state.channels} />
                <MonitoringOnly withLink />
              </GoLive>
              <Traffic state={state} />
              <Deployment state={state} />
              <div className={`${classes.halves} grid gap-5`}>
                <Queues state={state} />
                <CarrierHealth channels={state.channels} />
              </div>
              <Workers workers={state.workers} version={state.version} />
              <NoFailures state={state} />
              {state.failed_jobs.length > 0 ? <FailedJobs jobs={state.failed_jobs} /> : null}
              {state.errors.length > 0 ? <CarrierErrors errors={state.errors.slice(0, 5)} /> : null}
              <Diagnostics />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

/** The panels, before their numbers are known. */
const OverviewSkeleton = () => (
  <div className="grid grid-cols-1 gap-5" aria-hidden>
    <Panel>
      <Skeleton height={18} width="6rem" />
      <Skeleton height={12} mt={14} width="60%" radius="xl" />
      <FactSkeletons count={5} isBig />
      <div className="mt-5 h-18 border-b border-line" />
      <div className="h-[2.2rem]" />
    </Panel>
    <Panel>
      <Skeleton height={18} width="7rem" />
      <FactSkeletons count={10} />
    </Panel>
    <div className={`${classes.halves} grid gap-5`}>
      <PanelSkeletons lines={[5]} />
      <PanelSkeletons lines={[4]} />
    </div>
    <PanelSkeletons lines={[1, 0]} />
  </div>
);

const FactSkeletons = ({ count, isBig }: { count: number; isBig?: boolean }) => (
  <div className={`${classes.facts} ${classes.dense} ${isBig ? classes.big : ''} mt-6 grid gap-x-6 gap-y-4`}>
    {Array.from({ length: count }, (_, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change
      <div key={n} className="grid gap-2">
        <Skeleton height={10} width="70%" radius="xl" />
        <Skeleton height={isBig ? 22 : 14} width="40%" radius="xl" />
      </div>
    ))}
  </div>
);

function Traffic({ state: { last_minute, last_hour, minutes } }: { state: State }) {
  const highest = Math.max(1, ...minutes.map(({ sends }) => sends));
  return (
    <Panel
      title="Last hour"
      description="Verified: share of all sends. Delivered: share of the messages with a delivery report."
    >
      <Facts
        isBig
        isDense
        facts={{
          'Sends per second': (last_minute.sends / 60).toLocaleString('en-US', { maximumFractionDigits: 1 }),
          Sends: number(last_hour.sends),
          'Refused sends': number(last_hour.refused_sends),
          Verified: percentOf(last_hour.verified, last_hour.sends),
          Delivered: percentOf(last_hour.delivered, last_hour.delivered + last_hour.undelivered),
        }}
      />
      <div
        className="mt-5 flex h-18 items-end gap-0.5 border-b border-line"
        role="img"
        aria-label={`Sends in each of the last 60 minutes, at most ${number(highest)}`}
      >
        {last_hour.sends === 0 ? (
          <span className="flex-1 pb-4 text-center text-13 text-ink-soft">
            No sends in the last 60 minutes
          </span>
        ) : (
          minutes.map(({ at, sends }) => (
            <span
              key={at}
              className="flex-1 bg-accent"
              style={{ height: `${(100 * sends) / highest}%`, borderRadius: '2px 2px 0 0' }}
            />
          ))
        )}
      </div>
      <div className="mt-[0.35rem] flex justify-between text-12 text-ink-soft" aria-hidden>
        <span>60 minutes ago</span>
        {last_hour.sends === 0 ? null : <span>Sends per minute, highest: {number(highest)}</span>}
        <span>now</span>
      </div>
    </Panel>
  );
}

const megabytes = (bytes: number): string =>
  bytes < 1e9 ? `${number(Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

const growth = (bytes: number): string => `${signOf(bytes)}${megabytes(Math.abs(bytes))}`;

const Deployment = ({
  state: { accounts, database, version, versions, unmatched_payments, open_disputes },
}: {
  state: State;
}) => (
  <Panel title="Deployment">
    <Facts
      isDense
      facts={{
        Accounts: number(accounts.all),
        Suspended: number(accounts.suspended),
        'Refunds due': number(unmatched_payments),
        'Open disputes':
          open_disputes === 0 ? (
            '0'
          ) : (
            <PageLink to="/operator/payments" hash="disputes">
              {number(open_disputes)}
            </PageLink>
          ),
        Database: megabytes(database.bytes),
        'Growth since yesterday':
          database.bytes_a_day_ago === null ? '–' : growth(database.bytes - database.bytes_a_day_ago),
        'Free disk space': database.disk_free_bytes === null ? '–' : megabytes(database.disk_free_bytes),
        Version: version,
        'Node.js': versions.node,
        PostgreSQL: versions.postgresql,
      }}
    />
  </Panel>
);

const Queues = ({ state: { channels, webhooks, notices_waiting } }: { state: State }) => (
  <Panel title="Queues" description="Waiting messages and the age of the oldest due message.">
    <Rows>
      {channels.map(({ channel, ...queue }) => (
        <Queue key={channel} name={labelOf(channel)} {...queue} />
      ))}
      <Queue name="Webhooks" {...webhooks} note={retryingText(webhooks)} />
      <Queue name="Emails to users" waiting={notices_waiting} />
    </Rows>
  </Panel>
);

const Queue = ({
  name,
  waiting,
  oldest_seconds,
  note,
}: {
  name: string;
  waiting: number;
  oldest_seconds?: number;
  /** in place of the oldest message's age */
  note?: string | undefined;
}) => (
  <Row>
    <span>{name}</span>
    {waiting === 0 ? (
      <span className="text-13 text-ink-soft">Empty</span>
    ) : (
      <span>
        <strong>{number(waiting)}</strong>
        <span className="text-13 text-ink-soft">{note ?? ageText(oldest_seconds)}</span>
      </span>
    )}
  </Row>
);

const ageText = (seconds: number | undefined): string => {
  if (seconds === undefined) return '';
  return seconds > 0 ? ` · oldest ${duration(1_000 * seconds)}` : ' · none due yet';
};

/** The receivers that do not accept messages, rather than a backlog of ours. */
const retryingText = ({ waiting, retrying, retrying_endpoints, oldest_seconds }: State['webhooks']) => {
  if (retrying === 0) return undefined;
  const text = ` · ${retrying === waiting ? 'all' : number(retrying)} retried at ${countOf(retrying_endpoints, 'endpoint')}`;
  return retrying === waiting ? text : `${text}${ageText(oldest_seconds)}`;
};

/** What the processes of each role do. */
const PROCESSES: Record<string, string> = { all: 'API and worker', worker: 'Worker' };

const Workers = ({ workers, version }: Pick<State, 'workers' | 'version'>) => (
  <Panel title="Workers" description="Processes that dispatch messages, with their last heartbeat.">
    {workers.length === 0 ? <Note>No worker is running, so no messages are sent.</Note> : null}
    <Rows>
      {workers.map(({ name, version: own, started_at, seen_at, is_alive }) => (
        <Row key={`${name} ${started_at}`}>
          <RowText>
            {PROCESSES[name] ?? name}
            {own === version || own === '' ? null : ` ${own}`}
            <small title={fullDateTime(seen_at)}>
              Since {shortDateTime(started_at)} · last heartbeat {relativeTime(seen_at, nowMs())}
            </small>
          </RowText>
          {is_alive ? <Badge tone="green">Alive</Badge> : <Badge tone="red">Stopped</Badge>}
        </Row>
      ))}
    </Rows>
  </Panel>
);

const FailedJobs = ({ jobs }: { jobs: State['failed_jobs'] }) => (
  <Panel title="Failed jobs" description="Worker jobs that failed in the last day. They are retried.">
    <Rows>
      {jobs.map(({ name, failures, last_failed_at, last_error }) => (
        <Row key={name}>
          <RowText>
            {name}
            <small>{last_error}</small>
            <small>Last failed {fullDateTime(last_failed_at)}</small>
          </RowText>
          <Badge tone="orange">{countOf(failures, 'failure')}</Badge>
        </Row>
      ))}
    </Rows>
  </Panel>
);

/** One line instead of empty panels. */
function NoFailures({ state: { failed_jobs, errors } }: { state: State }) {
  const texts = [
    ...(failed_jobs.length === 0 ? ['No job has failed in the last day.'] : []),
    ...(errors.length === 0 ? ['No carrier has refused a message.'] : []),
  ];
  if (texts.length === 0) return null;
  return (
    <p className="m-0 flex items-start gap-2 rounded-12 border border-line bg-surface px-6 py-3.5 text-14 text-ink-soft max-sm:px-4.5">
      <IconCircleCheck size={20} stroke={1.75} className="flex-none text-green" aria-hidden />
      {texts.join(' ')}
    </p>
  );
}

const LEVELS: Record<Finding['level'], string> = { ok: 'OK', warning: 'Warning', problem: 'Problem' };
const tones: Record<Finding['level'], Tone> = { ok: 'green', warning: 'orange', problem: 'red' };

/** The doctor calls carriers and other services, so it runs only on demand. */
function Diagnostics() {
  const [isAsked, setAsked] = useState(false);
  const query = useQuery({ ...findings, enabled: isAsked });
  const examine = (): void => {
    if (query.isFetching) return;
    if (isAsked) void query.refetch();
    else setAsked(true);
  };
  useAsked(['doctor'], () => {
    document.getElementById('doctor')?.scrollIntoView();
    examine();
  });
  return (
    <Panel
      id="doctor"
      title="Diagnostics"
      description="Checks settings, database, clock, workers, mail, carriers, Stripe and the public address."
      actions={
        <Button variant="default" {...busyButton(query.isFetching)} onClick={examine}>
          {query.isFetching ? 'Running...' : 'Run Diagnostics'}
        </Button>
      }
    >
      {isAsked ? (
        <Loaded query={query} failure="Failed to run the diagnostics">
          {({ findings: all }) => (
            <Rows>
              {all.map(({ level, about, says, advice }) => (
                <Row key={`${about} ${says}`}>
                  <RowText>
                    <span>
                      <strong>{about}</strong>: {says}
                    </span>
                    {advice ? <small>{advice}</small> : null}
                  </RowText>
                  <Badge tone={tones[level]}>{LEVELS[level]}</Badge>
                </Row>
              ))}
            </Rows>
          )}
        </Loaded>
      ) : null}
    </Panel>
  );
}
