import type { Sso } from '@sixdigit/contract/accounts/sso.ts';
import { PROBLEM_SENTENCES } from '../../settings/message-links/domain-texts.ts';
import type { Tone } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';

/** The state of the domain of single sign-on, in words. */
export function domainStateOf(
  settings: Pick<Sso, 'domain_status' | 'domain_problem' | 'domain_verified_at' | 'lapses_at'>,
): { tone: Tone; label: string; sentence: string } {
  const { domain_status, domain_problem, domain_verified_at, lapses_at } = settings;
  const found = domain_problem === null ? '' : PROBLEM_SENTENCES[domain_problem];
  if (domain_status === 'verified')
    return {
      tone: 'green',
      label: 'Verified',
      sentence: `Verified by its record, last on ${shortDateTime(domain_verified_at)}. ${found}`.trim(),
    };
  if (domain_status === 'lapsing')
    return {
      tone: 'red',
      label: 'Record missing',
      sentence: `Sign-ins work until ${shortDateTime(lapses_at)}. Create the record again.`,
    };
  return {
    tone: 'orange',
    label: 'Waiting for the record',
    sentence: found || 'Create the record at your DNS provider, then check it.',
  };
}
