import type { Sso } from '@sixdigit/contract/accounts/sso.ts';
import { shortDateTime } from '../ui/dates.ts';
import { type DomainState, proofState } from '../ui/domain-texts.ts';

/** The state of the SSO domain, in words. */
export const domainStateOf = (
  settings: Pick<Sso, 'domain_status' | 'domain_problem' | 'domain_verified_at' | 'lapses_at'>,
): DomainState => {
  const { domain_status: status, domain_problem: problem, domain_verified_at: verified_at } = settings;
  return proofState(
    { status, problem, verified_at },
    () => `SSO works until ${shortDateTime(settings.lapses_at)}. Create the record again.`,
  );
};
