import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** The only source of randomness: the operating system's CSPRNG. */
export interface Random {
  bytes(count: number): Buffer;
  /** Uniform decimal digits, including leading zeros. */
  digits(count: number): string;
  /** UUIDv7 (RFC 9562, 5.7): 48 bits of milliseconds, then a counter that orders the ids of one process. */
  uuid(): string;
  /** 256 random bits, base64url. */
  token(): string;
}

export function systemRandom(clock: Clock): Random {
  let pool = Buffer.alloc(0);
  let used = 0;
  const take = (count: number): Buffer => {
    if (used + count > pool.length) {
      pool = randomBytes(Math.max(4096, count));
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
  let lastMs = 0;
  let counter = 0;
  return {
    bytes: (count) => Buffer.from(take(count)),
    digits: (count) => String(randomInt(10 ** count)).padStart(count, '0'),
    token: () => Buffer.from(take(32)).toString('base64url'),
    uuid() {
      const ms = clock.now().getTime();
      if (ms > lastMs) {
        lastMs = ms;
        counter = take(2).readUInt16BE() & 0x07ff;
      } else if (++counter > 0x0fff) {
        lastMs += 1;
        counter = 0;
      }
      const id = Buffer.allocUnsafe(16);
      id.writeUIntBE(lastMs, 0, 6);
      id.writeUInt16BE(0x7000 | counter, 6);
      take(8).copy(id, 8);
      id[8] = 0x80 | ((id[8] ?? 0) & 0x3f);
      return uuidText(id);
    },
  };
}

/** A random factor for a delay, uniform between 1 − share and 1 + share. */
export const jitter = (random: Pick<Random, 'bytes'>, share: number): number =>
  1 - share + 2 * share * (random.bytes(4).readUInt32BE() / 2 ** 32);

export function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The latest time that a UUIDv7 can hold, in ms. */
const LAST_MS = 2 ** 48 - 1;

/** The lowest UUIDv7 for a time. Ids created at or after this time compare greater or equal. */
export function uuidFloor(at: Date): string {
  const id = Buffer.alloc(16);
  id.writeUIntBE(Math.min(Math.max(0, at.getTime()), LAST_MS), 0, 6);
  id[6] = 0x70;
  id[8] = 0x80;
  return uuidText(id);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Whether an external text is a valid id. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** The creation time of a time-ordered id, in ms. */
export const timeOfUuid = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** How long ago an id was created, in ms. */
export const ageMs = (clock: Clock, id: string): number =>
  clock.now().getTime() - Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
