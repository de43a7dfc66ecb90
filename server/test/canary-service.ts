import type { Route } from '@sixdigit/contract/route.ts';
import { expect } from 'vitest';
import type { Answer, CallInput } from './call.ts';
import type { Canary, Place } from './canary-hunt.ts';
import { startHttpCarrier } from './fakes/http-carrier.ts';
import { startReceiver } from './fakes/receiver.ts';
import { startSmtp } from './fakes/smtp.ts';
import { startTwilio } from './fakes/twilio.ts';
import { testService } from './service.ts';

const OPERATOR = {
  SECRET_KEY: 'canary-of-the-server-key-0123456789',
  TWILIO_AUTH_TOKEN: 'canary-of-the-twilio-token',
  HTTP_CARRIER_SECRET: 'canary-of-the-gateway-secret',
  SMTP_PASSWORD: 'canary-of-the-mail-server',
};

/** A service with recognizable secrets. It collects the secrets that calls and messages bring, and the responses. */
export async function startCanaryService() {
  const canaries: Canary[] = [];
  const answers: (Place & { route: string })[] = [];
  function watch(kind: string, text: string | undefined): string {
    expect(text, kind).toBeTruthy();
    if (text && !canaries.some((canary) => canary.text === text)) canaries.push({ kind, text });
    return text ?? '';
  }

  for (const [name, value] of Object.entries(OPERATOR)) watch(name, value);
  const [smtp, twilio, gateway, receiver] = await Promise.all([
    startSmtp({ login: { user: 'sixdigit', pass: OPERATOR.SMTP_PASSWORD } }),
    startTwilio({ authToken: OPERATOR.TWILIO_AUTH_TOKEN }),
    startHttpCarrier({ secret: OPERATOR.HTTP_CARRIER_SECRET, now: (): Date => service.app.clock.now() }),
    startReceiver({
      answer: ({ path, headers, text }) =>
        path.startsWith('/echo') ? { status: 500, body: JSON.stringify(headers) + text } : undefined,
    }),
  ]);
  const service = await testService({
    env: {
      LOG_LEVEL: 'trace',
      SECRET_KEY: OPERATOR.SECRET_KEY,
      WELCOME_CREDITS: '200',
      SMTP_URL: smtp.url,
      EMAIL_FROM: 'codes@sixdigit.test',
      TWILIO_ACCOUNT_SID: twilio.accountSid,
      TWILIO_AUTH_TOKEN: OPERATOR.TWILIO_AUTH_TOKEN,
      TWILIO_FROM: '+12025550199',
      TWILIO_API_URL: twilio.url,
      HTTP_CARRIER_URL: gateway.url,
      HTTP_CARRIER_SECRET: OPERATOR.HTTP_CARRIER_SECRET,
    },
  });
  const origin = await service.listen();
  service.app.config.publicUrl = origin;

  async function call<R extends Route>(route: R, input: CallInput<R> = {}): Promise<Answer<R>> {
    const answer = await service.call(route, input);
    const text = JSON.stringify([answer.headers, answer.body]);
    answers.push({ name: `${route.method} ${route.path} ${answer.status}`, text, route: route.name });
    const { access, refresh, session_token, key, secret, client_secret } = (answer.body ?? {}) as Record<
      string,
      string | undefined
    >;
    if (access) watch('access token', access);
    if (refresh) watch('refresh token', refresh);
    if (session_token) watch('session token', session_token);
    if (key) watch('API key', key.slice(12));
    if (typeof secret === 'string') watch('webhook secret', secret.replace('whsec_', ''));
    if (client_secret) watch('client secret', client_secret);
    return answer;
  }

  async function must<R extends Route>(route: R, input: CallInput<R> = {}): Promise<Answer<R>['body']> {
    const { status, body } = await call(route, input);
    expect({ route: route.name, status, body }).toMatchObject({ status: route.status });
    return body;
  }

  /** The newest code that a recipient got by mail, text or call. */
  async function arrived(recipient: string): Promise<string> {
    await service.drain();
    learnCodes();
    const all = [
      ...smtp.mailsTo(recipient),
      ...twilio.messagesTo(recipient),
      ...gateway.messagesTo(recipient),
    ].filter(({ code }) => code);
    return watch('code', all.at(-1)?.code);
  }

  function learnCodes(): void {
    // Four digits may be the end of a phone number in a text.
    for (const { code } of [...smtp.mails, ...twilio.messages, ...gateway.messages])
      if (code && code.length > 4) watch('code', code);
    for (const { raw } of smtp.mails) {
      const [, token] = /\/reset-password#([\w-]{43})\b/.exec(raw) ?? [];
      if (token) watch('reset link', token);
    }
  }

  return {
    service,
    smtp,
    twilio,
    gateway,
    receiver,
    canaries,
    answers,
    watch,
    call,
    must,
    arrived,
    learnCodes,
    async close() {
      await service[Symbol.asyncDispose]();
      await Promise.all([smtp.close(), twilio.close(), gateway.close(), receiver.close()]);
    },
  };
}

export type CanaryStage = Awaited<ReturnType<typeof startCanaryService>>;

/** The person whose account is used and then deleted. */
export interface Somebody {
  email: string;
  phone_number: string;
  password: string;
  access: string;
  refresh: string;
  apiKey: string;
}

export const passwordIn = ({ watch }: Pick<CanaryStage, 'watch'>, name: string): string =>
  watch('password', `canary ${name} likes her password`);
