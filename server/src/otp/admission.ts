import { CONFIRM, type Connection, isDatabaseUnavailable, jsonLiteral } from '../platform/db/sql.ts';
import { fromHex, hex } from '../platform/hex.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher } from '../platform/queue/batcher.ts';
import { queueLimits } from '../platform/queue/queue-limits.ts';
import { mintCode } from './code.ts';
import {
  type Accepted,
  decideSend,
  idempotencyKey,
  type LockedSends,
  type RecipientState,
  recipientKey,
  type SendItem,
  type SendOutcome,
  SHARING_MS,
} from './send-decision.ts';
import {
  decideVerify,
  isLoggedWithBatch,
  type LockedVerifies,
  type VerifyItem,
  type VerifyOutcome,
} from './verify-decision.ts';

/**
 * Admission in batches (group commit). A batch is one transaction with two round trips: lock and read the rows, decide here
 * in order of arrival, then write everything and commit. No response is sent before its commit.
 */
export interface Otp {
  send(item: SendItem): Promise<SendOutcome>;
  verify(item: VerifyItem): Promise<VerifyOutcome>;
  idle(): Promise<void>;
}

export const SEND_ENDPOINT = '/api/v1/otp/send/';
export const VERIFY_ENDPOINT = '/api/v1/otp/verify/';
const MAX_SEND_BATCH = 256;
const MAX_VERIFY_BATCH = 256;

type App = Needs<'db' | 'clock' | 'random' | 'vault' | 'wakeups' | 'config' | 'log'>;

const isoOf = (ms: number): string => new Date(ms).toISOString();

export function createOtp(app: App): Otp {
  const sends: Batcher<SendItem, SendOutcome> = batcher({
    run: (items) => persistently(app, (connection, retry) => admitSends(app, connection, items, retry)),
    most: MAX_SEND_BATCH,
    isOutage: isDatabaseUnavailable,
    queueLimits,
  });
  const verifies: Batcher<VerifyItem, VerifyOutcome> = batcher({
    run: (items) => persistently(app, (connection, retry) => admitVerifies(app, connection, items, retry)),
    most: MAX_VERIFY_BATCH,
    isOutage: isDatabaseUnavailable,
    queueLimits,
  });
  return {
    send: (item) => sends.submit(item),
    verify: (item) => verifies.submit(item),
    async idle() {
      await sends.idle();
      await verifies.idle();
    },
  };
}

/** Runs a batch. After a lost connection, whose commit is uncertain, or a conflict, runs it once more with the same ids. */
async function persistently<T>(
  app: App,
  run: (connection: Connection, retry: boolean) => Promise<T>,
): Promise<T> {
  for (let retry = false; ; retry = true) {
    const connection = await app.db.connection();
    try {
      const result = await run(connection, retry);
      await connection[Symbol.asyncDispose]();
      return result;
    } catch (error) {
      const away = isDatabaseUnavailable(error);
      if (away) connection.destroy();
      else {
        await connection.script('ROLLBACK').catch(() => connection.destroy());
        await connection[Symbol.asyncDispose]();
      }
      if (retry || !(away || isSerialisation(error))) throw error;
    }
  }
}

const isSerialisation = (error: unknown): boolean => {
  const code = (error as { code?: unknown }).code;
  return code === '40P01' || code === '40001' || code === '23505';
};

const isKeyed = (items: readonly { idempotency: unknown }[]): boolean =>
  items.some(({ idempotency }) => idempotency !== null);

// ── sends ──

interface LockedSendRows {
  now_ms: number;
  accounts: { account_id: string; credits: number; debt: number }[] | null;
  recipients:
    | {
        account_id: string;
        recipient: string;
        code_hmac: string | null;
        code_sealed: string | null;
        code_length: number | null;
        code_first_sent_ms: number | null;
        open_until_ms: number | null;
        open_ids: string[];
        tries_used: number;
        sends: number[];
        wrong_tries: number[];
      }[]
    | null;
  sent_over_all: { recipient_hash: string; sends: number[] }[] | null;
  opted_out: string[] | null;
  answered:
    | { account_id: string; key: string; request: string; status: number | null; response: unknown }[]
    | null;
  written: string[] | null;
}

const answeredMap = (rows: LockedSendRows['answered']) =>
  new Map(
    (rows ?? []).map((row) => [
      idempotencyKey(row.account_id, row.key),
      { request: row.request, status: row.status, body: row.response },
    ]),
  );

function readLockedSends(app: App, found: LockedSendRows): LockedSends {
  const { config } = app;
  return {
    nowMs: found.now_ms,
    balances: new Map((found.accounts ?? []).map((row) => [row.account_id, row])),
    recipients: new Map(
      (found.recipients ?? []).map((row): [string, RecipientState] => [
        recipientKey(row.account_id, row.recipient),
        {
          account_id: row.account_id,
          recipient: row.recipient,
          code:
            row.code_hmac && row.code_sealed && row.code_length
              ? { hmac: fromHex(row.code_hmac), sealed: fromHex(row.code_sealed), length: row.code_length }
              : null,
          firstSentMs: row.code_first_sent_ms ?? 0,
          openUntilMs: row.open_until_ms ?? 0,
          openIds: row.open_ids,
          triesUsed: row.tries_used,
          sends: row.sends,
          wrongTries: row.wrong_tries,
          touched: false,
        },
      ]),
    ),
    sentOverAll: new Map((found.sent_over_all ?? []).map((row) => [row.recipient_hash, row.sends])),
    optedOut: new Set(found.opted_out ?? []),
    answered: answeredMap(found.answered),
    written: new Set(found.written ?? []),
    limits: {
      perAccount: { per10Min: config.recipientSendsPer10Min, perDay: config.recipientSendsPerDay },
      overAll: { per10Min: config.numberSendsPer10Min, perDay: config.numberSendsPerDay },
    },
  };
}

export async function admitSends(
  app: App,
  connection: Pick<Connection, 'script'>,
  items: readonly SendItem[],
  retry: boolean,
): Promise<SendOutcome[]> {
  const asked = items.map(({ account_id, recipient, recipient_hash, opt_out, idempotency, id }) => ({
    account_id,
    recipient,
    recipient_hash,
    ...(opt_out ? { opt_out } : {}),
    ...(idempotency ? { idempotency_key: idempotency.key, endpoint: SEND_ENDPOINT } : {}),
    ...(retry ? { id } : {}),
  }));
  const [, reply] = await connection.script(
    `BEGIN; SELECT lock_sends(${jsonLiteral(asked)}, ${isKeyed(items)}, ${retry}) AS found`,
  );
  const locked = readLockedSends(app, reply?.rows[0].found as LockedSendRows);

  const accepted: Accepted[] = [];
  const outcomes = items.map((item) => {
    const decision = decideSend(locked, item, (fresh) => mintCode(app, fresh, fresh.code_length));
    if (decision.accepted) {
      accepted.push(decision.accepted);
      item.decided = decision.accepted.reply;
    }
    return decision.outcome;
  });
  if (accepted.length === 0) {
    await connection.script(outcomes.every(({ kind }) => kind === 'refused') ? 'ROLLBACK' : CONFIRM);
    return outcomes;
  }
  await connection.script(
    `SELECT write_sends(${jsonLiteral(sendRows(app, locked, accepted))}, ${jsonLiteral(recipientRows(locked))}, ${jsonLiteral(answerRows(accepted))}); COMMIT`,
  );
  app.wakeups.notify('deliveries');
  return outcomes;
}

function sendRows(app: App, locked: LockedSends, accepted: readonly Accepted[]) {
  const at = isoOf(locked.nowMs);
  const nowMs = app.clock.now().getTime();
  return accepted.map(({ item, code, reply }) => ({
    account_id: item.account_id,
    id: item.id,
    api_key_id: item.api_key_id,
    channel: item.channel,
    recipient: item.recipient,
    recipient_hash: item.recipient_hash,
    message: item.message,
    subject: item.subject,
    segments: item.segments,
    code_length: code.length,
    code_hmac: hex(code.hmac),
    code_sealed: hex(code.sealed),
    at,
    expires_at: reply.expires_at,
    ledger_id: item.ledger_id,
    log_id: item.log_id,
    ip_address: item.ip_address,
    ms: Math.max(0, nowMs - item.startedMs),
  }));
}

const recipientRows = (locked: LockedSends) =>
  [...locked.recipients.values()]
    .filter((state) => state.touched)
    .map((state) => ({
      account_id: state.account_id,
      recipient: state.recipient,
      code_hmac: state.code && hex(state.code.hmac),
      code_sealed: state.code && hex(state.code.sealed),
      code_length: state.code?.length ?? null,
      code_first_sent_at: isoOf(state.firstSentMs),
      code_until: isoOf(Math.min(state.openUntilMs, state.firstSentMs + SHARING_MS)),
      open_until: isoOf(state.openUntilMs),
      open_ids: state.openIds,
      tries_used: state.triesUsed,
      sends: state.sends,
    }));

const answerRows = (accepted: readonly Accepted[]) =>
  accepted.flatMap(({ item, reply }) =>
    item.idempotency
      ? [
          {
            account_id: item.account_id,
            endpoint: SEND_ENDPOINT,
            key: item.idempotency.key,
            request: item.idempotency.request,
            status: 201,
            response: reply,
          },
        ]
      : [],
  );

// ── verifies ──

interface LockedVerifyRows {
  now_ms: number;
  verifications: LockedVerification[] | null;
  recipients:
    | {
        account_id: string;
        recipient: string;
        open_ids: string[];
        tries_used: number;
        wrong_tries: number[];
      }[]
    | null;
  siblings: LockedVerification[] | null;
  answered: LockedSendRows['answered'];
}

interface LockedVerification {
  account_id: string;
  id: string;
  recipient: string;
  channel?: string;
  status: 'pending' | 'sent' | 'verified' | 'failed' | 'expired';
  closed_by?: 'canceled' | 'superseded' | 'attempts' | null;
  code_hmac: string | null;
  code_length: number;
  expires_ms: number;
}

function readLockedVerifies(found: LockedVerifyRows): LockedVerifies {
  const rows = [...(found.siblings ?? []), ...(found.verifications ?? [])];
  return {
    nowMs: found.now_ms,
    verifications: new Map(
      rows.map((row) => [
        recipientKey(row.account_id, row.id),
        {
          account_id: row.account_id,
          id: row.id,
          recipient: row.recipient,
          channel: row.channel ?? null,
          status: row.status,
          closedBy: row.closed_by ?? null,
          hmac: row.code_hmac ? fromHex(row.code_hmac) : null,
          codeLength: row.code_length,
          expiresMs: row.expires_ms,
        },
      ]),
    ),
    recipients: new Map(
      (found.recipients ?? []).map((row) => [
        recipientKey(row.account_id, row.recipient),
        {
          account_id: row.account_id,
          recipient: row.recipient,
          openIds: row.open_ids,
          triesUsed: row.tries_used,
          wrongTries: row.wrong_tries,
          touched: false,
        },
      ]),
    ),
    answered: answeredMap(found.answered),
    changes: [],
  };
}

export async function admitVerifies(
  app: App,
  connection: Pick<Connection, 'script'>,
  items: readonly VerifyItem[],
  retry: boolean,
): Promise<VerifyOutcome[]> {
  const asked = items.map(({ account_id, otp_id, idempotency }) => ({
    account_id,
    otp_id,
    ...(idempotency ? { idempotency_key: idempotency.key, endpoint: VERIFY_ENDPOINT } : {}),
  }));
  const [, reply] = await connection.script(
    `BEGIN; SELECT lock_verifies(${jsonLiteral(asked)}, ${isKeyed(items)}) AS found`,
  );
  if (retry) {
    const before = await answeredBefore(connection, items);
    if (before) return before;
  }
  const locked = readLockedVerifies(reply?.rows[0].found as LockedVerifyRows);
  const outcomes = items.map((item) => decideVerify(app, locked, item));

  const nowMs = app.clock.now().getTime();
  const logs = items.flatMap((item, n) => {
    const outcome = outcomes[n] as VerifyOutcome;
    const verification = locked.verifications.get(recipientKey(item.account_id, item.otp_id));
    if (verification) {
      const { id: otp_id, recipient, channel } = verification;
      outcome.about = { otp_id, recipient, channel };
    }
    // Refusals without changes go to the request log, which merges those of the same second.
    if (!isLoggedWithBatch(outcome)) return [];
    return {
      account_id: item.account_id,
      id: item.log_id,
      api_key_id: item.api_key_id,
      status: outcome.status,
      ms: Math.max(0, nowMs - item.startedMs),
      channel: verification?.channel ?? null,
      recipient: verification?.recipient ?? null,
      otp_id: verification?.id ?? null,
      ip_address: item.ip_address,
      reason: outcome.reason,
    };
  });
  const touched = [...locked.recipients.values()].filter((state) => state.touched);
  const recipientRows = touched.map((state) => ({
    account_id: state.account_id,
    recipient: state.recipient,
    tries_used: state.triesUsed,
    open_ids: state.openIds,
    wrong_tries: state.wrongTries,
  }));
  const answers = items.flatMap((item, n) => {
    const outcome = outcomes[n] as VerifyOutcome;
    if (!item.idempotency || outcome.replayed || !outcome.isComparison) return [];
    return [
      {
        account_id: item.account_id,
        endpoint: VERIFY_ENDPOINT,
        key: item.idempotency.key,
        request: item.idempotency.request,
        status: outcome.status,
        response: outcome.body,
      },
    ];
  });
  try {
    await connection.script(
      `SELECT write_verifies(${jsonLiteral(recipientRows)}, ${jsonLiteral(locked.changes)}, ${jsonLiteral(answers)}, ${jsonLiteral(logs)}); COMMIT`,
    );
  } catch (error) {
    if (isDatabaseUnavailable(error))
      items.forEach((item, n) => {
        item.decided ??= outcomes[n] as VerifyOutcome;
      });
    throw error;
  }
  if (locked.changes.length > 0) app.wakeups.notify('webhooks');
  return outcomes;
}

/** The decisions of an earlier attempt at the batch, if its log rows show that it did commit. */
async function answeredBefore(
  connection: Pick<Connection, 'script'>,
  items: readonly VerifyItem[],
): Promise<VerifyOutcome[] | undefined> {
  const decided = items.map((item) => item.decided);
  if (!decided.every((outcome) => outcome !== undefined)) return undefined;
  const compared = items.filter(({ decided: outcome }) => outcome && isLoggedWithBatch(outcome));
  // No row was written, so deciding again repeats nothing.
  if (compared.length === 0) return undefined;
  const rows = jsonLiteral(compared.map(({ account_id, log_id }) => ({ account_id, log_id })));
  const [found] = await connection.script(
    `SELECT count(*)::integer AS n FROM json_to_recordset(${rows}) AS i (account_id uuid, log_id uuid)
     JOIN request_logs l ON l.account_id = i.account_id AND l.id = i.log_id`,
  );
  if (found?.rows[0].n !== compared.length) return undefined;
  await connection.script(CONFIRM);
  return decided;
}
