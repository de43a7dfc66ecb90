import { resendOtp, type sendOtp } from '@sixdigit/contract/otp.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import type { FastifyRequest } from 'fastify';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { countSend, giveBack } from '../../limits/limits.ts';
import { type Decided, Replied } from '../../platform/http/answer.ts';
import { Failure } from '../../platform/http/failure.ts';
import { pathOf } from '../../platform/http/serve.ts';
import { type Call, circumstancesOf, idempotencyOfMode, type OtpApp, replayed } from '../call.ts';
import { sendInBatch } from './batch.ts';
import { type SendItem, type SendProof, sendItem } from './item.ts';
import { proofRefusal } from './proof.ts';
import { statusOf } from './rows.ts';
import { type SendBody, type UsedTemplate, usedTemplate } from './wording.ts';

/** The credits left before the nearest spend limit. */
const SPEND_LEFT = 'X-Spend-Limit-Remaining';

const OWN_CODE_SCOPE = 'otp:own_code';

/** Throws `missing_scope` unless the key may send codes that its owner has made. */
function requireOwnCodes({ scopes }: ApiCaller): void {
  if (scopes.includes(OWN_CODE_SCOPE)) return;
  const error = `API key lacks the scope ${OWN_CODE_SCOPE}`;
  throw new Failure('missing_scope', { error, scope: OWN_CODE_SCOPE });
}

export interface SendCall extends Call<SendBody> {
  /** An operator repeats the send, so the request's address and idempotency key are not recorded for the account. */
  isByOperator?: boolean;
  proof?: SendProof | undefined;
  /** The message is that of an earlier send. */
  template?: UsedTemplate;
  /**
   * In the form of another system: the id for the log, and the system's own id of the message, which stands for an
   * `Idempotency-Key`. A caller that has stored the id of the verification before passes it: a time-ordered one of this moment.
   * `limits_of`: the service of Twilio Verify's calls whose limits the send names, instead of the account's.
   */
  inbound?: { log_id: string; message_id: string | null; otp_id?: string; limits_of?: string };
}

/** The path for the log, unless the request is one of the API, all of which stand for `POST /otp/send/`. */
const endpointOf = (request: FastifyRequest): { endpoint?: string } =>
  [undefined, resendOtp].includes(request.routeOptions.config.contract as typeof resendOtp | undefined)
    ? { endpoint: pathOf(request) }
    : {};

/** Systems send no `Idempotency-Key`. */
const keyed = (call: Call<object>, inbound: SendCall['inbound']) =>
  inbound
    ? {
        body: call.body,
        request: { headers: inbound.message_id === null ? {} : { 'idempotency-key': inbound.message_id } },
      }
    : call;

/**
 * Sends a code with the key of `program`: first the checks that need no database (`item.ts`), then the decision and all rows in
 * one batch (`batch.ts`). Throws the refusal of a send.
 */
export async function send(app: OtpApp, program: ApiCaller, call: SendCall): ReturnType<typeof sendPrepared> {
  if (call.body.code !== undefined) requireOwnCodes(program);
  const item = await sendItem(app, program, call.body);
  const used = call.template ? usedTemplate(call.template) : {};
  return sendPrepared(app, program, { ...item, row: { ...item.row, ...used } }, call);
}

/** The plan has moved on before this step of it was decided. */
export class StepTaken extends Error {}

/** The rest of a send or a resend: counts it for the limits that it names and decides it. */
export async function sendPrepared(
  app: OtpApp,
  program: ApiCaller,
  item: Awaited<ReturnType<typeof sendItem>> & Pick<SendItem, 'resend' | 'plan' | 'step'>,
  {
    isByOperator = false,
    inbound,
    proof,
    ...call
  }: Omit<SendCall, 'body'> & { body: Pick<SendCall['body'], 'limits'> },
): Promise<Replied<Reply<typeof sendOtp>> | Decided> {
  const { reply } = call;
  const { account_id, is_test } = program;
  const owner = { account_id, service_id: inbound?.limits_of ?? null, is_test };
  const isResend = item.resend !== undefined;
  const idempotency = isByOperator
    ? null
    : idempotencyOfMode(app, keyed(call, inbound), { is_test, isResend });
  if (item.refusal && !idempotency) throw item.refusal;
  const counting = await countSend(app, owner, call.body.limits ?? {});
  if (counting.refusal && !idempotency) throw counting.refusal;
  const outcome = await sendInBatch(app, {
    ...item,
    refusal: item.refusal ?? counting.refusal,
    limit_reached: counting.reached,
    proof,
    ...circumstancesOf(call.request),
    ...(isByOperator ? { ip_address: null } : {}),
    idempotency,
    ...endpointOf(call.request),
    ...(inbound ? { log_id: inbound.log_id } : {}),
    ...(inbound?.otp_id === undefined ? {} : { id: inbound.otp_id }),
  });
  if (outcome.kind !== 'accepted') await giveBack(app, counting);
  if (outcome.kind === 'step_taken') throw new StepTaken();
  if (outcome.kind === 'invalid') throw outcome.refusal;
  if (outcome.kind === 'replayed') return replayed(reply, outcome);
  if (outcome.kind === 'repeated' || outcome.kind === 'duplicate') {
    const first = outcome.kind === 'duplicate' ? outcome.reply : outcome.outcome.reply;
    const about = { otp_id: first.otp_id, recipient: first.recipient, channel: first.channel };
    return replayed(reply, { status: statusOf(item), body: first }, { about });
  }
  if (outcome.kind === 'spend_limit_reached') reply.header(SPEND_LEFT, '0');
  if (outcome.kind === 'proof_required' || outcome.kind === 'invalid_proof') {
    const to = { recipient: item.recipient, client_ip: item.destination?.address ?? undefined };
    throw proofRefusal(app, program, to, outcome.kind === 'invalid_proof' ? outcome.problem : 'missing');
  }
  if (outcome.kind !== 'accepted') {
    const { kind, ...facts } = outcome;
    throw new Failure(kind, facts);
  }
  if (!program.is_test) app.activity.count('send');
  if (outcome.spend_left !== null) reply.header(SPEND_LEFT, String(outcome.spend_left));
  return new Replied(outcome.reply, { isLogged: true });
}
