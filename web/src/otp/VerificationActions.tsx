import { Button } from '@mantine/core';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import type { Step } from '@sixdigit/contract/plan-fields.ts';
import { costOf } from '@sixdigit/contract/send-prices.ts';
import { sendVerificationAgain } from '@sixdigit/contract/test-send.ts';
import {
  cancelVerification,
  listVerifications,
  type VerificationDetail,
} from '@sixdigit/contract/verifications.ts';
import { IconBan, IconListDetails, IconSend } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { store } from '../api/read.ts';
import { prices } from '../payments/price-list.ts';
import { count } from '../payments/prices.ts';
import { busyButton } from '../ui/busy-button.ts';
import { CHANNELS_SHOWN } from '../ui/channel.ts';
import { timeOfDay } from '../ui/dates.ts';
import { ButtonLink } from '../ui/links.tsx';
import { nextOf } from './plans/plan-texts.ts';
import { verificationDetail } from './verification-detail.ts';

interface Props {
  otp: VerificationDetail;
  onSent: (id: string) => void;
}

/** Links to a verification's requests, resends its code unless the sender made it, and cancels it while it is open. */
export function VerificationActions({ otp, onSent }: Props) {
  const [asking, setAsking] = useState<'cancel' | 'resend'>();
  const goBack = (): void => setAsking(undefined);
  const queryClient = useQueryClient();
  const cancel = useAction({
    run: () => call(cancelVerification, { params: { id: otp.id } }),
    success: 'Verification canceled',
    failure: 'Failed to cancel the verification',
    refresh: [listVerifications, getMe],
    done: (canceled) => store(queryClient, verificationDetail(otp.id), canceled),
  });
  const resend = useResend({ otp, onSent });
  const may = useMay();
  const canCancel = may('cancelVerification') && (otp.status === 'pending' || otp.status === 'sent');

  if (asking === 'resend') return <AskResend otp={otp} resend={resend} onBack={goBack} />;
  if (asking === 'cancel' && canCancel)
    return (
      <Question
        title="Cancel this verification?"
        onBack={goBack}
        actions={
          <Button
            color="red"
            {...busyButton(cancel.isPending)}
            onClick={() => {
              if (!cancel.isPending) cancel.mutate();
            }}
          >
            Cancel Verification
          </Button>
        }
      >
        {otp.test
          ? 'The code stops working.'
          : `The message to ${otp.recipient} may already have been sent, but its code stops working. The credits are refunded only if the message has not yet reached a carrier.`}
      </Question>
    );
  return (
    <div className="flex flex-wrap gap-2.5 [&>*]:max-sm:flex-auto">
      <ButtonLink
        to="/logs"
        search={{ search: otp.id, days: 'all', ...(otp.test && { mode: 'test' as const }) }}
        variant="default"
        leftSection={<IconListDetails size={16} aria-hidden />}
      >
        View Requests
      </ButtonLink>
      {otp.status === 'verified' || otp.own_code || !may('sendVerificationAgain') ? null : (
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          {...(otp.test ? busyButton(resend.isPending) : {})}
          onClick={() => {
            if (!otp.test) setAsking('resend');
            else if (!resend.isPending) resend.mutate();
          }}
        >
          Resend Code
        </Button>
      )}
      {canCancel ? (
        <Button
          variant="default"
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => setAsking('cancel')}
        >
          Cancel Verification
        </Button>
      ) : null}
    </div>
  );
}

function useResend({ otp, onSent }: Props) {
  // One key for all clicks, so that only one message is sent.
  const [idempotencyKey] = useState(newIdempotencyKey);
  return useAction({
    run: () => call(sendVerificationAgain, { params: { id: otp.id }, idempotencyKey }),
    success: 'Code sent again',
    failure: 'Failed to send the code again',
    refresh: [listVerifications, getMe],
    done: ({ otp_id }) => onSent(otp_id),
  });
}

type Resend = ReturnType<typeof useResend>;

/** Asks before sending again, because a person receives the message and it costs credits. */
function AskResend({ otp, resend, onBack }: Pick<Props, 'otp'> & { resend: Resend; onBack: () => void }) {
  const { data: list } = useQuery(prices);
  const isOpen = otp.status === 'pending' || otp.status === 'sent';
  const next = nextOf(otp.steps);
  return (
    <Question
      title={`Send another message to ${otp.recipient}?`}
      onBack={onBack}
      actions={
        <Button
          {...busyButton(resend.isPending)}
          onClick={() => {
            if (!resend.isPending) resend.mutate();
          }}
        >
          {resend.isPending ? 'Sending...' : 'Send Message'}
        </Button>
      }
    >
      It goes out by {CHANNELS_SHOWN[otp.channel].noun} with the key {otp.api_key.name}, like the first one,
      and costs {list ? count(costOf(list.sends, otp)) : 'credits'}.{' '}
      {isOpen ? 'Both messages have the same code.' : 'It has a new code.'}
      {next ? ` ${nextText(next)}` : null}
    </Question>
  );
}

/** 'The next step of the plan is voice, at 14:05:20.' */
const nextText = ({ channel, at }: Step): string =>
  `The next step of the plan is ${CHANNELS_SHOWN[channel].noun}${at === null ? ', which only a resend over the API starts' : `, at ${timeOfDay(at)}`}.`;

interface QuestionProps {
  title: string;
  onBack: () => void;
  actions: ReactNode;
  children: ReactNode;
}

const Question = ({ title, onBack, actions, children }: QuestionProps) => (
  <fieldset className="m-0 min-w-0 rounded-10 border border-line px-4 pt-[0.9rem] pb-4">
    <legend className="float-left w-full p-0 font-600 wrap-anywhere">{title}</legend>
    <p className="clear-both mt-0 mb-3 pt-[0.2rem] text-14 text-ink-soft">{children}</p>
    <div className="flex flex-wrap justify-end gap-2.5 [&>*]:max-sm:flex-auto">
      <Button variant="default" onClick={onBack} autoFocus>
        Go Back
      </Button>
      {actions}
    </div>
  </fieldset>
);
