import type { Needs } from '../platform/platform.ts';
import { RESET_MAILS, RESET_MAILS_OF_NETWORK } from './limits.ts';
import { keepPace, type Reservation } from './throttle.ts';

/** All unknown networks share one pace per address; each known network has a separate pace. */
export const paceOfResetMails = (
  app: Needs<'db' | 'vault'>,
  email: string,
  home: string | null,
): Promise<Reservation | undefined> =>
  home === null ? keepPace(app, RESET_MAILS, email) : keepPace(app, RESET_MAILS_OF_NETWORK, email, home);
