import { updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { expect } from 'vitest';
import type { TestService } from './service.ts';

/** A person with an account, signed in through the API. */
export interface Person {
  email: string;
  password: string;
  /** E.164 */
  phone: string;
  access: string;
  refresh: string;
}

let counter = 0;

/** Signs a person up. Names need not be unique. */
export async function person(service: TestService, name: string): Promise<Person> {
  counter += 1;
  const email = `${name.toLowerCase()}.${counter}@people.test`;
  const password = `${name} likes long walks ${counter}`;
  const national = `415555${String(1000 + counter)}`;
  const started = await service.call(signUp, {
    body: { email, phone_number: national, password, confirm_password: password },
  });
  expect(started.status).toBe(200);
  const tokens = await service.call(verifyTwoFactor, {
    body: { session_token: started.body.session_token ?? '', code: await codeFor(service, email) },
  });
  expect(tokens.status).toBe(200);
  return { email, password, phone: `+1${national}`, ...tokens.body };
}

/** A person with e-mail two-factor sign-in. */
export async function twoFactorPerson(service: TestService, name: string): Promise<Person> {
  const somebody = await person(service, name);
  const { status } = await service.call(updateTwoFactor, {
    bearer: somebody.access,
    body: { two_factor_enabled: true, two_factor_method: 'email', current_password: somebody.password },
  });
  expect(status).toBe(200);
  return somebody;
}

/** Another session of the same person; without two-factor. */
export async function anotherSession(
  service: TestService,
  { email, password }: Person,
): Promise<{ access: string; refresh: string }> {
  const { status, body } = await service.call(signIn, { body: { email, password } });
  expect(status).toBe(200);
  return { access: body.access ?? '', refresh: body.refresh ?? '' };
}

/** The newest code sent to a recipient. */
export async function codeFor(service: TestService, recipient: string): Promise<string> {
  await service.deliver();
  const messages = await service.inbox(recipient);
  return messages.find(({ code }) => code !== null)?.code ?? 'no code';
}

/** The token of the newest password reset link sent to a recipient. */
export async function linkTokenFor(service: TestService, recipient: string): Promise<string> {
  await service.deliver();
  for (const { text } of await service.inbox(recipient)) {
    const [, token] = /\/reset-password#([\w-]{43})\s/.exec(text) ?? [];
    if (token) return token;
  }
  return 'no link';
}

/** Six digits that differ from the given ones. */
export const wrongCode = (code: string): string => (code === '111111' ? '222222' : '111111');

/** Calls a route without authentication from the given client address. */
export async function callFrom(
  service: TestService,
  remoteAddress: string,
  { route, body }: { route: Route; body: object },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await service.inject({
    method: route.method,
    url: API_BASE + route.path,
    payload: body,
    remoteAddress,
  });
  return { status: answer.statusCode, body: answer.body === '' ? {} : answer.json() };
}
