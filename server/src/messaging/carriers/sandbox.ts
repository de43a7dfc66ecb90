import { CHANNELS } from '@sixdigit/contract/channels.ts';
import type { Carrier, Message } from './carrier.ts';

/** The sandbox carrier stores every message in the inbox and prints it to the terminal. */
export interface SandboxOptions {
  /** Stores a message in the inbox. */
  store(message: Message): Promise<void>;
  /** Prints a line to the terminal. The line contains the code on purpose. */
  print(line: string): void;
}

export function sandboxCarrier({ store, print }: SandboxOptions): Carrier {
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
