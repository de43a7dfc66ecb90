import type { Overview } from '@sixdigit/contract/operator/overview.ts';
import { accountTotals } from '../accounts/accounts.ts';
import { countNotices } from '../messaging/notices/notices.ts';
import { openDisputes, unmatchedPayments } from '../payments/payments.ts';
import { freeDiskBytes } from '../platform/db/disk.ts';
import { shrunkSettings } from '../platform/db/kept-days.ts';
import { isReachable } from '../platform/http/own-url.ts';
import { selectFailedJobs, selectWorkers } from '../platform/queue/work.ts';
import { version } from '../platform/version.ts';
import { webhookQueueStats } from '../webhooks/webhooks.ts';
import { type CarriersApp, carriersOf } from './carriers/carriers.ts';
import { type Minute, selectDatabase, selectMinutes } from './service-counts.ts';

/** The current state of the deployment, from small tables that every process keeps up to date. */
export async function overviewOf(app: CarriersApp): Promise<Overview> {
  const { db, config } = app;
  const { publicUrl } = config;
  const [
    carriers,
    minutes,
    workers,
    failed_jobs,
    webhooks,
    notices,
    database,
    disk,
    accounts,
    disputes,
    unmatched,
    shrunk_retention,
  ] = await Promise.all([
    carriersOf(app),
    selectMinutes(db),
    selectWorkers(db),
    selectFailedJobs(db),
    webhookQueueStats(db),
    countNotices(db),
    selectDatabase(db),
    freeDiskBytes(db, config),
    accountTotals(db),
    openDisputes(db),
    unmatchedPayments(db),
    shrunkSettings(db, config),
  ]);
  const { postgresql, ...size } = database;
  const { messages: waiting, ...queue } = webhooks;
  return {
    ...carriers,
    version,
    public_url: publicUrl !== undefined && isReachable(publicUrl) ? publicUrl : null,
    versions: { node: process.versions.node, postgresql },
    // The current minute is incomplete, so this is the minute before it.
    last_minute: sumOf(minutes.slice(-2, -1)),
    last_hour: sumOf(minutes),
    minutes: minutes.map(({ at, sends, verified }) => ({ at, sends, verified })),
    workers,
    failed_jobs,
    webhooks: { ...queue, waiting },
    notices_waiting: notices,
    database: { ...size, disk_free_bytes: disk },
    accounts,
    shrunk_retention,
    open_disputes: disputes.open,
    unmatched_payments: unmatched.waiting,
  };
}

const sumOf = (minutes: readonly Minute[]): Omit<Minute, 'at'> => {
  const sum = (name: Exclude<keyof Minute, 'at'>) =>
    minutes.reduce((total, minute) => total + minute[name], 0);
  return {
    sends: sum('sends'),
    refused_sends: sum('refused_sends'),
    verified: sum('verified'),
    wrong_codes: sum('wrong_codes'),
    delivered: sum('delivered'),
    undelivered: sum('undelivered'),
  };
};
