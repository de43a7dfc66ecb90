import type { Channel } from '@sixdigit/contract/channels.ts';
import { languageOf } from '@sixdigit/contract/languages.ts';
import { type SendReply, sendOtp } from '@sixdigit/contract/otp.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyAdmission } from '../api-keys/api-keys.ts';
import { codeSubject, codeText } from '../messaging/mail/mail.ts';
import { type OtpApp, parseSendBody, relaySend, type SendBody } from '../otp/otp.ts';
import { networkOf } from '../platform/addresses/ip-network.ts';
import { endedWith, type Noted, notesOf, type Replied, write } from '../platform/http/answer.ts';
import { addressOf } from '../platform/http/client-address.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { createOverLimit, type OverLimit } from '../platform/http/over-limit.ts';
import type { Server } from '../platform/http/serve.ts';
import { failureOf } from '../platform/http/server.ts';
import { type Batcher, lookupBatcher } from '../platform/queue/batcher.ts';
import { isUuid } from '../platform/security/random.ts';
import { secretsOf } from './connections.ts';
import type { ProblemCounts } from './problems.ts';
import { type InboundRow, selectInbound } from './queries.ts';
import { refusalOf } from './refusal.ts';
import { type Head, type Inbound, type Refusal, routeOf, type System, type Wanted } from './system.ts';
import { SYSTEM } from './systems/systems.ts';

export type InboundApp = OtpApp & { admit: KeyAdmission['byHash']; problems: ProblemCounts };

interface Context {
  lookups: Batcher<string, InboundRow | undefined>;
  refusals: Pick<OverLimit<never>, 'turn' | 'admit' | 'count'>;
  addressed: WeakMap<FastifyRequest, Addressed>;
}

/** A request to a connection whose body has not been read. */
interface Addressed {
  connection: InboundRow;
  system: System;
  head: Head;
  secrets: string[];
  /** its path or headers contain a secret */
  is_proven: boolean;
}

/** The verification of an accepted request. */
export const OTP_ID_HEADER = 'x-otp-id';
/** The reason of a refusal, which the body of a response often does not contain. */
export const REASON_HEADER = 'x-reason';
/** Strangers can send bodies of this size, and no system sends larger ones. */
const BODY_LIMIT = 16 * 1024;

/** The addresses at which systems ask for messages. Their requests run through the same engine as `POST /otp/send/`. */
export function inboundRoutes(server: Server, app: InboundApp): void {
  const lookups: Context['lookups'] = lookupBatcher(async (ids) => {
    const rows = new Map((await selectInbound(app.db.reserve, ids)).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id));
  });
  const context: Context = { lookups, refusals: createOverLimit<never>(), addressed: new WeakMap() };
  const options = {
    config: { isRaw: true, relayed: sendOtp },
    bodyLimit: BODY_LIMIT,
    onRequest: (request: FastifyRequest, reply: FastifyReply) => admit(app, context, [request, reply]),
  };
  for (const url of new Set(Object.values(SYSTEM).map(routeOf)))
    server.post(url, options, (request, reply) => receive(app, context, [request, reply]));
}

/** Throws `not_found` for an unknown address, which gets the same response as an unknown path. */
async function addressedBy(
  app: InboundApp,
  { lookups }: Context,
  request: FastifyRequest,
): Promise<Addressed> {
  const { id = '', kind: given } = request.params as Record<string, string>;
  const connection = isUuid(id) ? await lookups.submit(id.toLowerCase()) : undefined;
  if (!connection) throw new Failure('not_found');
  const system = SYSTEM[connection.system];
  const kind = system.kinds.find((one) => one === (given ?? one));
  if (!kind || request.routeOptions.url !== routeOf(system)) throw new Failure('not_found');
  const head: Head = {
    connection_id: connection.id,
    kind,
    headers: request.headers,
    params: request.params as Record<string, string>,
  };
  const secrets = secretsOf(app, connection);
  return { connection, system, head, secrets, is_proven: system.isFromHead?.(head, secrets) ?? false };
}

/** Refuses a request before its body is read if only its path and headers could contain the secret. */
async function admit(
  app: InboundApp,
  context: Context,
  [request, reply]: [FastifyRequest, FastifyReply],
): Promise<FastifyReply | undefined> {
  const addressed = await addressedBy(app, context, request);
  const { connection, system, is_proven } = addressed;
  context.addressed.set(request, addressed);
  if (is_proven || system.isFromBody) return undefined;
  app.problems.wrongSignature(connection.id);
  // After a burst, the refusals of a connection are sent one at a time, which slows a flood.
  if (!(await context.refusals.turn(connection.id))) reply.header('Connection', 'close');
  return reply.send(refused([request, reply], system, refusalOf(new Failure('invalid_signature'))));
}

async function receive(
  app: InboundApp,
  context: Context,
  [request, reply]: [FastifyRequest, FastifyReply],
): Promise<string | undefined> {
  const { connection, system, head, secrets, is_proven } = context.addressed.get(request) as Addressed;
  const inbound: Inbound = {
    ...head,
    bytes: request.rawBody ?? Buffer.alloc(0),
    text: typeof request.body === 'string' ? request.body : '',
    code_pattern: connection.code_pattern,
    now: app.clock.now(),
  };
  if (!is_proven) {
    // Counted by network too: strangers must not make the system itself wait.
    const of = `${connection.id} ${networkOf(addressOf(request))}`;
    if (!(await context.refusals.admit(of))) {
      reply.header('Connection', 'close');
      return refused([request, reply], system, refusalOf(new Failure('rate_limited', { retry_after: 1 })));
    }
    if (!system.isFromBody?.(inbound, secrets)) {
      context.refusals.count(of);
      app.problems.wrongSignature(connection.id);
      return refused([request, reply], system, refusalOf(new Failure('invalid_signature')));
    }
  }
  try {
    const sends = await sendAll(app, { connection, system, inbound }, [request, reply]);
    const replies = sends.map((sent) => sent.reply);
    reply.header(OTP_ID_HEADER, replies[0]?.otp_id ?? '');
    return write(request, reply, system.accepted(replies, inbound), sends.at(-1)?.noted ?? null);
  } catch (thrown) {
    const { error, noted } = endedWith(thrown);
    const failure = failureOf(error);
    if (failure instanceof Failure && failure.reason === 'internal_error') throw error;
    const refusal = refusalOf(failure);
    const { reason, status } = refusal;
    app.problems.refused(connection.id, reason);
    return refused([request, reply], system, refusal, { ...noted, ...notesOf(failure), status });
  }
}

function refused(
  [request, reply]: [FastifyRequest, FastifyReply],
  system: System,
  refusal: Refusal,
  noted: Noted | null = null,
): string | undefined {
  reply.header(REASON_HEADER, refusal.reason);
  return write(request, reply, system.refused(refusal), noted);
}

interface Received {
  connection: InboundRow;
  system: System;
  inbound: Inbound;
}

async function sendAll(
  app: InboundApp,
  { connection, system, inbound }: Received,
  [request, reply]: [FastifyRequest, FastifyReply],
): Promise<Replied<SendReply>[]> {
  const caller = await app.admit(connection.key_hash, request, reply);
  const wanted = system.read(inbound);
  const sends: Replied<SendReply>[] = [];
  for (const [n, one] of wanted.entries()) {
    const { recipient, channel, expires_in } = one;
    const sent = await relaySend(app, caller, {
      request,
      reply,
      read: () => bodyOf(one, inbound.kind, connection),
      noted: { given: { recipient, channel, expires_in } },
      inbound: {
        log_id: n === 0 ? request.id : app.random.uuid(),
        message_id: one.message_id === undefined ? null : idOf(connection, one.message_id, n),
      },
    });
    sends.push(sent);
  }
  return sends;
}

/** A message's id of the system, in the form of an `Idempotency-Key` that no caller with a key can use for this connection. */
const idOf = ({ id }: InboundRow, message_id: string, n: number): string =>
  `connection:${id}:${n}:${Buffer.from(message_id).toString('base64url').slice(0, 180)}`;

/** The body of `POST /otp/send/`. Throws field errors. */
function bodyOf(wanted: Wanted, kind: Channel, connection: InboundRow): SendBody {
  const { recipient, code, client_ip } = wanted;
  const expires_in = wanted.expires_in ?? connection.code_expires_in ?? undefined;
  if (wanted.channel !== undefined && wanted.channel !== kind)
    throw new FieldErrors({
      channel: [`Send this request to the address for ${String(wanted.channel).slice(0, 20)}.`],
    });
  return parseSendBody({
    channel: kind,
    recipient,
    code,
    ...textsOf(wanted, kind, connection),
    ...(client_ip === undefined ? {} : { client_ip }),
    ...(expires_in === undefined ? {} : { expires_in }),
  });
}

/** The text that the system or the connection's owner wrote, or else the one in the language, which calls speak as well. */
function textsOf(
  { message: given, locale }: Wanted,
  kind: Channel,
  { message: own, language }: InboundRow,
): { message?: string; subject?: string; locale?: string } {
  const written = given ?? own;
  const texts = written === null ? {} : { message: written };
  if (language === null) return texts;
  const chosen = locale === undefined || written !== null ? language : languageOf(locale, language);
  if (kind === 'voice') return { locale: chosen, ...texts };
  return {
    locale: chosen,
    message: codeText(chosen),
    ...(kind === 'email' ? { subject: codeSubject(chosen) } : {}),
    ...texts,
  };
}
