import type { Needs } from '../../platform/platform.ts';
import { keepPace, RESET_MAILS, RESET_MAILS_OF_NETWORK, type Reservation } from '../limits.ts';

/** For each address, all unknown networks share one pace, and each known network has a separate one. */
export const paceOfResetMails = (
  app: Needs<'db' | 'vault'>,
  email: string,
  home: string | null,
): Promise<Reservation | undefined> =>
  home === null ? keepPace(app, RESET_MAILS, email) : keepPace(app, RESET_MAILS_OF_NETWORK, email, home);
