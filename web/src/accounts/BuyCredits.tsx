import { LoneLink } from '../ui/links.tsx';
import { useMay } from './role.ts';

/** The way out when a send needs more credits than the account has. */
export const BuyCredits = () =>
  useMay()('createIntent') ? (
    <LoneLink to="/credits">Buy credits</LoneLink>
  ) : (
    <span>An owner or admin can buy credits</span>
  );
