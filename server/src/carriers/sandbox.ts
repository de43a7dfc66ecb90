import { type Carrier, channels, type Message } from './carrier.ts';

/** The sandbox's carrier: every message lands in the inbox instead of on a phone, and on the terminal. */
export interface SandboxOptions {
  /** Puts a message into the inbox. */
  store(message: Message): Promise<void>;
  /** Shows a line to whoever started the sandbox; it contains the code, on purpose. */
  print(line: string): void;
}

export function sandboxCarrier({ store, print }: SandboxOptions): Carrier {
  return {
    name: 'sandbox',
    channels,
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
