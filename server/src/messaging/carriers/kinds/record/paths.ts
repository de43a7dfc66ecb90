import type { CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';

/** Reads the values of a parsed body, which is a stranger's text. */
type Paths = string | readonly string[];

export const listed = (paths: Paths | undefined): readonly string[] =>
  paths === undefined ? [] : typeof paths === 'string' ? [paths] : paths;

/** The value at a path such as `data.to.0.status`. */
export function at(body: unknown, path: string): unknown {
  let value = body;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The items of the lists at a path such as `entry.*.changes.*.value.statuses`. */
export function itemsAt(body: unknown, path: string): unknown[] {
  let found = [body];
  for (const part of path.split('.*.')) found = found.flatMap((one) => listOf(at(one, part)));
  return found;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const LONGEST = 200;

/** A short text or number without control characters; undefined for everything else. */
export function short(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : String(value);
  if (!['string', 'number', 'boolean'].includes(typeof value) || text === '' || text.length > LONGEST)
    return undefined;
  return /[\p{Cc}\p{Cf}]/u.test(text) ? undefined : text;
}

/** The short values at the paths, in their order. */
export const shortValues = (body: unknown, paths: Paths | undefined): string[] =>
  listed(paths).flatMap((path) => short(at(body, path)) ?? []);

export const firstShort = (body: unknown, paths: Paths | undefined): string | null =>
  shortValues(body, paths)[0] ?? null;

/** The value of a key, regardless of case. */
export function ofKey<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  const found = Object.entries(map ?? {}).find(([name]) => name.toLowerCase() === key.toLowerCase());
  return found?.[1];
}

/** The code of an error, which some companies give as the fragment of an address or of a type's name. */
export const codeOf = (text: string): string => text.replace(/^(https?:\/\/.*[#/]|[\w.]+#)/, '');

/**
 * Whether a code may be part of a reason, which is stored and shown. Many digits could be a verification code or a number; the codes of
 * most companies that we know have up to five.
 */
export const isShownCode = (kind: CarrierKind, code: string): boolean =>
  /^[\w.-]{1,40}$/.test(code) && code.replace(/\D/g, '').length <= (MOST_DIGITS[kind] ?? 5);

/** Meta's error codes have six digits. */
const MOST_DIGITS: Partial<Record<CarrierKind, number>> = { custom: 3, whatsapp: 6 };
