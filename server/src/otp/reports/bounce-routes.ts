import type { FastifyRequest } from 'fastify';
import {
  type Bounce,
  hasAddressKey,
  headOf,
  isReport,
  readBounce,
  recipientsIn,
  reportTest,
  TEST_ACCOUNT,
} from '../../messaging/carriers/carriers.ts';
import { Failure } from '../../platform/http/failure.ts';
import { API_BASE, type Server } from '../../platform/http/server.ts';
import { accountOfVerification } from '../queries.ts';
import { readBounceAddress } from './bounce-address.ts';
import type { CarrierApp } from './carrier-routes.ts';
import { report } from './reports.ts';

const MAIL_BYTES = 1024 * 1024;

/** Why a mail to a bounce address changes nothing. */
type Ignored =
  | 'not_a_report'
  | 'no_token'
  | 'forged_token'
  | 'expired_token'
  | 'unreadable'
  | 'no_failure'
  | 'bounce_loop'
  | 'unknown_message';

/**
 * Mails to the bounce addresses of SMTP carriers, as the mail server received them. A mail that means nothing gets a success response
 * too, so that the mail server drops it: nothing is ever sent to the sender of a mail.
 */
export function bounceRoutes(server: Server, app: CarrierApp): void {
  server.post(
    `${API_BASE}/carriers/:name/bounces/`,
    {
      bodyLimit: MAIL_BYTES,
      config: { takesMail: true },
      // Before the body is read.
      onRequest: async (request) => {
        const { key } = request.query as { key?: unknown };
        const name = nameOf(request);
        if (!app.carriers.find(name)?.bounceDomain || !hasAddressKey(app, name, key))
          throw new Failure('not_found');
      },
    },
    async (request) => {
      const { body } = request;
      if (!Buffer.isBuffer(body)) throw new Failure('unsupported_media_type');
      const read = await bounceOf(app, request, body);
      if (typeof read === 'string') return { result: 'ignored', because: read };
      const isKnown = await received(app, nameOf(request), read);
      return isKnown ? { result: read.bounce.mail } : { result: 'ignored', because: 'unknown_message' };
    },
  );
}

const nameOf = (request: FastifyRequest): string => (request.params as { name: string }).name;

/** Reads the mail only if it is a report to an address that Sixdigit made. */
async function bounceOf(
  app: CarrierApp,
  request: FastifyRequest,
  raw: Buffer,
): Promise<{ otp_id: string; bounce: Bounce } | Ignored> {
  const head = headOf(raw);
  if (!isReport(head)) return 'not_a_report';
  const { recipient } = request.query as { recipient?: unknown };
  const given = String(request.headers['x-envelope-recipient'] ?? recipient ?? '');
  const find = (text: string) => readBounceAddress(app, nameOf(request), text);
  const named = find(given) ?? find(recipientsIn(head));
  if (typeof named === 'string') return named;
  const bounce = await readBounce(raw).catch(() => 'unreadable' as const);
  if (bounce === undefined) return 'no_failure';
  if (bounce === 'unreadable') return bounce;
  if (find(bounce.bounced ?? '') !== undefined) return 'bounce_loop';
  // Providers send complaints to an address that was registered with them.
  const found = named ?? find(bounce.original_sender) ?? 'no_token';
  return typeof found === 'string' ? found : { ...found, bounce };
}

/** False if there is no such message any more. An operator's test has no account. */
async function received(
  app: CarrierApp,
  carrier: string,
  { otp_id, bounce: { original_sender: _, ...told } }: { otp_id: string; bounce: Bounce },
): Promise<boolean> {
  const [account_id = TEST_ACCOUNT] = await accountOfVerification(app.db, otp_id);
  const given = { ...told, by_mail: true, provider_message_id: null, reason: null };
  return account_id === TEST_ACCOUNT
    ? reportTest(app.db, carrier, otp_id, { ...given, otp_id })
    : report(app, { ...given, account_id, otp_id, carrier });
}
