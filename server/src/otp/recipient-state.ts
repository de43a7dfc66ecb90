import type { Code } from './code.ts';

const MINUTE = 60_000;
/** Sends to the same recipient share a code for this long after its first send. */
export const SHARING_MS = 10 * MINUTE;
export const DAY_MS = 24 * 60 * MINUTE;

/** A recipient's row as the decision reads and changes it. Times are in ms of the database clock. */
export interface RecipientState {
  account_id: string;
  recipient: string;
  code: Code | null;
  first_sent_ms: number;
  open_until_ms: number;
  open_ids: string[];
  tries_used: number;
  sends: number[];
  /** Wrong codes of the last day, for WRONG_CODES_PER_DAY. */
  wrong_tries: readonly number[];
  touched: boolean;
}

/** The recipient of a state row. Tests have rows of their own, so that they share no code and no limit with live sends. */
export const stateRecipient = ({ recipient, is_test }: { recipient: string; is_test: boolean }): string =>
  is_test ? `test:${recipient}` : recipient;

/** The recipients of its live and of its test row. */
export const stateRecipientsOf = (recipient: string): string[] =>
  [false, true].map((is_test) => stateRecipient({ recipient, is_test }));

export const recipientKey = (account_id: string, recipient: string): string => `${account_id} ${recipient}`;

/** A recipient that has no row yet. */
export const newRecipient = ({
  account_id,
  recipient,
}: Pick<RecipientState, 'account_id' | 'recipient'>): RecipientState => ({
  account_id,
  recipient,
  code: null,
  first_sent_ms: 0,
  open_until_ms: 0,
  open_ids: [],
  tries_used: 0,
  sends: [],
  wrong_tries: [],
  touched: false,
});
