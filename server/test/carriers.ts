import type { KeyCost } from '../src/platform/security/vault.ts';
import { startHttpCarrier } from './fakes/http-carrier.ts';
import type { Callback } from './fakes/http-listener.ts';
import { startSmtp } from './fakes/smtp.ts';
import { startTwilio } from './fakes/twilio.ts';
import { type TestService, testService } from './service.ts';

type Fakes = {
  smtp: Awaited<ReturnType<typeof startSmtp>>;
  twilio: Awaited<ReturnType<typeof startTwilio>>;
  http: Awaited<ReturnType<typeof startHttpCarrier>>;
};

/** A service with fake carriers, whose callbacks go through the real router. */
export type ServiceWithCarriers = TestService & Fakes;

export async function serviceWithCarriers(
  names: readonly (keyof Fakes)[],
  env: Record<string, string> = {},
  options: { keyCost?: KeyCost } = {},
): Promise<ServiceWithCarriers> {
  let service: TestService | undefined;
  const send = async ({ url, headers, body }: Callback): Promise<number> => {
    if (!service) throw new Error('The service is not there yet');
    const path = url.replace(/^https?:\/\/[^/]+/, '');
    const answer = await service.inject({ method: 'POST', url: path, headers, payload: body });
    return answer.statusCode;
  };
  const smtp = await startSmtp();
  const twilio = await startTwilio({ send });
  const http = await startHttpCarrier({ send, now: () => service?.app.clock.now() ?? new Date() });
  const settings: Record<keyof Fakes, Record<string, string>> = {
    smtp: { SMTP_URL: smtp.url, EMAIL_FROM: 'Codes <codes@sixdigit.test>' },
    twilio: {
      TWILIO_ACCOUNT_SID: twilio.accountSid,
      TWILIO_AUTH_TOKEN: twilio.authToken,
      TWILIO_FROM: '+12025550199',
      TWILIO_API_URL: twilio.url,
    },
    http: { HTTP_CARRIER_URL: http.url, HTTP_CARRIER_SECRET: http.secret },
  };
  const started = await testService({
    ...options,
    env: Object.assign({}, ...names.map((name) => settings[name]), env) as Record<string, string>,
  });
  service = started;
  return {
    ...started,
    smtp,
    twilio,
    http,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await Promise.all([smtp.close(), twilio.close(), http.close()]);
    },
  };
}
