import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CarrierSettings } from '../../platform/config.ts';
import type { Carrier, Message } from './carrier.ts';
import { httpCarrier } from './http.ts';
import { smtpCarrier } from './smtp.ts';
import { twilioCarrier } from './twilio.ts';

/**
 * The carriers that serve each channel, in the operator's order. `carrierProblems` (problems.ts) validates the settings;
 * `createCarriers` expects valid ones.
 */
export interface CarrierOptions extends CarrierSettings {
  /** Channels without a carrier deliver to the sandbox inbox. */
  sandbox: boolean;
  brandName: string;
  publicUrl?: string | undefined;
}

export interface CarrierSurroundings {
  clock: Pick<Clock, 'now'>;
  sandboxStore(message: Message): Promise<void>;
  sandboxPrint(line: string): void;
}

export interface Carriers {
  /** In the order to try; empty if the channel is unavailable. */
  forChannel(channel: Channel, country?: string): readonly Carrier[];
  /** Whether operators have set separate routes for messages to this country. */
  hasRoutes(channel: Channel, country: string): boolean;
  has(channel: Channel): boolean;
  /** Whether messages of this channel stay in the sandbox inbox. */
  isSimulated(channel: Channel): boolean;
  close(): Promise<void>;
}

export function createCarriers(options: CarrierOptions, surroundings: CarrierSurroundings): Carriers {
  const carriers = new Map<string, Carrier>();
  for (const carrier of build(options, surroundings)) carriers.set(carrier.name, carrier);

  const served = new Map<Channel, readonly Carrier[]>();
  for (const channel of CHANNELS) {
    const own = [...new Set(chosenCarriers(options, channel) ?? realCarriers)]
      .flatMap((name) => carriers.get(name) ?? [])
      .filter((carrier) => carrier.channels.includes(channel));
    const inbox = carriers.get('sandbox');
    served.set(channel, own.length === 0 && inbox ? [inbox] : own);
  }

  const forChannel = (channel: Channel) => served.get(channel) ?? [];
  return {
    forChannel,
    hasRoutes: () => false,
    has: (channel) => forChannel(channel).length > 0,
    isSimulated: (channel) => forChannel(channel).some((carrier) => carrier.name === 'sandbox'),
    async close() {
      await Promise.all([...carriers.values()].map((carrier) => carrier.close?.()));
    },
  };
}

/** The carrier names in a channel's setting; undefined if it lists none. */
export function chosenCarriers(options: CarrierOptions, channel: Channel): readonly string[] | undefined {
  const chosen = options.chosen?.[channel];
  return chosen?.length ? chosen : undefined;
}

/** Carriers for a single channel come before the general one. */
const realCarriers: readonly string[] = ['smtp', 'twilio', 'http'];

/** The sender used by a sandbox that has a mail server but no sender configured. Mail catchers accept any address. */
const sandboxSender = 'no-reply@localhost';

function build(options: CarrierOptions, surroundings: CarrierSurroundings): Carrier[] {
  const { smtpUrl, twilio = {}, http = {}, brandName, publicUrl } = options;
  const { clock } = surroundings;
  const carriers: Carrier[] = [];
  if (smtpUrl) {
    const from = options.emailFrom ?? sandboxSender;
    carriers.push(smtpCarrier({ url: smtpUrl, from, brandName, publicUrl }));
  }
  if (twilio.accountSid && twilio.authToken && twilio.from) {
    const { accountSid, authToken, from, apiUrl } = twilio;
    carriers.push(twilioCarrier({ accountSid, authToken, from, apiUrl, brandName, clock }));
  }
  if (http.url && http.secret) carriers.push(httpCarrier({ url: http.url, secret: http.secret, clock }));
  if (options.sandbox) {
    carriers.push(sandboxCarrier({ store: surroundings.sandboxStore, print: surroundings.sandboxPrint }));
  }
  return carriers;
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
