import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { CARRIER_KINDS } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Carrier, Message } from './carrier.ts';
import { type CarrierOptions, chosenCarriers, environmentCarriers } from './environment.ts';

export interface CarrierSurroundings {
  clock: Pick<Clock, 'now'>;
  sandboxStore(message: Message): Promise<void>;
  sandboxPrint(line: string): void;
}

/** A carrier that operators added in the console. */
export interface StoredCarrier {
  /** Identifies this version of its setup. */
  key: string;
  /** A disabled carrier gets no messages except tests, and reports about earlier messages still count. */
  isEnabled: boolean;
  /** Creates it. */
  carrier(): Carrier;
}

export interface FeedbackCarrier {
  name: string;
  channel: Channel;
  needs_code: boolean;
}

export interface Carriers {
  /** In the order to try; empty if the channel is unavailable. */
  forChannel(channel: Channel, country?: string): readonly Carrier[];
  /** Any configured carrier, also a disabled one. */
  find(name: string): Carrier | undefined;
  /** The carriers whose company wants to know of right codes, by channel. Empty unless an operator has turned it on. */
  feedback(): readonly FeedbackCarrier[];
  /** Replaces the carriers of the console. Those with the same key stay, and dispatches in flight end with theirs. */
  setStored(stored: readonly StoredCarrier[]): void;
  /** Whether real messages are sent to phone numbers. */
  sendsToPhones(): boolean;
  /** Whether operators have set separate routes for messages to this country. */
  hasRoutes(channel: Channel, country: string): boolean;
  has(channel: Channel): boolean;
  /** Whether messages of this channel stay in the sandbox inbox. */
  isSimulated(channel: Channel): boolean;
  close(): Promise<void>;
}

/** The carriers that serve each channel, in the operator's order. */
export function createCarriers(options: CarrierOptions, surroundings: CarrierSurroundings): Carriers {
  const carriers = new Map<string, Carrier>();
  for (const carrier of environmentCarriers(options, surroundings.clock)) carriers.set(carrier.name, carrier);
  if (options.sandbox) {
    const { sandboxStore: store, sandboxPrint: print } = surroundings;
    carriers.set('sandbox', sandboxCarrier({ store, print }));
  }
  const served = new Map<Channel, readonly Carrier[]>();
  let stored: Kept[] = [];
  let retired: Carrier[] = [];
  let feedback: readonly FeedbackCarrier[] = [];

  function arrange(): void {
    for (const channel of CHANNELS) {
      const own = [...new Set(chosenCarriers(options, channel) ?? CARRIER_KINDS)].flatMap(
        (name) => carriers.get(name) ?? [],
      );
      const added = stored.flatMap(({ carrier, isEnabled }) => (isEnabled ? [carrier] : []));
      const all = [...own, ...added].filter((carrier) => carrier.channels.includes(channel));
      const inbox = carriers.get('sandbox');
      served.set(channel, all.length === 0 && inbox ? [inbox] : all);
    }
    // A carrier that is off may have delivered a code before.
    feedback = [...carriers.values(), ...stored.map(({ carrier }) => carrier)].flatMap((carrier) =>
      (carrier.feedback?.channels ?? []).map((channel) => ({
        name: carrier.name,
        channel,
        needs_code: carrier.feedback?.needsCode ?? false,
      })),
    );
  }
  arrange();

  const forChannel = (channel: Channel) => served.get(channel) ?? [];
  return {
    forChannel,
    find: (name) => carriers.get(name) ?? stored.find(({ carrier }) => carrier.name === name)?.carrier,
    feedback: () => feedback,
    setStored(next) {
      const known = new Map(stored.map((one) => [one.key, one.carrier]));
      stored = next.map(({ key, isEnabled, carrier }) => ({
        key,
        isEnabled,
        carrier: known.get(key) ?? carrier(),
      }));
      const used = new Set(stored.map(({ carrier }) => carrier));
      // Idle connections close by themselves, so that a dispatch in flight ends with the carrier that it began with.
      retired = [...retired, ...[...known.values()].filter((carrier) => !used.has(carrier))];
      arrange();
    },
    sendsToPhones: () =>
      CHANNELS.some(
        (channel) =>
          factsOf(channel).recipient === 'phone' &&
          forChannel(channel).some(({ name }) => name !== 'sandbox'),
      ),
    hasRoutes: () => false,
    has: (channel) => forChannel(channel).length > 0,
    isSimulated: (channel) => forChannel(channel).some((carrier) => carrier.name === 'sandbox'),
    async close() {
      const all = [...carriers.values(), ...stored.map(({ carrier }) => carrier), ...retired];
      await Promise.all(all.map((carrier) => carrier.close?.()));
    },
  };
}

interface Kept extends Omit<StoredCarrier, 'carrier'> {
  carrier: Carrier;
}

/** The sandbox carrier stores every message in the inbox and prints it to the terminal. */
interface SandboxOptions {
  /** Stores a message in the inbox. */
  store(message: Message): Promise<void>;
  /** Prints a line to the terminal. The line contains the code on purpose. */
  print(line: string): void;
}

function sandboxCarrier({ store, print }: SandboxOptions): Carrier {
  return {
    name: 'sandbox',
    channels: CHANNELS,
    async dispatch(message) {
      try {
        await store(message);
      } catch {
        return {
          kind: 'refused',
          reason: 'inbox_unavailable',
          detail: 'The sandbox inbox could not take the message.',
          rest: true,
          temporary: true,
        };
      }
      print(
        `[sandbox] ${message.channel} to ${message.recipient}: ${message.text.replace(/\s+/g, ' ').trim()}`,
      );
      return { kind: 'accepted', provider_message_id: `sandbox-${message.id}` };
    },
  };
}
