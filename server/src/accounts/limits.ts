/**
 * Rate limits of the calls that strangers can make. An address is one IPv4 address or one /64 of IPv6; a network is a
 * /24 or a /56; a known network is one that the account signed in from. Every limit that strangers can reach leaves
 * the account's known networks out, which have limits of their own.
 */
export interface Limit {
  name: string;
  /** times within the window; the window begins with the first */
  most: number;
  seconds: number;
}

/** A burst, then one each interval. */
export interface Pace {
  name: string;
  burst: number;
  everySeconds: number;
}

const QUARTER = 15 * 60;
const HOUR = 60 * 60;
const DAY = 24 * HOUR;

const limit = (name: string, most: number, seconds: number): Limit => ({ name, most, seconds });

/** Failed sign-ins. None counts by account alone: a flood from elsewhere must not lock the owner out. */
export const SIGN_IN_BY_ADDRESS = limit('sign-in', 100, QUARTER);
export const SIGN_IN_BY_ACCOUNT_AND_ADDRESS = limit('sign-in account', 10, QUARTER);
export const SIGN_IN_BY_ACCOUNT_AND_NETWORK = limit('sign-in account network', 30, QUARTER);
/** Beyond this many failures from unknown networks, those are asked for a code as well; so is a known network beyond its own. */
export const SIGN_IN_BY_ACCOUNT = limit('sign-in failures', 100, HOUR);
/** Sign-ins from a known network that go before others in the hashing queue; further ones wait with the others. */
export const FIRST_IN_QUEUE = limit('first in queue', 30, QUARTER);

/** By /24 of IPv4 and /56 of IPv6. Completed ones count too, except in a sandbox that is not public. */
export const SIGN_UPS_BY_NETWORK = limit('sign-up', 60, HOUR);
/** What people who sign up can have sent to one recipient. */
export const ANONYMOUS_BY_RECIPIENT_AND_ADDRESS = limit('anonymous recipient address', 10, HOUR);
export const ANONYMOUS_BY_RECIPIENT = limit('anonymous recipient', 30, HOUR);

/**
 * Mails to reset a password. When the pace refuses one, the last mail is younger than the interval, and its link lives
 * longer than that: the owner always has a link that works.
 */
export const FORGOT_BY_ADDRESS = limit('forgot', 60, HOUR);
export const RESET_LINK_SECONDS = 30 * 60;
export const RESET_MAILS: Pace = { name: 'reset mails', burst: 3, everySeconds: 20 * 60 };
export const RESET_MAILS_OF_NETWORK: Pace = { name: 'reset mails network', burst: 5, everySeconds: 10 * 60 };
/** Those of them that carry a code, too: five guesses each. */
export const RESET_CODES = limit('reset codes', 5, DAY);
export const RESET_CODES_OF_NETWORK = limit('reset codes network', 20, DAY);

/** Codes for signing in and for proving a phone, after the right password. */
export const CODES_BY_ACCOUNT = limit('codes', 30, HOUR);
export const CODES_BY_ACCOUNT_AND_NETWORK = limit('codes network', 30, HOUR);

/** Texts of the dashboard. Each counts apart for anybody, for sign-ins from new networks, and for those from known ones. */
export const OWN_SMS_BY_NUMBER = { most: 5, seconds: DAY } as const;
export const OWN_SMS_NUMBERS_BY_ACCOUNT = { most: 3, seconds: DAY } as const;
/** By /24 of IPv4 and /56 of IPv6; sign-ins from a network that the account knows are not counted. */
export const OWN_SMS_BY_NETWORK = { most: 30, seconds: HOUR } as const;
export const OWN_SMS_DEPLOYMENT_SECONDS = HOUR;
/** The share of OWN_SMS_PER_HOUR from which on a text is refused: the rest is a reserve for owners who sign in. */
export const OWN_SMS_SHARES = { anyone: 0.5, new_network: 0.75, known_network: 1 } as const;

/** Wrong codes. */
export const CODE_ENTRY_BY_ADDRESS = limit('code entry', 300, QUARTER);

/**
 * Ten wrong codes within an hour lock code entry after a right password for a quarter of an hour: for all unknown
 * networks together, or for the one known network that they came from.
 */
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
