import type { Route } from '@sixdigit/contract/route.ts';
import type { Answer, CallInput } from '../call.ts';
import type { HttpCarrierFake } from '../fakes/http-carrier.ts';
import type { Receiver } from '../fakes/receiver.ts';
import type { TestService } from '../service.ts';
import { signedIn } from '../signed-in.ts';
import type { LivelyPerson, PersonName } from './facts.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The service on which the lively rows come about, and what it talks to. */
export interface Teller {
  service: TestService;
  gateway: HttpCarrierFake;
  receiver: Receiver;
  people: Partial<Record<PersonName, LivelyPerson>>;
  /** A bearer token of somebody who has signed up. */
  bearer(name: PersonName): Promise<string>;
  /** A call that succeeds. */
  must<R extends Route>(route: R, input?: CallInput<R>): Promise<Answer<R>['body']>;
  /** A call that is refused for this reason, or for one of its fields. */
  refused<R extends Route>(reason: string | undefined, route: R, input?: CallInput<R>): Promise<void>;
}

export function teller(made: Pick<Teller, 'service' | 'gateway' | 'receiver'>): Teller {
  const { service } = made;
  const people: Teller['people'] = {};
  return {
    ...made,
    people,
    async bearer(name) {
      const { person_id = '' } = people[name] ?? {};
      return signedIn(service, { account_id: person_id });
    },
    async must(route, input) {
      const { status, body } = await service.call(route, input);
      if (status !== route.status) throw new Error(`${route.name}: ${JSON.stringify(body)}`);
      return body;
    },
    async refused(reason, route, input) {
      const body = (await service.call(route, input)).body as { reason?: unknown };
      if (body.reason !== reason) throw new Error(`${route.name}, not ${reason}: ${JSON.stringify(body)}`);
    },
  };
}

/** The path of an address of the service, with its query. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
