import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Carrier, Outcome } from './carrier.ts';
import type { Carriers } from './create-carriers.ts';

export interface CarrierAnswer {
  carrier: string;
  channel: Channel;
  outcome: Outcome;
  ms: number;
}

/** Wraps the carriers so that `seen` receives every outcome. */
export function countedCarriers(carriers: Carriers, seen: (answer: CarrierAnswer) => void): Carriers {
  const counted = new Map<Carrier, Carrier>();
  const countedOf = (carrier: Carrier): Carrier => {
    const known = counted.get(carrier);
    if (known) return known;
    const fresh: Carrier = {
      ...carrier,
      async dispatch(message, signal) {
        const startedMs = performance.now();
        const outcome = await carrier.dispatch(message, signal);
        seen({
          carrier: carrier.name,
          channel: message.channel,
          outcome,
          ms: performance.now() - startedMs,
        });
        return outcome;
      },
    };
    counted.set(carrier, fresh);
    return fresh;
  };
  return { ...carriers, forChannel: (channel) => carriers.forChannel(channel).map(countedOf) };
}
