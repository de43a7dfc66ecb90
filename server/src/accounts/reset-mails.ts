import type { Needs } from '../platform/platform.ts';
import { keepPace, RESET_MAILS, RESET_MAILS_OF_NETWORK, type Reservation } from './limits.ts';

/** All unknown networks share one pace per address; each known network has a separate pace. */
export const paceOfResetMails = (
  app: Needs<'db' | 'vault'>,
  email: string,
  home: string | null,
): Promise<Reservation | undefined> =>
  home === null ? keepPace(app, RESET_MAILS, email) : keepPace(app, RESET_MAILS_OF_NETWORK, email, home);
