/** The rows that a batch of verifies reads and writes: `lock_verifies` and `write_verifies`. */
import { verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { CONFIRM, jsonLiteral } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { fromHex, hex, requireKey } from '../../platform/security/vault.ts';
import { type Known, type Protection, recipientHash } from '../../protection/protection.ts';
import { changesTogether } from '../change.ts';
import { recipientKey } from '../code.ts';
import { noteFeedback } from '../feedback.ts';
import type { BatchConnection } from '../group-commit.ts';
import { isKeyed, readFirstRequests, type StoredResponseRow } from '../repeated-requests.ts';
import {
  isComparison,
  type LockedVerifies,
  type VerificationState,
  type VerifyItem,
  type VerifyResult,
} from './decision.ts';
import { responseTo } from './response.ts';

type FeedbackApp = { carriers: Pick<Carriers, 'feedback'> };

const ENDPOINT = API_BASE + verifyOtp.path;

interface LockedRows {
  now_ms: number;
  server_key: string | null;
  verifications: VerificationRow[] | null;
  recipients:
    | {
        account_id: string;
        recipient: string;
        open_ids: string[];
        tries_used: number;
        wrong_tries: number[];
      }[]
    | null;
  siblings: VerificationRow[] | null;
  answered: StoredResponseRow[] | null;
}

interface VerificationRow {
  account_id: string;
  id: string;
  recipient: string;
  is_test: boolean;
  own_code: boolean;
  known: Known | null;
  purpose: string | null;
  max_attempts: number | null;
  resend_of: string | null;
  channel?: string;
  status: VerificationState['status'];
  closed_by?: VerificationState['closed_by'];
  code_hmac: string | null;
  code_length: number;
  client_ip: string | null;
  expires_ms: number;
}

/** Begins the transaction, locks the recipients and reads the locked state. Fails if its codes may be under an unknown server key. */
export async function lockVerifies(
  app: Needs<'vault'> & FeedbackApp,
  connection: BatchConnection,
  items: readonly VerifyItem[],
): Promise<LockedVerifies> {
  const asked = items.map(({ account_id, otp_id, idempotency }) => ({
    account_id,
    otp_id,
    ...(idempotency ? { idempotency_key: idempotency.key, endpoint: ENDPOINT } : {}),
  }));
  const [, reply] = await connection.script(
    `BEGIN; SELECT lock_verifies(${jsonLiteral(asked)}, ${isKeyed(items)}) AS found`,
  );
  const found = reply?.rows[0].found as LockedRows;
  requireKey(app, found.server_key);
  return {
    nowMs: found.now_ms,
    verifications: new Map(
      [...(found.siblings ?? []), ...(found.verifications ?? [])].map((row) => [
        recipientKey(row.account_id, row.id),
        verificationOf(row),
      ]),
    ),
    recipients: new Map(
      (found.recipients ?? []).map((row) => [
        recipientKey(row.account_id, row.recipient),
        {
          account_id: row.account_id,
          recipient: row.recipient,
          open_ids: row.open_ids,
          tries_used: row.tries_used,
          wrong_tries: row.wrong_tries,
          touched: false,
        },
      ]),
    ),
    firstRequests: readFirstRequests(found.answered),
    changes: [],
    rightCodes: app.carriers.feedback().length > 0 ? [] : undefined,
  };
}

const verificationOf = (row: VerificationRow): VerificationState => ({
  account_id: row.account_id,
  id: row.id,
  recipient: row.recipient,
  is_test: row.is_test,
  own_code: row.own_code,
  known: row.known,
  purpose: row.purpose,
  max_attempts: row.max_attempts,
  resend_of: row.resend_of,
  channel: row.channel ?? null,
  status: row.status,
  closed_by: row.closed_by ?? null,
  hmac: row.code_hmac ? fromHex(row.code_hmac) : null,
  code_length: row.code_length,
  client_ip: row.client_ip ?? null,
  expires_ms: row.expires_ms,
});

/** Writes tries, changes, idempotent responses and log rows, and commits. */
export async function writeVerifies(
  app: Needs<'clock' | 'vault'> & FeedbackApp & { protection: Pick<Protection, 'guard'> },
  connection: BatchConnection,
  batch: { locked: LockedVerifies; items: readonly VerifyItem[]; results: readonly VerifyResult[] },
): Promise<void> {
  const { logs, responses } = comparisonRows(app, batch);
  const recipients = jsonLiteral(recipientRows(app, batch.locked));
  const changes = jsonLiteral(changesTogether(batch.locked.changes));
  const feedback = noteFeedback(app, batch.locked.rightCodes ?? [], app.carriers.feedback());
  await connection.script(
    `SELECT write_verifies(${recipients}, ${changes}, ${jsonLiteral(responses)}, ${jsonLiteral(logs)}); ${feedback}COMMIT`,
  );
}

/**
 * One log row per comparison, and its response if the request has an idempotency key. Other outcomes go to the buffered request
 * log.
 */
function comparisonRows(
  app: Needs<'clock'>,
  { items, results }: { items: readonly VerifyItem[]; results: readonly VerifyResult[] },
) {
  const nowMs = app.clock.now().getTime();
  const logs: object[] = [];
  const responses: object[] = [];
  items.forEach((item, n) => {
    const { outcome, about } = results[n] as VerifyResult;
    if (!isComparison(outcome)) return;
    const { status, body, reason } = responseTo(outcome);
    logs.push({
      account_id: item.account_id,
      id: item.log_id,
      api_key_id: item.api_key_id,
      status,
      ms: Math.max(0, nowMs - item.started_ms),
      channel: about?.channel ?? null,
      recipient: about?.recipient ?? null,
      otp_id: about?.otp_id ?? null,
      ip_address: item.ip_address,
      reason,
    });
    if (item.idempotency)
      responses.push({
        account_id: item.account_id,
        endpoint: ENDPOINT,
        key: item.idempotency.key,
        request: item.idempotency.request,
        status,
        response: body,
      });
  });
  return { logs, responses };
}

const recipientRows = (app: Parameters<typeof writeVerifies>[0], locked: LockedVerifies) =>
  [...locked.recipients.values()]
    .filter((state) => state.touched)
    .map((state) => ({
      account_id: state.account_id,
      recipient: state.recipient,
      tries_used: state.tries_used,
      open_ids: state.open_ids,
      // If absent, the row is unchanged.
      ...(state.wrong_tries.length > 0 ? { wrong_tries: state.wrong_tries } : {}),
      ...(state.verified !== undefined && app.protection.guard.policyOf(state.account_id).known_days > 0
        ? { known: hex(recipientHash(app, state.verified)) }
        : {}),
    }));

/** The results of an earlier attempt at the batch, if its log rows show that it committed. */
export async function committedResults(
  connection: BatchConnection,
  items: readonly VerifyItem[],
): Promise<VerifyResult[] | undefined> {
  const decided = items.map((item) => item.decided);
  if (!decided.every((result) => result !== undefined)) return undefined;
  const compared = items.filter(({ decided: result }) => result && isComparison(result.outcome));
  // The earlier attempt wrote no row, so the batch can be decided again.
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
