/** The properties of each channel. Schemas, settings, metrics and screens derive from this table. */
interface ChannelFacts {
  /** The name in the dashboard, the ledger and refusals. */
  label: string;
  recipient: 'phone' | 'email';
  /**
   * The content for a carrier: text of limited segments, a spoken sentence, a mail with a subject, or only the code, which the
   * channel's company shows in a fixed text of its own.
   */
  format: 'text' | 'speech' | 'mail' | 'fixed';
  /** The channel delivers only codes of digits, at most this many. */
  digitsMost?: number;
  /** Whether a recipient who replied STOP gets no more messages on this channel. */
  obeysOptOut: boolean;
}

export const CHANNEL_FACTS = {
  sms: { label: 'SMS', recipient: 'phone', format: 'text', obeysOptOut: true },
  voice: { label: 'Voice', recipient: 'phone', format: 'speech', obeysOptOut: false },
  email: { label: 'Email', recipient: 'email', format: 'mail', obeysOptOut: false },
  whatsapp: { label: 'WhatsApp', recipient: 'phone', format: 'fixed', obeysOptOut: true },
  telegram: { label: 'Telegram', recipient: 'phone', format: 'fixed', obeysOptOut: false, digitsMost: 8 },
} as const satisfies Record<string, ChannelFacts>;

export type Channel = keyof typeof CHANNEL_FACTS;

/** All channels, in the order of documents and screens. */
export const CHANNELS = Object.keys(CHANNEL_FACTS) as [Channel, ...Channel[]];

export const factsOf = (channel: Channel): ChannelFacts => CHANNEL_FACTS[channel];

/** A value for each channel. */
export const perChannel = <T>(value: (channel: Channel) => T): Record<Channel, T> =>
  Object.fromEntries(CHANNELS.map((channel) => [channel, value(channel)])) as Record<Channel, T>;

/** "sms, voice, email, whatsapp or telegram" */
export const ONE_OF_CHANNELS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(CHANNELS);
