import type { OperatorVerificationDetail } from '@sixdigit/contract/operator/accounts.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { carrierName } from '../../otp/route-filters.ts';
import { VerificationHead } from '../../otp/VerificationHead.tsx';
import { StatusHistory } from '../../otp/VerificationHistory.tsx';
import { count } from '../../payments/prices.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { SideSheet } from '../../ui/Dialog.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageLink } from '../../ui/links.tsx';
import { signOf } from '../../ui/numbers.ts';
import { number } from '../Facts.tsx';
import { Note } from '../Rows.tsx';
import { verificationOf, webhooksOf, wrongCodesOf } from './data.ts';
import { ResendCode } from './Resend.tsx';

/** Hidden until an operator reveals it. */
export interface RevealedVerification {
  recipient: string;
  subject: string | null;
  message: string | null;
}

interface Props {
  account_id: string;
  /** kept until the sheet has closed */
  otp_id: string;
  revealed: RevealedVerification | undefined;
  isOpen: boolean;
  onClose: () => void;
  action: ReactNode;
}

/** One verification with its history, to find out why a code did not arrive. */
export const VerificationSheet = ({ account_id, otp_id, revealed, isOpen, onClose, action }: Props) => (
  <SideSheet opened={isOpen} onClose={onClose} title="Verification Details" size="38rem">
    {otp_id === '' ? null : <Details key={otp_id} {...{ account_id, otp_id, revealed, action }} />}
  </SideSheet>
);

const OPEN: readonly string[] = ['pending', 'sent'];

function Details({
  account_id,
  otp_id,
  revealed,
  action,
}: Pick<Props, 'account_id' | 'otp_id' | 'revealed' | 'action'>) {
  const query = useQuery(verificationOf(account_id, otp_id));
  const status = query.data?.status ?? '';
  const { data: messages } = useQuery(webhooksOf(account_id, { id: otp_id, status }));
  const { data: tries } = useQuery(wrongCodesOf(account_id, { id: otp_id, status }));
  return (
    <Loaded query={query} failure="Failed to load the verification">
      {(otp) => (
        <div className="grid grid-cols-1 gap-4 [&>dl]:mb-0">
          <VerificationHead
            otp={{ ...otp, recipient: revealed?.recipient ?? otp.recipient }}
            cost={`${signOf(-otp.cost_credits)}${count(otp.cost_credits)}`}
          />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2 empty:hidden">
            {revealed ? null : action}
            {OPEN.includes(otp.status) ? <ResendCode account_id={account_id} otp_id={otp_id} /> : null}
            {revealed ? null : (
              <Note>
                {otp.has_text ? 'The recipient and the text are hidden.' : 'The recipient is hidden.'}
              </Note>
            )}
          </div>
          <Facts nameWidth="7rem">
            {Object.entries(factsOf(otp, revealed)).map(([name, value]) => (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ))}
          </Facts>
          <StatusHistory
            otp={otp}
            tries={tries}
            messages={messages}
            linkTo={({ id, name }) => (
              <PageLink
                to="/operator/accounts/$id/webhooks"
                params={{ id: account_id }}
                search={{ webhook: id }}
              >
                {name}
              </PageLink>
            )}
          />
        </div>
      )}
    </Loaded>
  );
}

const factsOf = (
  otp: OperatorVerificationDetail,
  revealed: RevealedVerification | undefined,
): Record<string, ReactNode> => ({
  ...(revealed?.subject ? { Subject: revealed.subject } : {}),
  ...(revealed?.message ? { Message: revealed.message } : {}),
  ...(otp.failure ? { Failure: otp.failure } : {}),
  ...(otp.carrier ? { Carrier: carrierName(otp.carrier) } : {}),
  ...(otp.carrier_price === null
    ? {}
    : { 'Carrier price': `${otp.carrier_price} ${otp.carrier_currency ?? ''}`.trim() }),
  ...(otp.network ? { Network: otp.network } : {}),
  ...(otp.segments === null ? {} : { 'SMS segments': number(otp.segments) }),
  'API key': otp.api_key.name,
  Created: fullDateTime(otp.created_at),
  ...(otp.sent_at ? { Sent: fullDateTime(otp.sent_at) } : {}),
  ...(otp.delivered_at ? { Delivered: fullDateTime(otp.delivered_at) } : {}),
  ...(otp.read_at ? { Read: fullDateTime(otp.read_at) } : {}),
  ...(otp.verified_at ? { Verified: fullDateTime(otp.verified_at) } : {}),
  Expires: fullDateTime(otp.expires_at),
  'OTP ID': <Copyable value={otp.id} name="OTP ID" />,
  ...(otp.provider_message_id
    ? { 'Provider ID': <Copyable value={otp.provider_message_id} name="Provider ID" /> }
    : {}),
});

/** A long id, and a button that copies it. */
export const Copyable = ({ value, name }: { value: string; name: string }) => (
  <span className="flex items-center gap-[0.35rem]">
    <code className="min-w-0 text-13 wrap-anywhere">{value}</code>
    <CopyButton value={value} label={`Copy ${name}`} />
  </span>
);
