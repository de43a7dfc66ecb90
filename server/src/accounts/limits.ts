/** How often what may be tried by whom. Addresses are single IPv4 ones and /64 networks of IPv6. */
export interface Limit {
  name: string;
  /** times within the window; the window begins with the first */
  most: number;
  seconds: number;
}

const QUARTER = 15 * 60;
const HOUR = 60 * 60;
const DAY = 24 * HOUR;

const limit = (name: string, most: number, seconds: number): Limit => ({ name, most, seconds });

/** Failed sign-ins. None counts by account alone: a flood from elsewhere must not keep the owner out. */
export const SIGN_IN_BY_ADDRESS = limit('sign-in', 100, QUARTER);
export const SIGN_IN_BY_ACCOUNT_AND_ADDRESS = limit('sign-in account', 10, QUARTER);
/** Beyond this many failures from anywhere, addresses that the account never used are asked for a code as well. */
export const SIGN_IN_BY_ACCOUNT = limit('sign-in anywhere', 100, HOUR);

/** Those that were never completed. */
export const SIGN_UP_BY_ADDRESS = limit('sign-up', 60, HOUR);
export const FORGOT_BY_ADDRESS = limit('forgot', 60, HOUR);

/** What people who did not sign in can have sent to one recipient. */
export const ANONYMOUS_BY_RECIPIENT_AND_ADDRESS = limit('anonymous recipient address', 10, HOUR);
export const ANONYMOUS_BY_RECIPIENT = limit('anonymous recipient', 30, HOUR);
/** Codes for signing in and for proving a phone, after the right password. */
export const CODES_BY_ACCOUNT = limit('codes', 30, HOUR);
export const CODES_BY_PHONE = limit('codes phone', 10, HOUR);

/** Failed entries of codes. */
export const CODE_ENTRY_BY_ADDRESS = limit('code entry', 300, QUARTER);
/** Reset codes are within anybody's reach, so they have counters of their own. */
export const RESET_BY_ACCOUNT_AND_ADDRESS = limit('reset', 10, QUARTER);
/** NIST SP 800-63B-4, 3.2.2: at most 100 consecutive failures an account. */
export const RESET_BY_ACCOUNT = limit('reset anywhere', 100, DAY);

/** Ten wrong codes of an account within an hour, over all its sessions, rest code entry for a quarter of an hour. */
export const CODE_ENTRY_FAILURES = 10;
export const CODE_ENTRY_WINDOW_SECONDS = HOUR;
export const CODE_ENTRY_LOCK_SECONDS = QUARTER;

export const SESSION_TOKEN_SECONDS = 10 * 60;
export const CODE_SECONDS = 5 * 60;
export const CODE_TRIES = 5;
export const RESENDS = 5;

export const ACCESS_TOKEN_SECONDS = 10 * 60;
export const REFRESH_TOKEN_SECONDS = 30 * DAY;
/** The token that was just replaced still gets the same child: two tabs, or an answer that was lost. */
export const PARENT_FORGIVEN_SECONDS = 10;
