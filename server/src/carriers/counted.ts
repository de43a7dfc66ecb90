import type { Carrier } from './carrier.ts';
import type { Carriers } from './create-carriers.ts';

/** Wraps the carriers so that `seen` receives every outcome. */
export function countedCarriers(
  carriers: Carriers,
  seen: (carrier: string, channel: string, outcome: string) => void,
): Carriers {
  const counted = new Map<Carrier, Carrier>();
  const countedOf = (carrier: Carrier): Carrier => {
    const known = counted.get(carrier);
    if (known) return known;
    const fresh: Carrier = {
      ...carrier,
      async dispatch(message, signal) {
        const outcome = await carrier.dispatch(message, signal);
        seen(carrier.name, message.channel, outcome.kind);
        return outcome;
      },
    };
    counted.set(carrier, fresh);
    return fresh;
  };
  return { ...carriers, forChannel: (channel) => carriers.forChannel(channel).map(countedOf) };
}
