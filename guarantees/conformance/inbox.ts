import { setTimeout as after } from 'node:timers/promises';
import type { MessageSource } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** The messages that an implementation has sent. */
export interface Inbox {
  /** the texts of the messages to a recipient */
  textsTo(recipient: string): Promise<string[]>;
}

const BUSY = [429, 503];
const BUSY_PAUSE_MS = 1_000;
const BUSY_TRIES = 20;

/**
 * Reads the messages where the settings say, one request at a time, because lists often have limits. Throws
 * SettingsError.
 */
export function inboxAt({ url, headers, list, text }: MessageSource): Inbox {
  let last: Promise<unknown> = Promise.resolve();
  const read = async (recipient: string): Promise<string[]> => {
    const body = await bodyAt(url.replaceAll('{recipient}', encodeURIComponent(recipient)), headers);
    const messages = valueAt(body, list);
    if (!Array.isArray(messages))
      throw new SettingsError(`The response of "messages" has no list at "${list}".`);
    return messages.map((message) => String(valueAt(message, text) ?? ''));
  };
  return {
    textsTo(recipient) {
      const next = last.then(() => read(recipient));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/** Waits while the address is busy. Throws SettingsError. */
async function bodyAt(url: string, headers: Record<string, string>): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(url, { headers }).catch(() => undefined);
    if (!answer) throw new SettingsError('Cannot reach the address of "messages".');
    const body = await answer.text();
    if (BUSY.includes(answer.status) && tries < BUSY_TRIES) {
      await after(BUSY_PAUSE_MS);
      continue;
    }
    if (!answer.ok) throw new SettingsError(`The address of "messages" responded with ${answer.status}.`);
    try {
      return JSON.parse(body);
    } catch {
      throw new SettingsError('The address of "messages" did not respond with JSON.');
    }
  }
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
