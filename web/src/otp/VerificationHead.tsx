import type { VerificationDetail } from '@sixdigit/contract/verifications.ts';
import { nowMs } from '../api/clock.ts';
import { Badge, costText, StatusBadge, TestBadge } from '../ui/Badge.tsx';
import { labelOf } from '../ui/channel.ts';
import { Ltr } from '../ui/Ltr.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { closingOf, outcomeOf } from './outcome.ts';
import classes from './VerificationHistory.module.css';

interface Props {
  otp: Omit<VerificationDetail, 'subject' | 'message'>;
  cost?: string;
}

const chargeOf = ({ cost_credits }: Props['otp']): string =>
  `${costText(cost_credits)} ${cost_credits === 1 ? 'credit' : 'credits'}`;

/** What happened to a verification, in a sentence. */
export function VerificationHead({ otp, cost = chargeOf(otp) }: Props) {
  const closing = closingOf(otp);
  return (
    <div className={`${classes.head} grid gap-x-4 rounded-10 bg-sunken px-4 py-[0.9rem]`}>
      <div className="flex flex-wrap items-center gap-x-[0.6rem] gap-y-[0.35rem]">
        <strong className="font-600">{labelOf(otp.channel)} OTP</strong>
        {otp.test ? <TestBadge /> : null}
        <StatusBadge status={otp.status} />
        {closing ? <Badge tone="gray">{closing}</Badge> : null}
      </div>
      <span className="font-550 tabular-nums">
        <Ltr>{cost}</Ltr>
      </span>
      <p className="col-span-full m-0 wrap-anywhere">
        <RecipientText recipient={otp.recipient} isWhole />
      </p>
      <p
        className={`col-span-full mt-1 mb-0 font-550 wrap-anywhere ${otp.status === 'failed' ? 'text-error' : ''}`}
        role="status"
      >
        {outcomeOf(otp, nowMs())}
      </p>
    </div>
  );
}
