import type { SidKind } from '@sixdigit/contract/twilio.ts';

export { type SidKind, sidOf } from '@sixdigit/contract/twilio.ts';

/** The UUID of an identifier; undefined if the text is none of this kind. */
export function idOfSid(kind: SidKind, sid: string): string | undefined {
  const digits = /^([A-Z]{2})([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(
    sid.trim(),
  );
  if (digits?.[1]?.toUpperCase() !== kind) return undefined;
  return digits.slice(2).join('-').toLowerCase();
}

/** Twilio's times have no milliseconds. */
export const timeOf = (time: string): string => time.replace(/\.\d+Z$/, 'Z');
