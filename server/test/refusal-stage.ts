import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { cancelOtp, getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { expect } from 'vitest';
import { createPasswords, type Passwords } from '../src/accounts/passwords/passwords.ts';
import { exportSlots } from '../src/platform/export/export-limits.ts';
import type { CallInput } from './call.ts';
import { stopDatabaseClock } from './clock.ts';
import { type Receiver, startReceiver } from './fakes/receiver.ts';
import { holdLock, untilBlocked } from './held-lock.ts';
import { type TestOperator, testOperator } from './operator.ts';
import { type StripeShop, stripeShop } from './payments.ts';
import { codeFor, wrongCode } from './person.ts';
import { type Customer, type TestService, testService } from './service.ts';
import { signedIn } from './signed-in.ts';
import { type WebhookCustomer, webhookCustomer } from './webhook-customer.ts';

/** A response to any route. */
export interface Answered {
  status: number;
  body: Record<string, unknown>;
}

/** A verification of a customer. */
export interface Sent {
  otp_id: string;
  recipient: string;
  code: string;
}

/** Why a verification is over. */
export type End = 'otp_already_verified' | 'otp_closed' | 'otp_expired' | 'max_attempts_reached';

/** A refusal that no other test provokes: a call with separate accounts in a state in which the route refuses it. */
export type Row = readonly [
  route: Route,
  reason: FailureReason,
  refused: (stage: RefusalStage) => Promise<Answered>,
];

/** What the cases of `refusal-cases.ts` have in common: a service, a shop with a fake Stripe, and the states that provoke refusals. */
export interface RefusalStage extends AsyncDisposable {
  service: TestService;
  shop: StripeShop;
  passwords: Passwords;
  olivia: TestOperator;
  /** A customer that no other case uses. */
  customer(): Promise<Customer>;
  /** A customer with a webhook endpoint that has received a message. */
  webhookOwner(): Promise<WebhookCustomer & { webhook_id: string; message_id: string }>;
  /** A call by a customer, with an API key or a session as the route demands. */
  as(who: Customer, route: Route, input?: CallInput<Route>): Promise<Answered>;
  /** A new phone number on each call. */
  phone(): string;
  sent(who: Customer, recipient?: string): Promise<Sent>;
  /** The id of a verification that is over for this reason. */
  ended(who: Customer, why: End): Promise<string>;
  /** Makes a call, exhausts the limits that it counted for, and makes it again. */
  exhausted(call: () => Promise<Answered>): Promise<Answered>;
  /** Makes calls while the database clock is stopped, so that they fall into the same second on a slow machine. */
  withinASecond(calls: () => Promise<Answered>): Promise<Answered>;
  /** Makes a call after the key has used up its requests of this second. */
  overItsRate(who: Customer, call: () => Promise<Answered>): Promise<Answered>;
  /** Makes a call whose read of a table the database cancels, as after a statement timeout. */
  canceled(table: string, call: (bearer: string) => Promise<Answered>, who: Customer): Promise<Answered>;
  /** Makes a call while the account runs its maximum number of exports. */
  besideExports(account_id: string, isOperator: boolean, call: () => Promise<Answered>): Promise<Answered>;
}

export async function refusalStage(): Promise<RefusalStage> {
  const passwords = createPasswords({ memoryKib: 8, passes: 1 });
  const [service, shop, receiver] = await Promise.all([
    testService({ passwords }),
    stripeShop(),
    startReceiver(),
  ]);
  const olivia = await testOperator(service);
  let count = 0;
  const stage: RefusalStage = {
    service,
    shop,
    passwords,
    olivia,
    customer: () => service.customer(`Alice${++count}`),
    phone: () => `+1415555${2_000 + ++count}`,
    as: async (who, route, input = {}) =>
      service.call(route, {
        ...input,
        ...(route.auth === 'api_key' ? { apiKey: who.api_key } : { bearer: await signedIn(service, who) }),
      }),
    webhookOwner: () => webhookOwner(service, receiver, ++count),
    async sent(who, recipient = `end-user-${++count}@example.com`) {
      const channel = recipient.includes('@') ? 'email' : 'sms';
      const { status, body } = await service.call(sendOtp, {
        apiKey: who.api_key,
        body: { channel, recipient, expires_in: 60 },
      });
      expect({ status, body }).toMatchObject({ status: 201 });
      return { otp_id: body.otp_id, recipient, code: await codeFor(service, recipient) };
    },
    ended: (who, why) => ended(stage, who, why),
    async exhausted(call) {
      expect((await call()).body?.reason).not.toBe('too_many_requests');
      await service.app.db.run(
        `update throttles set used = 1000000, until = greatest(until, clock_now()) + interval '1 hour'`,
      );
      try {
        return await call();
      } finally {
        await service.app.db.run('delete from throttles');
      }
    },
    async withinASecond(calls) {
      await stopDatabaseClock(service.databaseUrl, service.app.clock.now());
      try {
        return await calls();
      } finally {
        await service.clock.advance(0);
      }
    },
    overItsRate: ({ api_key: apiKey }, call) =>
      stage.withinASecond(async () => {
        const params = { otp_id: service.app.random.uuid() };
        await Promise.all(Array.from({ length: 30 }, () => service.call(getOtp, { apiKey, params })));
        return call();
      }),
    async canceled(table, call, who) {
      const bearer = await signedIn(service, who);
      await using _ = await holdLock(service, `lock table ${table} in access exclusive mode`, []);
      const answer = call(bearer);
      await untilBlocked(service, 'select');
      await service.app.db.run(
        `select pg_cancel_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return await answer;
    },
    async besideExports(account_id, isOperator, call) {
      const slots = exportSlots(service.app.db);
      const places = ['one', 'another'].map((person_id) =>
        slots.enter({ account_id, person_id }, isOperator),
      );
      return call().finally(() => {
        for (const place of places) place.leave();
      });
    },
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await receiver.close();
    },
  };
  return stage;
}

async function webhookOwner(service: TestService, receiver: Receiver, n: number) {
  const owner = await webhookCustomer(service, `Hook owner ${n}`.replaceAll(' ', '-'));
  const { id } = await owner.addEndpoint(receiver.at('/ok'));
  await owner.publish('verified');
  await service.drain();
  const [attempt] = await owner.attempts(id);
  if (!attempt) throw new Error('The endpoint received no message');
  return Object.assign(owner, { webhook_id: id, message_id: attempt.message_id });
}

async function ended({ service, sent }: RefusalStage, who: Customer, why: End): Promise<string> {
  const { otp_id, code } = await sent(who);
  const apiKey = who.api_key;
  const verify = (entered: string) =>
    service.call(verifyOtp, { apiKey, body: { otp_id, code: entered } }) as Promise<Answered>;
  switch (why) {
    case 'otp_already_verified':
      expect(await verify(code)).toMatchObject({ status: 200 });
      break;
    case 'otp_closed':
      expect(await service.call(cancelOtp, { apiKey, params: { otp_id } })).toMatchObject({ status: 200 });
      break;
    case 'otp_expired':
      await service.clock.advance(61_000);
      break;
    case 'max_attempts_reached':
      for (let left: unknown = 1; left !== 0; ) {
        const { body } = await verify(wrongCode(code));
        expect(body).toMatchObject({ reason: 'invalid_code' });
        left = body.attempts_remaining;
      }
  }
  return otp_id;
}
