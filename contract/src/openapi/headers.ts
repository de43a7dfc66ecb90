import type { Route } from '../route.ts';
import type { Json } from './describe.ts';

const whole = { type: 'integer', minimum: 0 };

/** Headers of responses, for `components.headers` of the OpenAPI document. */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': { description: 'Identifies the request in the log', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests a second that the key may make', schema: whole },
  'RateLimit-Remaining': { description: 'Requests that are left in this second', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until the limit starts again', schema: whole },
  'X-Spend-Limit-Remaining': {
    description:
      'Credits that the nearest spend limit of the account or the key leaves. Absent without a limit',
    schema: whole,
  },
  'Retry-After': { description: 'Seconds to wait', schema: whole },
};

/** References to the headers that a response of this status has. */
export function headersOf({ name, auth }: Pick<Route, 'name' | 'auth'>, status: number): Json {
  const isSpending = name === 'sendOtp' && (status === 201 || status === 402);
  const names = [
    'X-Request-Id',
    ...(auth === 'api_key' && status !== 503
      ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
      : []),
    ...(isSpending ? ['X-Spend-Limit-Remaining'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((header) => [header, { $ref: `#/components/headers/${header}` }]));
}
