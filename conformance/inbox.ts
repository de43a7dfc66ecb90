import { setTimeout as after } from 'node:timers/promises';
import type { MessageSource } from './settings.ts';

/** The messages that an implementation has sent. */
export interface Inbox {
  /** the texts of the messages to a recipient */
  textsTo(recipient: string): Promise<string[]>;
}

/** Reads the messages where the settings say. Throws an error with a sentence. */
export function inboxAt({ url, headers, list, text }: MessageSource): Inbox {
  return {
    async textsTo(recipient) {
      const answer = await fetch(url.replaceAll('{recipient}', encodeURIComponent(recipient)), { headers });
      const body = await answer.text();
      if (!answer.ok) throw new Error(`The address of "messages" responded with ${answer.status}.`);
      const messages = valueAt(JSON.parse(body), list);
      if (!Array.isArray(messages)) throw new Error(`The response of "messages" has no list at "${list}".`);
      return messages.map((message) => String(valueAt(message, text) ?? ''));
    },
  };
}

/** The value at a path with dots between the fields. */
export const valueAt = (value: unknown, path: string): unknown =>
  path === ''
    ? value
    : path
        .split('.')
        .reduce<unknown>(
          (inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name],
          value,
        );

const POLL_MS = 100;

/** Waits until a recipient has so many messages, and returns their texts, even if there are fewer at the end. */
export async function waitForTexts(
  inbox: Inbox,
  recipient: string,
  count: number,
  deadline: number,
): Promise<string[]> {
  for (;;) {
    const texts = await inbox.textsTo(recipient);
    if (texts.length >= count || performance.now() > deadline) return texts;
    await after(POLL_MS);
  }
}
