import { z } from 'zod';
import { id, time } from '../field.ts';
import { route } from '../route.ts';

const own = { tag: 'account', auth: 'bearer' } as const;

export const Session = z.object({
  id,
  created_at: time,
  last_used_at: time,
  ip_address: z.string().nullable(),
  place: z.string().nullable().meta({
    description: 'Where the address is, as far as the service knows; null without a database of places',
  }),
  user_agent: z.string().nullable(),
  is_current: z.boolean(),
});
export type Session = z.infer<typeof Session>;
export const listSessions = route('GET /auth/sessions/', {
  ...own,
  name: 'listSessions',
  summary: 'Active sessions of the account',
  reply: z.object({ results: z.array(Session), count: z.number().int() }),
});
export const endSession = route('DELETE /auth/sessions/:id/', {
  ...own,
  name: 'endSession',
  summary: 'Sign one session out',
  failures: ['not_found'],
});

export const endAllSessions = route('POST /auth/sessions/end-all/', {
  ...own,
  name: 'endAllSessions',
  summary: 'Sign out everywhere',
  body: z.object({
    keep_current: z
      .boolean({ error: 'Must be true or false.' })
      .default(false)
      .meta({ description: 'Whether the session of this call stays' }),
  }),
});
