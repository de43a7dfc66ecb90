import { failures } from '@sixdigit/contract/errors.ts';
import type { sendOtp } from '@sixdigit/contract/otp.ts';
import type { RecipientEvent, RecipientVerification } from '@sixdigit/contract/recipients.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { labelOf } from '../ui/channel.ts';
import { shortDateTime } from '../ui/dates.ts';
import { outcomeOf } from './outcome.ts';
import { refusalText } from './refused.ts';

/** What happened to a recipient's last code. */
export interface Story {
  /** what happened and why */
  what: string;
  /** what the account's owner can do; empty if nothing */
  next: string;
  /** what to send to the end user */
  answer: string;
}

const RETRY = 'Please request a new code.';

/** The newest send, accepted or refused. Later wrong codes belong to it. */
export function storyOf(events: readonly RecipientEvent[], nowMs: number): Story | undefined {
  for (const { verification, refusal } of events) {
    if (verification) return sent(verification, nowMs);
    if (refusal?.request_type === 'send_otp') return refused(refusal);
  }
  return undefined;
}

/** What happened to a verification in the words of its details. */
export const outcomeOfVerification = (otp: RecipientVerification, nowMs: number): string =>
  outcomeOf({ ...otp, status_logs: closingLogs(otp) }, nowMs);

/** The list has no history rows, but knows how a verification was closed. */
function closingLogs({ id, closed_by, status, expires_at }: RecipientVerification) {
  const notes = { canceled: 'Canceled', superseded: 'Superseded', attempts: null }[closed_by ?? 'attempts'];
  if (notes === null) return [];
  return [
    { id, previous_status: status, new_status: status, changed_at: expires_at, ip_address: null, notes },
  ];
}

function sent(otp: RecipientVerification, nowMs: number): Story {
  const at = shortDateTime(otp.created_at);
  const what = `The last code (${labelOf(otp.channel)}) was requested on ${at}. ${outcomeOfVerification(otp, nowMs)}`;
  return { what, ...adviceOn(otp, { at, nowMs }) };
}

function adviceOn(
  otp: RecipientVerification,
  { at, nowMs }: { at: string; nowMs: number },
): Omit<Story, 'what'> {
  const until = shortDateTime(otp.expires_at);
  const isMail = otp.channel === 'email';
  const place = isMail ? 'your spam folder' : 'that your phone has reception';
  const isOpen = Date.parse(otp.expires_at) > nowMs;
  if (otp.closed_by === 'attempts')
    return {
      next: 'Too many wrong codes were entered. The recipient can request a new code.',
      answer: `A wrong code was entered too many times, so your code of ${at} no longer works. ${RETRY}`,
    };
  if (otp.closed_by === 'canceled')
    return { next: '', answer: `Your code of ${at} was canceled and no longer works. ${RETRY}` };
  if (otp.status === 'verified' || otp.outcome === 'verified' || otp.closed_by === 'superseded')
    return {
      next: '',
      answer: `Your code of ${at} was entered correctly, so it cannot be used again. If you still need a code, please request a new one.`,
    };
  if (otp.status === 'failed')
    return {
      next: isMail
        ? 'Check the address with the recipient.'
        : 'Check the number with the recipient, or try another channel.',
      answer: `We could not deliver your code of ${at}. Please check that ${otp.recipient} is correct, then request a new code.`,
    };
  if (otp.status === 'pending')
    return {
      next: 'Wait a moment: dispatch is retried until shortly before the code expires.',
      answer: `Your code of ${at} is on its way to ${otp.recipient}. Please wait a moment and check ${place}.`,
    };
  if (isOpen)
    return {
      next: '',
      answer: `We sent your code to ${otp.recipient} at ${at}. It works until ${until}. If you cannot find it, please check ${place}.`,
    };
  if (otp.delivered_at !== null)
    return {
      next: 'The recipient can request a new code.',
      answer: `Your code of ${at} was delivered to ${otp.recipient}, but expired at ${until}. ${RETRY}`,
    };
  return {
    next: isMail
      ? 'Ask the recipient to check the address and the spam folder.'
      : 'Ask the recipient to check the number, or try another channel.',
    answer: `We sent your code to ${otp.recipient} at ${at}, but it expired at ${until}. Please check ${place}, then request a new code.`,
  };
}

function refused(log: RequestLog): Story {
  const at = shortDateTime(log.created_at);
  const of = log.otp?.channel ? `${labelOf(log.otp.channel)}, ${at}` : at;
  const { next, answer } = adviceOnRefusal(log);
  return {
    what: `The last code (${of}) was not sent: ${whyRefused(log)}`,
    next,
    answer: answer(at),
  };
}

/** What the account can do about a refused send; empty if the request's details are all there is. */
export function nextStep(log: RequestLog): string {
  const advice = adviceOnRefusal(log);
  return advice === OTHER ? '' : advice.next;
}

function adviceOnRefusal({ reason, blocked_by, refused_fields }: RequestLog): Advice {
  if (refused_fields && !refused_fields.some(({ field }) => field === 'recipient'))
    return { next: 'Correct the request, then send again.', answer: ours };
  const advice = (ADVICE as Record<string, Advice>)[reason ?? ''] ?? OTHER;
  if (!blocked_by?.includes('deny_list')) return advice;
  return { ...advice, next: 'To send to it again, remove the entry from the deny list in Protection.' };
}

/** Why a request failed, as a sentence. */
export function whyRefused(log: RequestLog): string {
  const { reason, response_status_code } = log;
  const fields = refusalText(log);
  if (fields) return fields;
  if (reason === 'invalid_fields') return 'A field of the request was not valid.';
  const known = failures[reason as keyof typeof failures] as { error: string } | undefined;
  const why = known?.error ?? reason ?? `The response had status ${response_status_code}`;
  return /[.!?]$/.test(why) ? why : `${why}.`;
}

interface Advice {
  next: string;
  answer: (at: string) => string;
}

const ours = (at: string): string =>
  `We could not send your code at ${at} because of a problem on our side. Please try again later.`;
const waits = (at: string): string =>
  `Too many codes were requested around ${at}, so we could not send another one. Please wait a while, then request a new code.`;

const OTHER: Advice = { next: 'Open the request to see its details.', answer: ours };

const ADVICE: Record<(typeof sendOtp.failures)[number] | 'invalid_fields', Advice> = {
  insufficient_credits: { next: 'Send again when the account has credits.', answer: ours },
  spend_limit_reached: {
    next: 'Raise the spend limit in Protection, or wait until it resets.',
    answer: ours,
  },
  recipient_opted_out: {
    next: 'Only the recipient can end the opt-out, by texting START to the sender of the messages.',
    answer: () =>
      'You replied STOP to one of our messages, so we cannot send you codes. Text START to the same number, then request a new code.',
  },
  proof_required: {
    next: 'Let the page solve the challenge of the response, and send its solution as proof.',
    answer: ours,
  },
  invalid_proof: {
    next: 'Let the page solve a fresh challenge for each send and recipient.',
    answer: ours,
  },
  destination_blocked: {
    next: 'Review the block in Protection. You can allow the number there.',
    answer: (at) =>
      `Our fraud protection stopped your code at ${at}. We are looking into it. Please try again later or use another way to sign in.`,
  },
  recipient_rate_limited: {
    next: 'Wait: the limit protects the recipient and ends on its own.',
    answer: waits,
  },
  recipient_suppressed: {
    next: 'If the address gets email again, remove it from Suppressions.',
    answer: () =>
      'Emails to your address failed or were not wanted, so we cannot send you codes there. Please use another address or another way to sign in.',
  },
  limit_reached: {
    next: 'Wait until the limit of your own has room, or raise it in Protection.',
    answer: waits,
  },
  test_limit_reached: {
    next: 'Wait until tomorrow, or send with a live key.',
    answer: ours,
  },
  idempotency_key_reused: {
    next: 'Send a different request with an Idempotency-Key of its own.',
    answer: ours,
  },
  rate_limited: { next: 'Send more slowly, or raise the limit of the API key.', answer: waits },
  invalid_fields: {
    // The sentence about the field says what to do.
    next: '',
    answer: (at) =>
      `We could not send your code at ${at}. Please check your number or email address, then request a new code.`,
  },
};
