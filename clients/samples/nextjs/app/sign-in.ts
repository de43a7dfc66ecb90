import { getIronSession, type IronSession } from 'iron-session';
import { Sixdigit, SixdigitError } from 'sixdigit';

interface Session {
  pending?: { otp_id: string; recipient: string };
  user?: string;
}

let client: Sixdigit | undefined;

/** Made by the first request: `next build` loads this file without the environment. */
export function sixdigit(): Sixdigit {
  const { SIXDIGIT_URL = '', SIXDIGIT_API_KEY = '' } = process.env;
  client ??= new Sixdigit({ baseUrl: SIXDIGIT_URL, apiKey: SIXDIGIT_API_KEY });
  return client;
}

/** The session is an encrypted cookie. `save()` adds it to the response. */
export const sessionOf = (request: Request, response: Response): Promise<IronSession<Session>> =>
  getIronSession<Session>(request, response, {
    cookieName: 'session',
    password: process.env.SESSION_SECRET ?? '',
    ttl: 24 * 60 * 60,
    cookieOptions: { secure: process.env.NODE_ENV === 'production', sameSite: 'lax' },
  });

/** The proxy before the application appends the address that it sees. Sixdigit detects abuse by it. */
export const clientIpOf = (request: Request): string | undefined =>
  request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();

/** Only JSON: a form on another site cannot send it. */
export async function fieldOf(request: Request, name: string): Promise<string> {
  if (!request.headers.get('content-type')?.startsWith('application/json')) return '';
  const fields = await request.json().catch(() => undefined);
  return String(fields?.[name] ?? '');
}

// What the person reads. Every other problem is the operator's.
const SENTENCES: Record<string, string> = {
  recipient: 'Please check the phone number or email address.',
  code: 'That code is wrong.',
  invalid_code: 'That code is wrong.',
  otp_expired: 'That code has expired. Please request a new code.',
  otp_closed: 'Please request a new code.',
  otp_not_found: 'Please request a new code.',
  otp_already_verified: 'Please request a new code.',
  max_attempts_reached: 'Too many wrong codes. Please request a new code.',
  recipient_rate_limited: 'Too many codes were requested. Please try again later.',
  recipient_opted_out: 'This number has opted out of messages.',
  destination_blocked: 'Codes cannot be sent to this number.',
};

type Handler = (request: Request) => Promise<Response>;

/** A route handler that answers errors with a sentence. */
export const answer =
  (handle: Handler): Handler =>
  async (request) => {
    try {
      return await handle(request);
    } catch (error) {
      const refusal = error instanceof SixdigitError ? refusalOf(error) : undefined;
      if (refusal) return refusal;
      console.error(error);
      return Response.json({ error: 'Please try again later.' }, { status: 503 });
    }
  };

function refusalOf({ fieldErrors, reason, facts, status, retryAfter }: SixdigitError): Response | undefined {
  const sentence = SENTENCES[Object.keys(fieldErrors)[0] ?? reason];
  if (!sentence) return undefined;
  return Response.json(
    { error: sentence, attempts_remaining: facts.attempts_remaining },
    {
      status: status === 429 ? 429 : 400,
      headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    },
  );
}
