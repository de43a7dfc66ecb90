import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { PageLink } from '../ui/links.tsx';
import type { TestSending } from './test-send.ts';

/** Why a code could not be sent, and the way out. */
export const SendProblem = ({ send: { problem, needsCredits } }: { send: TestSending }) => (
  <>
    <ErrorAlert problem={problem} />
    {needsCredits ? <PageLink to="/credits">Buy credits</PageLink> : null}
  </>
);
