import { BuyCredits } from '../accounts/BuyCredits.tsx';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import type { TestSending } from './test-send.ts';

/** Why a code could not be sent, and the way out. */
export const SendProblem = ({ send: { problem, needsCredits } }: { send: TestSending }) => (
  <>
    <ErrorAlert problem={problem} />
    {needsCredits ? <BuyCredits /> : null}
  </>
);
