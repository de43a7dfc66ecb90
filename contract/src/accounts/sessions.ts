import { z } from 'zod';
import { id, time } from '../field.ts';
import { route } from '../route.ts';

const own = { tag: 'account', auth: 'person' } as const;

export const Session = z.object({
  id,
  created_at: time,
  last_used_at: time,
  ip_address: z.string().nullable(),
  place: z.string().nullable().meta({
    description: 'Approximate location of the address; null if the service has no geolocation database',
  }),
  user_agent: z.string().nullable(),
  is_current: z.boolean(),
});
export type Session = z.infer<typeof Session>;
export const listSessions = route('GET /auth/sessions/', {
  ...own,
  name: 'listSessions',
  summary: 'Active sessions of the account',
  description: "An SSO session gets the person's SSO sessions of its account, and can end only those.",
  reply: z.object({ results: z.array(Session), count: z.number().int() }),
});
export const endSession = route('DELETE /auth/sessions/:id/', {
  ...own,
  name: 'endSession',
  summary: 'End one session',
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
      .meta({ description: 'Whether to keep the session that makes this call' }),
  }),
});
