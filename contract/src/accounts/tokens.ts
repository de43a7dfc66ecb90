import { z } from 'zod';
import { REQUIRED } from '../field.ts';
import { route } from '../route.ts';

/** The tokens of a session. In a file of its own, because every screen of the dashboard loads it. */

export const Tokens = z.object({ access: z.string(), refresh: z.string() });
export type Tokens = z.infer<typeof Tokens>;

const open = { tag: 'auth', auth: 'none' } as const;

const refreshBody = z.object({ refresh: z.string().min(1, REQUIRED).max(200) });
export const signOut = route('POST /auth/logout', {
  ...open,
  name: 'signOut',
  summary: 'End the session of this refresh token',
  body: refreshBody,
});

export const refreshTokens = route('POST /auth/refresh', {
  ...open,
  name: 'refreshTokens',
  summary: 'Exchange a refresh token for a new pair of tokens',
  body: refreshBody,
  reply: Tokens,
  failures: ['invalid_refresh_token'],
});
