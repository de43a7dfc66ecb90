import { factsOf } from '@sixdigit/contract/channels.ts';
import { laterProgramOf } from '../../api-keys/api-keys.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { OtpApp } from '../call.ts';
import { applyChanges, type Change, countEnds, countedEventOf, type EndedSend } from '../change.ts';
import { stateRecipientsOf } from '../code.ts';
import { lockRecipients, lockVerifications } from '../queries.ts';
import { sendInBatch } from '../send/batch.ts';
import { type SendItem, sendItem } from '../send/item.ts';
import { type Program, wordingFor } from '../send/wording.ts';
import { advancePlans, deletePlan, findPlan, isDue, type PlannedRow, selectMessages } from './queries.ts';
import type { StartedStep, StepText, StoredStep } from './step.ts';

export type NextApp = Omit<OtpApp, 'metrics'>;

/** Why a step starts. */
export type Because = 'failed' | 'timeout' | 'requested';

/** What the plan will be after some of its steps were skipped. */
export interface Progress {
  steps: readonly StoredStep[];
  rest: readonly StepText[];
  changes: readonly Change[];
}

export const progressOf = ({ steps, rest }: PlannedRow): Progress => ({ steps, rest, changes: [] });

const BECAUSE: Record<Because, string> = {
  failed: 'the message before it failed',
  timeout: 'the message before it was not confirmed in time',
  requested: 'it was requested',
};

const changeOf = (
  { account_id, otp_id: id }: PlannedRow,
  step: NonNullable<Change['step']>,
  note: string,
): Change => ({ account_id, id, allowed: ['pending', 'sent'], event: 'step', step, note });

/** Without the step of this channel, which starts with the message `id`, or is skipped. */
const without = (progress: Progress, channel: string, now: Pick<StoredStep, 'id' | 'skipped' | 'at'>) => ({
  steps: progress.steps.map((step) =>
    step.channel === channel && !step.id && !step.skipped ? { ...step, ...now } : step,
  ),
  rest: progress.rest.filter((step) => step.channel !== channel),
});

export function skip(
  app: Pick<NextApp, 'clock'>,
  plan: PlannedRow,
  progress: Progress,
  { channel, reason }: { channel: StepText['channel']; reason: string },
): Progress {
  const at = app.clock.now().toISOString();
  const note = `${factsOf(channel).label} skipped: ${reason.replaceAll('_', ' ')}`;
  return {
    ...without(progress, channel, { skipped: reason, at }),
    changes: [...progress.changes, changeOf(plan, { channel, status: 'skipped', reason }, note)],
  };
}

/** The account's own text may have changed since the send, and the price is that of the text which the recipient gets. */
const textToday = async (
  app: NextApp,
  program: Program,
  { recipient, code_length }: Pick<PlannedRow, 'recipient' | 'code_length'>,
  { channel, ...text }: StepText,
): Promise<Omit<StepText, 'channel'>> => {
  if (text.message !== undefined) return text;
  const body = { channel, recipient, locale: text.language };
  return { ...text, ...(await wordingFor(app, program, body, { country: null, code_length })) };
};

type StepItem = Awaited<ReturnType<typeof sendItem>> & Required<Pick<SendItem, 'resend' | 'step'>>;

/** The message of a step, which repeats the code of the plan. Throws field errors if it cannot be sent today. */
export async function stepItem(
  app: NextApp,
  program: Program,
  plan: OpenPlan,
  { text, progress, because, client_ip }: StepStart,
): Promise<StepItem> {
  const { channel } = text;
  const { segments, ...wording } = await textToday(app, program, plan, text);
  const expires_ms = Date.parse(plan.expires_at);
  const item = await sendItem(
    app,
    program,
    {
      channel,
      recipient: plan.recipient,
      purpose: plan.purpose ?? undefined,
      metadata: plan.metadata ?? undefined,
      client_ip: client_ip ?? plan.client_ip ?? undefined,
    },
    { text: { segments, ...wording } },
  );
  const { label } = factsOf(channel);
  const started = changeOf(
    plan,
    { channel, status: 'pending', reason: because },
    `${label}: ${BECAUSE[because]}`,
  );
  const step: StartedStep = {
    otp_id: plan.otp_id,
    after_id: plan.current_id,
    is_due: because !== 'requested',
    code: { hmac: plan.code_hmac, sealed: plan.sealed, length: plan.code_length },
    ...without(progress, channel, { id: item.id }),
    changes: [...progress.changes, started],
  };
  const place = plan.steps.findIndex((one) => one.channel === channel) + 1;
  return {
    ...item,
    row: {
      ...item.row,
      max_attempts: plan.max_attempts ?? undefined,
      resend_of: plan.otp_id,
      plan: { step: place },
    },
    expires_in: Math.max(1, Math.ceil((expires_ms - app.clock.now().getTime()) / 1000)),
    resend: { otp_id: plan.otp_id, hmac: plan.code_hmac, expires_ms },
    step,
  };
}

interface StepStart {
  text: StepText;
  progress: Progress;
  because: Because;
  client_ip?: string | undefined;
}

/** Whose code can still be entered. */
export type OpenPlan = PlannedRow & { code_hmac: Buffer };

export const isOpen = (plan: PlannedRow): plan is OpenPlan =>
  plan.code_hmac !== null &&
  plan.closed_by === null &&
  !plan.is_expired &&
  (plan.status === 'pending' || plan.status === 'sent');

/**
 * Starts the next step of a due plan, and skips those that cannot start. The batch decides under the locks that verifies and
 * cancels take, so a step starts at most once and never after the end. Returns `over` if the plan has ended.
 */
export async function startNext(
  app: NextApp,
  { account_id, id }: { account_id: string; id: string },
): Promise<'over' | 'moved'> {
  const plan = await findPlan(app.db, account_id, id);
  if (!plan || !isOpen(plan)) return 'over';
  const program = await laterProgramOf(app.db, account_id, plan.api_key_id, plan.is_test);
  let progress = progressOf(plan);
  for (const text of plan.rest) {
    const reason = program ? await startOrReason(app, program, plan, { text, progress }) : 'api_key_unusable';
    if (reason === 'over' || reason === 'moved') return reason;
    progress = skip(app, plan, progress, { channel: text.channel, reason });
  }
  return settle(app, plan, progress);
}

/** Why a step cannot be sent to its recipient today. */
export const reasonFor = (app: Pick<NextApp, 'carriers'>, { channel }: StepText): string =>
  app.carriers.has(channel) ? 'recipient_refused' : 'channel_unavailable';

async function startOrReason(
  app: NextApp,
  program: Program,
  plan: OpenPlan,
  { text, progress }: Pick<StepStart, 'text' | 'progress'>,
): Promise<string> {
  const item = await stepItem(app, program, plan, { text, progress, because: plan.ended_by }).catch(
    (error: unknown) => {
      if (error instanceof FieldErrors) return undefined;
      throw error;
    },
  );
  if (!item) return reasonFor(app, text);
  if (await app.plans.isUnreachable(item)) return 'unreachable';
  const outcome = await sendInBatch(app, {
    ...item,
    log_id: null,
    ip_address: null,
    idempotency: null,
    started_ms: app.clock.now().getTime(),
  });
  switch (outcome.kind) {
    case 'accepted':
      if (!program.is_test) app.activity.count('send');
      return 'moved';
    case 'step_taken':
      return 'moved';
    case 'otp_closed':
    case 'otp_expired':
      return 'over';
    case 'invalid':
      return reasonFor(app, text);
    default:
      return outcome.kind;
  }
}

/** No step is left. The verification fails if every message has, and otherwise waits for its code. */
async function settle(app: NextApp, plan: PlannedRow, progress: Progress): Promise<'over' | 'moved'> {
  const { account_id, otp_id } = plan;
  const ended: EndedSend[] = [];
  const outcome = await app.db.transaction(async (tx) => {
    await lockRecipients(tx, account_id, stateRecipientsOf(plan));
    if (!(await isDue(tx, plan))) return 'moved';
    const ids = (await selectMessages(tx, account_id, otp_id)).map(({ id }) => id);
    await lockVerifications(tx, ids);
    const messages = await selectMessages(tx, account_id, otp_id);
    const first = messages.find(({ id, is_open }) => id === otp_id && is_open);
    if (!first) return 'over';
    const { steps, rest, changes } = progress;
    await advancePlans(tx, [{ account_id, otp_id, current_id: null, rest, is_due: true, steps, changes }]);
    const failures = messages.flatMap(({ failure, delivered_at }) =>
      failure !== null && delivered_at === null ? [failure] : [],
    );
    if (failures.length < messages.length) return 'moved';
    await deletePlan(tx, otp_id);
    const failure = failures.at(-1) as string;
    const [changed] = await applyChanges(tx, [
      {
        account_id,
        id: otp_id,
        allowed: ['pending', 'sent'],
        to: 'failed',
        event: 'failed',
        failure,
        note: failure,
      },
    ]);
    // The later messages were counted when they failed. The first one's credit was refunded then.
    const event = changed && countedEventOf({ ...changed, refunded: true }, first.is_sent);
    if (event) ended.push({ ...plan, id: otp_id, event });
    return 'over';
  });
  countEnds(app.protection.guard, app.clock.now().getTime(), ended);
  if (ended.length > 0) app.wakeups.notify('webhooks');
  return outcome;
}
