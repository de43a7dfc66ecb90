import type { MESSAGE_LINKS, MessageDomain } from '@sixdigit/contract/message-links.ts';
import type { Tone } from './Badge.tsx';
import { shortDateTime } from './dates.ts';

type Links = (typeof MESSAGE_LINKS)[number];
type Problem = NonNullable<MessageDomain['problem']>;

export const LINKS_SENTENCES: Record<Links, string> = {
  any: 'This service does not restrict links: messages can link to any domain.',
  listed:
    'This service restricts links: messages can link only to verified domains in this list and their subdomains.',
};

export const PROBLEM_SENTENCES: Record<Problem, string> = {
  record_missing: 'The last check did not find the record. A new record can take an hour to appear.',
  record_differs: 'The last check found a TXT record with another value.',
  dns_unavailable: 'At the last check, the domain’s name servers did not answer.',
};

export interface DomainState {
  tone: Tone;
  label: string;
  sentence: string;
  /** the user has to create the record */
  needsRecord: boolean;
}

interface Proof {
  status: MessageDomain['status'];
  problem: Problem | null;
  verified_at: string | null;
}

/** The state of a domain's proof. `lapsing` is the sentence while the record is missing. */
export function proofState({ status, problem, verified_at }: Proof, lapsing: () => string): DomainState {
  if (status === 'verified') {
    const proven = `Verified by its record, last on ${shortDateTime(verified_at)}.`;
    const sentence = problem === null ? proven : `${proven} ${PROBLEM_SENTENCES[problem]}`;
    return { tone: 'green', label: 'Verified', sentence, needsRecord: false };
  }
  if (status === 'pending') {
    const sentence =
      problem === null
        ? 'Create the record at your DNS provider, then check it.'
        : PROBLEM_SENTENCES[problem];
    return { tone: 'orange', label: 'Waiting for the record', sentence, needsRecord: true };
  }
  return { tone: 'red', label: 'Record missing', sentence: lapsing(), needsRecord: true };
}

export const stateOf = (domain: MessageDomain, now: number): DomainState =>
  proofState(domain, () => {
    const { lapses_at } = domain;
    const end = shortDateTime(lapses_at);
    // Messages are refused once the grace period ends, although the status changes only at the next look-up.
    const isOver = lapses_at !== null && Date.parse(lapses_at) <= now;
    return isOver
      ? `The grace period ended on ${end}. Create the record again, then check it.`
      : `Grace period until ${end}: the domain stays verified until then. Create the record again.`;
  });

/** The effect of the removal, for its confirmation. */
export function removalSentences({ domain, status }: MessageDomain, links: Links): string {
  const again = 'To add the domain again, you need a new record.';
  return links === 'listed' && status !== 'pending'
    ? `Messages that link to ${domain} are refused from then on. ${again}`
    : again;
}
