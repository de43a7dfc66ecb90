/** The rows that a batch of sends reads and writes: `lock_sends` and `record_sends`. */
import type { Channel } from '@sixdigit/contract/channels.ts';
import { attemptsFor } from '@sixdigit/contract/guessing.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { SuppressionReason } from '@sixdigit/contract/suppressions.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { AccountSpending } from '../../credits/credits.ts';
import type { KeySpending } from '../../credits/spend/spend.ts';
import { jsonLiteral, type Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { fromHex, hex, requireKey } from '../../platform/security/vault.ts';
import type { KnownRecipient } from '../../protection/protection.ts';
import { limitsRecipient, type RecipientState, recipientKey, SHARING_MS } from '../code.ts';
import type { DirectBatch, DirectClaim } from '../dispatch/direct.ts';
import type { BatchConnection } from '../group-commit.ts';
import type { Move } from '../plans/step.ts';
import { isKeyed, readFirstRequests, type StoredResponseRow } from '../repeated-requests.ts';
import { type Accepted, codeRecipient, type LockedSends, type OpenOwnCode } from './decision.ts';
import type { SendItem } from './item.ts';
import { insertUsedProofs, selectUsedProofs } from './proof.ts';

const ENDPOINT = API_BASE + sendOtp.path;

interface LockedRows {
  now_ms: number;
  server_key: string | null;
  accounts: AccountRow[] | null;
  keys: (KeySpending & { api_key_id: string })[] | null;
  recipients: RecipientRow[] | null;
  sent_over_all: { recipient_hash: string; sends: number[] }[] | null;
  opted_out: string[] | null;
  known: (KnownRecipient & { account_id: string; hash: string })[] | null;
  suppressed: SuppressedRow[] | null;
  answered: StoredResponseRow[] | null;
  written: string[] | null;
}

interface AccountRow extends AccountSpending {
  account_id: string;
  credits: number;
  debt: number;
  tests_today: number;
}

/** An address of an item and why the account sends nothing to it. */
interface SuppressedRow {
  account_id: string;
  fingerprint: string;
  reason: SuppressionReason;
  since: string;
}

interface RecipientRow {
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
}

/** Begins the transaction, takes the locks in the fixed order and reads the locked state. */
export async function lockSends(
  app: Needs<'config' | 'vault'>,
  connection: BatchConnection,
  items: readonly SendItem[],
  retry: boolean,
): Promise<Omit<LockedSends, 'guard'>> {
  const asked = askedOf(items, retry);
  const own = rowsApart(items.filter(({ own_code }) => own_code));
  const planned = items.flatMap(({ step }) => (step ? [step.otp_id] : []));
  const proofs = items.flatMap(({ proof }) => proof?.used?.id ?? []);
  // Statements after the locks, because their snapshots must be newer.
  const [, reply, ...more] = await connection.script(
    `BEGIN; SELECT lock_sends(${jsonLiteral(asked)}, ${isKeyed(items)}, ${retry}) AS found${
      own.length > 0 ? `; SELECT find_own_codes(${jsonLiteral(own)}) AS found` : ''
    }${planned.length > 0 ? `; ${selectPlans(planned)}` : ''}${proofs.length > 0 ? `; ${selectUsedProofs(proofs)}` : ''}`,
  );
  const ownCodes = own.length > 0 ? more.shift()?.rows[0].found : null;
  const plans = (planned.length > 0 ? more.shift()?.rows : []) as PlanRow[];
  const locked = lockedOf(app, reply?.rows[0].found as LockedRows, ownCodes as OwnCodeRow[] | null);
  const used = (proofs.length > 0 ? more.shift()?.rows : []) as { id: string }[];
  return {
    ...locked,
    plans: new Map(plans.map((plan) => [plan.otp_id, plan])),
    usedProofs: new Set(used.map(({ id }) => id)),
  };
}

interface PlanRow {
  otp_id: string;
  current_id: string;
  is_due: boolean;
}

const selectPlans = (otp_ids: readonly string[]): string =>
  `SELECT p.otp_id, p.current_id, p.run_at <= clock_now() AS is_due FROM plans p
   WHERE p.otp_id = ANY (ARRAY(SELECT i.id::uuid FROM json_array_elements_text(${jsonLiteral(otp_ids)}) AS i (id)))`;

/** Reads the locked state of one send. Its locks end with the transaction. */
export async function readSend(
  app: Needs<'config' | 'vault'>,
  tx: Tx,
  item: SendItem,
): Promise<Omit<LockedSends, 'guard'>> {
  const asked = JSON.stringify(askedOf([item], false));
  const { found } = await tx.one<{ found: LockedRows }>('select lock_sends($1, false, false) as found', [
    asked,
  ]);
  return lockedOf(app, found, null);
}

/** A send of an own code or with a purpose needs two rows of its recipient: that with the limits, and that with the code. */
const askedOf = (items: readonly SendItem[], retry: boolean) => [
  ...items.map((item) => {
    const { account_id, recipient_hash, known_hashes = [], opt_out, suppression, idempotency, id } = item;
    const earlier = known_hashes.filter((hash) => hash !== recipient_hash);
    return {
      account_id,
      recipient: limitsRecipient(item),
      ...(recipient_hash ? { recipient_hash } : {}),
      ...(earlier.length > 0 ? { known: earlier.map((hash) => `\\x${hash}`) } : {}),
      ...(opt_out ? { opt_out } : {}),
      ...(suppression ? { suppression } : {}),
      ...(idempotency ? { idempotency_key: idempotency.key, endpoint: ENDPOINT } : {}),
      ...(retry ? { id } : {}),
    };
  }),
  ...rowsApart(items),
];

/** The rows with codes that are not those with the limits. */
const rowsApart = (items: readonly SendItem[]) =>
  items
    .filter(({ own_code, purpose }) => own_code || purpose)
    .map((item) => ({ account_id: item.account_id, recipient: codeRecipient(item) }));

/** A row of `find_own_codes`. */
interface OwnCodeRow {
  account_id: string;
  /** with the prefix of the row of own codes */
  recipient: string;
  id: string;
  code_hmac: string;
  channel: Channel;
  status: OtpStatus;
  expires_ms: number;
  segments: number | null;
  cost_credits: number;
  language: string | null;
}

function ownCodesOf(rows: readonly OwnCodeRow[]): Map<string, OpenOwnCode[]> {
  const byRow = Map.groupBy(rows, ({ account_id, recipient }) => recipientKey(account_id, recipient));
  return new Map(
    [...byRow].map(([key, some]) => [
      key,
      some.map((row) => ({
        hmac: fromHex(row.code_hmac),
        reply: {
          otp_id: row.id,
          status: row.status,
          expires_at: isoOf(row.expires_ms),
          channel: row.channel,
          recipient: row.recipient.replace(/^(test:)?own:(for:[^:]+:)?/, ''),
          segments: row.segments,
          cost_credits: row.cost_credits,
          ...(row.language ? { language: row.language } : {}),
          own_code: true as const,
          ...(row.recipient.startsWith('test:') ? { test: true as const } : {}),
        },
      })),
    ]),
  );
}

/** Fails if the shared codes may be under a server key that this process lacks. */
function lockedOf(
  app: Needs<'config' | 'vault'>,
  found: LockedRows,
  ownCodes: OwnCodeRow[] | null | undefined,
): Omit<LockedSends, 'guard'> {
  const { config } = app;
  requireKey(app, found.server_key);
  return {
    nowMs: found.now_ms,
    balances: new Map((found.accounts ?? []).map((row) => [row.account_id, row])),
    keySpending: new Map((found.keys ?? []).map((key) => [key.api_key_id, key])),
    recipients: new Map(
      (found.recipients ?? []).map((row) => [recipientKey(row.account_id, row.recipient), recipientOf(row)]),
    ),
    ownCodes: ownCodesOf(ownCodes ?? []),
    sentOverAll: new Map((found.sent_over_all ?? []).map((row) => [row.recipient_hash, row.sends])),
    plans: new Map(),
    optedOut: new Set(found.opted_out ?? []),
    known: new Map((found.known ?? []).map((row) => [recipientKey(row.account_id, row.hash), row])),
    suppressed: new Map(
      (found.suppressed ?? []).map(({ account_id, fingerprint, reason, since }) => [
        `${account_id} ${fingerprint}`,
        { suppressed_for: reason, suppressed_since: since },
      ]),
    ),
    usedProofs: new Set(),
    firstRequests: readFirstRequests(found.answered),
    written: new Set(found.written ?? []),
    limits: {
      perAccount: { per10Min: config.recipientSendsPer10Min, perDay: config.recipientSendsPerDay },
      overAll: { per10Min: config.numberSendsPer10Min, perDay: config.numberSendsPerDay },
    },
  };
}

const recipientOf = (row: RecipientRow): RecipientState => ({
  account_id: row.account_id,
  recipient: row.recipient,
  code:
    row.code_hmac && row.code_sealed && row.code_length
      ? { hmac: fromHex(row.code_hmac), sealed: fromHex(row.code_sealed), length: row.code_length }
      : null,
  first_sent_ms: row.code_first_sent_ms ?? 0,
  open_until_ms: row.open_until_ms ?? 0,
  open_ids: row.open_ids,
  tries_used: row.tries_used,
  sends: row.sends,
  wrong_tries: row.wrong_tries,
  touched: false,
});

interface WrittenSends {
  locked: LockedSends;
  accepted: readonly Accepted[];
  /** repeated sends of own codes */
  duplicates: readonly Answered[];
  claims: DirectBatch['claims'];
}

/** A send with its response, which an `Idempotency-Key` stores. */
type Answered = Pick<Accepted, 'item' | 'reply'>;

/** Writes the verification, ledger, queue, log, recipient and idempotency rows of the accepted sends, and commits. */
export async function writeSends(
  app: Needs<'clock'>,
  connection: BatchConnection,
  { locked, accepted, duplicates, claims }: WrittenSends,
): Promise<void> {
  const rows = jsonLiteral(verificationRows(locked, accepted));
  const begun = plansOf(locked, accepted);
  const columns = columnsOf(sendParts(app, { locked, accepted, claims }));
  const sends = jsonLiteral({ ...columns, ...(begun.length > 0 ? { plans: begun } : {}) });
  const recipients = jsonLiteral(recipientRows(locked));
  const responses = jsonLiteral(responseRows([...accepted, ...duplicates]));
  // Moves first, because they lock verifications before `record_sends` changes them.
  const moves = movesOf(accepted);
  const proofs = accepted.flatMap(({ item }) => item.proof?.used ?? []);
  await connection.script(
    `${moves.length > 0 ? `SELECT advance_plans(${jsonLiteral(moves)}); ` : ''}SELECT record_sends(${rows}, ${sends}, ${recipients}, ${responses}); ${
      proofs.length > 0 ? `${insertUsedProofs(proofs)}; ` : ''
    }COMMIT`,
  );
}

const movesOf = (accepted: readonly Accepted[]): Move[] =>
  accepted.flatMap(({ item: { account_id, id, step } }) =>
    step
      ? [
          {
            account_id,
            otp_id: step.otp_id,
            current_id: id,
            rest: step.rest,
            is_due: step.is_due,
            steps: step.steps,
            changes: step.changes,
          },
        ]
      : [],
  );

/** The rows of plans that have a step left. */
const plansOf = ({ nowMs }: LockedSends, accepted: readonly Accepted[]) =>
  accepted.flatMap(({ item: { account_id, id, plan }, code, expires_ms }) =>
    plan && plan.rest.length > 0
      ? [
          {
            otp_id: id,
            account_id,
            rest: plan.rest,
            wait_seconds: plan.wait_seconds,
            sealed: hex(code.sealed),
            run_at: isoOf(Math.min(expires_ms, nowMs + plan.wait_seconds * 1000)),
            expires_at: isoOf(expires_ms),
          },
        ]
      : [],
  );

const isoOf = (ms: number): string => new Date(ms).toISOString();

function verificationRows({ nowMs }: LockedSends, accepted: readonly Accepted[]) {
  const created_at = isoOf(nowMs);
  return accepted.map(({ item, code, reply }) => ({
    ...item.row,
    id: item.id,
    status: reply.status,
    code_length: code.length,
    max_attempts: attemptsAllowed(item, code.length),
    code_hmac: hex(code.hmac),
    created_at,
    expires_at: reply.expires_at,
    ip_address: item.ip_address ?? undefined,
    known: item.known,
  }));
}

/** More attempts are for the length that the send asked for. It can share a shorter code. */
const attemptsAllowed = ({ row, code_length }: SendItem, length: number): number | undefined =>
  row.max_attempts === undefined || length >= code_length
    ? row.max_attempts
    : Math.min(row.max_attempts, attemptsFor(length));

/** What else `record_sends` needs of each send. */
function sendParts(
  app: Needs<'clock'>,
  { locked, accepted, claims }: Omit<WrittenSends, 'duplicates'>,
): Record<string, unknown>[] {
  const nowMs = app.clock.now().getTime();
  return accepted.map(({ item, code }) => ({
    code_sealed: hex(code.sealed),
    recipient_hash: item.recipient_hash === null ? undefined : `\\x${item.recipient_hash}`,
    limits_key: locked.keySpending.has(item.api_key_id) || undefined,
    log_id: item.log_id ?? undefined,
    endpoint: item.endpoint,
    status: item.resend && statusOf(item),
    ms: Math.max(0, nowMs - item.started_ms),
    ...claimOf(claims.get(item.id)),
  }));
}

/** The values of each field in an array, which PostgreSQL parses faster. Fields that no element has are omitted. */
function columnsOf(elements: readonly Record<string, unknown>[]): Record<string, unknown[]> {
  const names = new Set(elements.flatMap(Object.keys));
  const columns = [...names].map((name) => [name, elements.map((one) => one[name] ?? null)] as const);
  return Object.fromEntries(columns.filter(([, values]) => values.some((value) => value !== null)));
}

const claimOf = (direct: DirectClaim | undefined) =>
  direct ? { worker_id: direct.worker_id, claim: direct.claim, carrier: direct.carrier } : {};

const recipientRows = (locked: LockedSends) =>
  [...locked.recipients.values()]
    .filter((state) => state.touched)
    .map((state) => ({
      account_id: state.account_id,
      recipient: state.recipient,
      code_hmac: state.code && hex(state.code.hmac),
      code_sealed: state.code && hex(state.code.sealed),
      code_length: state.code?.length ?? null,
      code_first_sent_at: isoOf(state.first_sent_ms),
      code_until: isoOf(Math.min(state.open_until_ms, state.first_sent_ms + SHARING_MS)),
      open_until: isoOf(state.open_until_ms),
      open_ids: state.open_ids,
      tries_used: state.tries_used,
      sends: state.sends,
    }));

/** Of a successful response. */
export const statusOf = ({ resend }: Pick<SendItem, 'resend'>): number =>
  (resend ? resendOtp : sendOtp).status;

const responseRows = (answered: readonly Answered[]) =>
  answered.flatMap(({ item, reply }) =>
    item.idempotency
      ? [
          {
            account_id: item.account_id,
            endpoint: ENDPOINT,
            key: item.idempotency.key,
            request: item.idempotency.request,
            status: statusOf(item),
            response: reply,
          },
        ]
      : [],
  );
