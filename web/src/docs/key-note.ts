import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { nowMs } from '../api/clock.ts';

type Noted = Pick<ApiKey, 'name' | 'mode' | 'scopes' | 'expires_at'>;

/** The most important warning about calls with this key. */
export function noteOn({ name, mode, scopes, expires_at }: Noted, route?: Route): string | undefined {
  if (expires_at !== null && new Date(expires_at) <= new Date(nowMs())) return `${name} has expired.`;
  if (route?.scope && !scopes.includes(route.scope))
    return `${name} lacks the scope ${route.scope}, which this call needs.`;
  if (mode === 'test') return `${name} is a test key: nothing is sent and nothing is charged.`;
  return undefined;
}
