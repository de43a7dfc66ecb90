import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';
import { leasedQueue } from '../../platform/queue/leased-queue.ts';
import {
  type Breakers,
  type Carrier,
  type Carriers,
  type Message,
  mailSenderName,
  type Outcome,
} from '../carriers/carriers.ts';
import { hasOptedOut } from '../opt-outs/opt-outs.ts';
import { composeMail, composeSms, isKnown, retrySeconds, type Sealed, sealOf } from './notices.ts';
import {
  type ClaimedNotice,
  claimNotices,
  deleteNotice,
  freeNotices,
  type Lane,
  type PutBack,
  putNoticeBack,
  releaseOrphanedClaims,
} from './queries.ts';

type App = Needs<'db' | 'clock' | 'vault' | 'random' | 'config' | 'log' | 'wakeups'> & {
  carriers: Pick<Carriers, 'forChannel' | 'find'>;
  breakers: Breakers;
};

/** Notices in flight at the same time, per process. */
const MAX_IN_FLIGHT: Record<Lane, number> = { urgent: 16, ordinary: 8 };
/** Retry delay while every carrier is paused. */
const RESTING_SECONDS = 2;
/** Delay after which a newer process can take a notice of a kind that this one does not know, during a rolling restart. */
const UNKNOWN_SECONDS = 10;
/** Delay before an uncertain notice is retried with the same carrier. */
const UNCERTAIN_SECONDS = 10;
/** Aborting a dispatch would make its outcome uncertain. The carrier's ten-second timeout bounds it instead. */
const NEVER_ABORTED = new AbortController().signal;

export const noticeJobs = (app: App): Job[] => [
  leasedQueue<ClaimedNotice, Next, Lane>(app, {
    name: 'notices',
    everyMs: 500,
    idField: 'notice_id',
    slots: MAX_IN_FLIGHT,
    laneOf: ({ lane }) => lane,
    claim: ({ worker_id, claim, free }) => claimNotices(app.db, { worker: worker_id, claim, most: free }),
    process: async (notice) => (notice.is_expired ? 'expired' : dispatchMessage(app, notice)),
    finish: (notice, next) => settle(app, notice, next),
    release: (notice) => putNoticeBack(app.db, notice, { ...untried(notice), seconds: UNCERTAIN_SECONDS }),
    releaseOrphans: (worker_id, held) => releaseOrphanedClaims(app.db, worker_id, held),
    releaseDead: (worker_ids) => freeNotices(app.db, worker_ids),
  }),
];

async function settle(app: App, notice: ClaimedNotice, next: Next): Promise<void> {
  if (typeof next === 'object') await putNoticeBack(app.db, notice, next);
  else await deleteNotice(app.db, notice);
  if (typeof next === 'string' && next !== 'done')
    app.log.warn({ notice_id: notice.id, channel: notice.channel, why: next }, 'notice dropped');
}

/** `done`, the reason why the notice is dropped, or when to try it again. */
type Next = 'done' | string | PutBack;

async function dispatchMessage(app: App, notice: ClaimedNotice): Promise<Next> {
  const opened = JSON.parse(app.vault.open(notice.sealed, sealOf(notice.id))) as Sealed;
  const { recipient, contents } = opened;
  if (recipient === null) return 'done';
  if (!isKnown(contents)) {
    app.log.warn({ notice_id: notice.id, kind: contents.kind }, 'notice left to a newer version');
    return { ...untried(notice), seconds: UNKNOWN_SECONDS };
  }
  if (notice.channel === 'sms' && (await hasOptedOut(app.db, app, recipient)))
    return 'the recipient opted out';
  const message = compose(app, notice, recipient, opened);

  let wasAsked = false;
  for (const carrier of carriersFor(app, notice)) {
    const outcome = await dispatch(app, carrier, message);
    if (outcome === undefined) continue;
    wasAsked = true;
    if (outcome.kind === 'accepted') return 'done';
    const { reason, detail } = outcome;
    app.log.warn(
      { notice_id: notice.id, carrier: carrier.name, reason, detail },
      'the carrier did not accept the notice',
    );
    if (outcome.kind === 'uncertain') {
      if (notice.uncertain_at !== null) return 'the outcome of the dispatch is unknown';
      return { seconds: UNCERTAIN_SECONDS, uncertain_at: carrier.name };
    }
    if (outcome.final || outcome.unsubscribed) return reason;
  }
  // A round counts only if a carrier was tried.
  if (!wasAsked) return { ...untried(notice), seconds: RESTING_SECONDS };
  const seconds = retrySeconds(app, { rounds: notice.tries, remainingSeconds: notice.remaining_seconds });
  return { seconds, uncertain_at: null };
}

/** A try at which no carrier was asked does not count, because the number of tries must not run over in the days of a notice's life. */
const untried = ({ uncertain_at }: ClaimedNotice) => ({ uncertain_at, is_round: false });

/**
 * The carriers to try, in the operator's order. After an uncertain dispatch, only the carrier that may have accepted the
 * notice, even if an operator has turned it off since.
 */
function carriersFor(app: App, { channel, uncertain_at }: ClaimedNotice): readonly Carrier[] {
  const known = uncertain_at === null ? undefined : app.carriers.find(uncertain_at);
  return known ? [known] : app.carriers.forChannel(channel);
}

async function dispatch(app: App, carrier: Carrier, message: Message): Promise<Outcome | undefined> {
  const leave = app.breakers.admit(carrier, message.channel, app.clock.now());
  if (!leave) return undefined;
  const outcome = await carrier.dispatch(message, NEVER_ABORTED);
  leave.report(outcome, app.clock.now());
  return outcome;
}

function compose({ config }: App, notice: ClaimedNotice, recipient: string, opened: Sealed): Message {
  const { code } = opened;
  const mail = composeMail(config, opened);
  const base = {
    id: notice.id,
    channel: notice.channel,
    recipient,
    code: code ?? '',
    expires_at: new Date(notice.expires_at),
  };
  if (notice.channel === 'sms') return { ...base, text: composeSms(config, mail, code) };
  return { ...base, ...mail, sender_name: mailSenderName(config) };
}
