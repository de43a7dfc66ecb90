/** The properties of each channel. Schemas, settings, metrics and screens derive from this table. */
interface ChannelFacts {
  /** The name in the dashboard, the ledger and refusals. */
  label: string;
  recipient: 'phone' | 'email';
  /** The content for a carrier: text of limited segments, a spoken sentence, or a mail with a subject. */
  format: 'text' | 'speech' | 'mail';
  /** Whether a recipient who replied STOP gets no more messages on this channel. */
  obeysOptOut: boolean;
}

export const CHANNEL_FACTS = {
  sms: { label: 'SMS', recipient: 'phone', format: 'text', obeysOptOut: true },
  voice: { label: 'Voice', recipient: 'phone', format: 'speech', obeysOptOut: false },
  email: { label: 'Email', recipient: 'email', format: 'mail', obeysOptOut: false },
} as const satisfies Record<string, ChannelFacts>;

export type Channel = keyof typeof CHANNEL_FACTS;

/** All channels, in the order of documents and screens. */
export const CHANNELS = Object.keys(CHANNEL_FACTS) as [Channel, ...Channel[]];

export const factsOf = (channel: Channel): ChannelFacts => CHANNEL_FACTS[channel];

/** A value for each channel. */
export const perChannel = <T>(value: (channel: Channel) => T): Record<Channel, T> =>
  Object.fromEntries(CHANNELS.map((channel) => [channel, value(channel)])) as Record<Channel, T>;

/** "sms, voice or email" */
export const ONE_OF_CHANNELS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(CHANNELS);
