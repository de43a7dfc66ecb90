import type { Channel } from '@sixdigit/contract/channels.ts';
import { factsOf } from '@sixdigit/contract/channels.ts';
import type { ConnectionTest, testConnection } from '@sixdigit/contract/connections.ts';
import { type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { TEST_DOMAIN, TEST_RECIPIENTS } from '@sixdigit/contract/test-mode.ts';
import { programOf, requireKeyRole } from '../api-keys/api-keys.ts';
import { renderMessage, verificationOf } from '../otp/otp.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { requireStepUp, type Server, type UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { connectionOf, secretsOf, urlOf } from './connections.ts';
import { OTP_ID_HEADER, REASON_HEADER } from './inbound.ts';
import { selectInbound } from './queries.ts';
import { SYSTEM } from './systems/systems.ts';

export type PlayApp = Needs<'config' | 'db' | 'random' | 'vault' | 'clock'> & {
  /** the person's address and phone number, empty if there is none */
  contactOf(person_id: string): Promise<{ email: string; phone_number: string }>;
};

const TEST_CODE_LENGTH = 6;
const HIDDEN = '••••••';

/**
 * Plays the request that the system would make, through the real router, and returns it with the response and the message.
 * Throws `not_found`, field errors, and `role_too_low` and `step_up_required` for a live connection.
 */
export async function playRequest(
  app: PlayApp,
  server: Server,
  caller: UserCaller,
  { id, kind: chosen, recipient: given }: { id: string } & Parsed<typeof testConnection, 'body'>,
): Promise<ConnectionTest> {
  const { account_id } = caller;
  const connection = await connectionOf(app, account_id, id);
  await requireKeyRole(app.db, caller, connection.mode);
  if (connection.mode === 'live') requireStepUp(caller);
  const system = SYSTEM[connection.system];
  const kind = chosen ?? system.kinds[0] ?? 'sms';
  if (!system.kinds.includes(kind))
    throw new FieldErrors({ kind: ['Choose one of the endpoints of the connection.'] });
  const recipient =
    given || (await usualRecipient(app, { person_id: caller.person_id, kind, mode: connection.mode }));
  const [row] = await selectInbound(app.db, [connection.id]);
  const [secret = ''] = row ? secretsOf(app, row) : [];
  const code = app.random.digits(TEST_CODE_LENGTH);
  const {
    path = '',
    headers,
    body,
  } = system.play({
    kind,
    recipient,
    code,
    secret,
    connection_id: connection.id,
    now: app.clock.now(),
    random: app.random,
  });
  const url = `${urlOf(app, connection, kind)}${path}`;
  const [network] = connection.allowed_networks;
  const answer = await server.inject({
    method: 'POST',
    url: new URL(url).pathname,
    headers,
    payload: body,
    remoteAddress: network?.split('/')[0] ?? caller.ip_address ?? '127.0.0.1',
  });
  const headerOf = (name: string): string | null => {
    const value = answer.headers[name];
    return typeof value === 'string' ? value : null;
  };
  const otp_id = headerOf(OTP_ID_HEADER);
  const reason = headerOf(REASON_HEADER);
  const hidden = (text: string) => withoutSecret(text, secret);
  return {
    request: {
      method: 'POST',
      url,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value: hidden(value) })),
      body: hidden(body),
    },
    response: {
      status: answer.statusCode,
      content_type: answer.headers['content-type'] ? String(answer.headers['content-type']) : null,
      body: answer.body,
    },
    otp_id,
    message: otp_id === null ? null : await messageOf(app, { account_id, otp_id, code }),
    reason,
    error: reason === null ? null : sentenceOf(reason),
  };
}

const SENTENCES: Record<string, string> = {
  api_key_expired: 'The connection has expired',
  network_not_allowed: 'The connection is not allowed from this network',
};

/** Null for invalid fields, whose sentences are in the response. */
const sentenceOf = (reason: string): string | null =>
  SENTENCES[reason] ?? (reason in failures ? failures[reason as FailureReason].error : null);

async function usualRecipient(
  app: PlayApp,
  { person_id, kind, mode }: { person_id: string; kind: Channel; mode: 'live' | 'test' },
): Promise<string> {
  const isMail = factsOf(kind).recipient === 'email';
  if (mode === 'test') {
    const { phone, local } = TEST_RECIPIENTS[0];
    return isMail ? `${local}@${TEST_DOMAIN}` : phone;
  }
  const { email, phone_number } = await app.contactOf(person_id);
  if (isMail) return email;
  if (phone_number === '') throw new FieldErrors({ recipient: ['Enter a number. Your profile has none.'] });
  return phone_number;
}

/** Hides the secret as text and within Basic credentials. */
function withoutSecret(text: string, secret: string): string {
  const plain = text.replaceAll(secret, HIDDEN);
  return plain.replace(/^(basic +)(\S+)$/i, (whole, scheme: string, encoded: string) =>
    Buffer.from(encoded, 'base64').toString('utf8').includes(secret) ? `${scheme}${HIDDEN}` : whole,
  );
}

async function messageOf(
  app: PlayApp,
  { account_id, otp_id, code }: { account_id: string; otp_id: string; code: string },
): Promise<string> {
  const otp = await verificationOf(app, account_id, otp_id);
  const program = await programOf(app.db, account_id);
  const seconds = Math.round((Date.parse(otp.expires_at) - Date.parse(otp.created_at)) / 1000);
  return renderMessage(app, { ...program, ...otp, seconds }, code).text;
}
