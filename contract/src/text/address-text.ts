import { z } from 'zod';

const ipv4 = z.ipv4();
const ipv6 = z.ipv6();
const isAddress = (text: string): boolean => ipv4.safeParse(text).success || ipv6.safeParse(text).success;

/**
 * The IP address in a text as proxies and frameworks write it: in quotes or brackets, with a port or a zone. Undefined for anything
 * else, such as `unknown`, `_hidden` and a name.
 */
export function addressIn(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
  const inner =
    /^\[([^\]]*)\](?::[\w.-]*)?$/.exec(bare)?.[1] ?? bare.replace(/^(\d+(?:\.\d+){3}):[\w.-]*$/, '$1');
  const address = inner.trim().replace(/^([^%:]*:[^%]*)%.+$/s, '$1');
  return isAddress(address) ? address : undefined;
}
