import { CHANNELS } from '@sixdigit/contract/channels.ts';
import type { Carrier, Message } from '../../server/src/messaging/carriers/carrier.ts';
import type { Carriers } from '../../server/src/messaging/carriers/carriers.ts';

/** A carrier that accepts every message at once, so that a run measures only the service. */
export function benchCarriers(took: (message: Message) => void): Carriers {
  const carrier: Carrier = {
    name: 'bench',
    channels: CHANNELS,
    dispatch: (message) => {
      took(message);
      return Promise.resolve({ kind: 'accepted', provider_message_id: message.id });
    },
  };
  return {
    forChannel: () => [carrier],
    has: () => true,
    hasRoutes: () => false,
    isSimulated: () => false,
    close: async () => undefined,
  };
}
