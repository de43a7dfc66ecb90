import type { Channel } from '@sixdigit/contract/channels.ts';
import type { CarrierRouting } from '@sixdigit/contract/operator/carriers.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Random } from '../../platform/security/random.ts';
import type { Carrier, Outcome } from './carrier.ts';
import type { Carriers } from './create-carriers.ts';

/** The carrier order, pauses and weights that operators have set. */
export interface Routing {
  of(channel: Channel): CarrierRouting[Channel];
  /** The routing for a country; undefined if the channel's routing applies. */
  ofCountry?(channel: Channel, country: string): CarrierRouting[Channel];
}

export const isPausedBy = (routing: Routing, carrier: string, channel: Channel): boolean =>
  routing.of(channel)?.some(({ name, is_paused }) => name === carrier && is_paused) ?? false;

/**
 * Sorts a channel's carriers in the operators' order. With weights, the first carrier is drawn at random each time. Paused
 * carriers stay in the list, so that a message refused by the others waits for them; the breakers skip them. Carriers paused
 * for the message's country are omitted.
 */
export function routedCarriers(
  carriers: Carriers,
  routing: Routing,
  random: Pick<Random, 'bytes'>,
): Carriers {
  return {
    ...carriers,
    hasRoutes: (channel, country) => routing.ofCountry?.(channel, country) !== undefined,
    forChannel(channel, country) {
      const own = country === undefined ? undefined : routing.ofCountry?.(channel, country);
      const isPaused = (name: string) => own?.some((one) => one.name === name && one.is_paused) ?? false;
      const all = carriers.forChannel(channel).filter(({ name }) => !isPaused(name));
      const chosen = own ?? routing.of(channel);
      if (!chosen) return all;
      const places = new Map(chosen.map(({ name }, place) => [name, place]));
      const ordered = all.toSorted(
        (a, b) => (places.get(a.name) ?? all.length) - (places.get(b.name) ?? all.length),
      );
      const first = drawn(chosen, random);
      const isFirst = ({ name }: { name: string }) => Number(name === first);
      return first === undefined ? ordered : ordered.toSorted((a, b) => isFirst(b) - isFirst(a));
    },
  };
}

/** Draws a carrier that is not paused, by weight; undefined without weights. */
function drawn(
  chosen: NonNullable<CarrierRouting[Channel]>,
  random: Pick<Random, 'bytes'>,
): string | undefined {
  const weighed = chosen.flatMap(({ name, is_paused, weight }) =>
    is_paused || weight === null || weight === 0 ? [] : [{ name, weight }],
  );
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  let point = (random.bytes(4).readUInt32BE() / 2 ** 32) * sum;
  for (const { name, weight } of weighed) {
    point -= weight;
    if (point < 0) return name;
  }
  return undefined;
}

interface CarrierAnswer {
  carrier: string;
  channel: Channel;
  message_id: string;
  outcome: Outcome;
  ms: number;
}

/** Wraps the carriers so that `seen` is called with every outcome. */
export function countedCarriers(carriers: Carriers, seen: (answer: CarrierAnswer) => void): Carriers {
  // The carriers of the console change while the service runs.
  const counted = new WeakMap<Carrier, Carrier>();
  const countedOf = (carrier: Carrier): Carrier => {
    const known = counted.get(carrier);
    if (known) return known;
    const fresh: Carrier = {
      ...carrier,
      async dispatch(message, signal) {
        const startedMs = monotonicMs();
        const outcome = await carrier.dispatch(message, signal);
        seen({
          carrier: carrier.name,
          channel: message.channel,
          message_id: message.id,
          outcome,
          ms: monotonicMs() - startedMs,
        });
        return outcome;
      },
    };
    counted.set(carrier, fresh);
    return fresh;
  };
  return {
    ...carriers,
    forChannel: (channel) => carriers.forChannel(channel).map(countedOf),
    find(name) {
      const carrier = carriers.find(name);
      return carrier && countedOf(carrier);
    },
  };
}
