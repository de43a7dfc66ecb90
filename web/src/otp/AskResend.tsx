import { Button } from '@mantine/core';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import type { VerificationDetail } from '@sixdigit/contract/otp.ts';
import { listVerifications } from '@sixdigit/contract/otp.ts';
import { costOf } from '@sixdigit/contract/prices.ts';
import { sendVerificationAgain } from '@sixdigit/contract/test-send.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { prices } from '../payments/price-list.ts';
import { count } from '../payments/prices.ts';
import { busyButton } from '../ui/busy-button.ts';
import { DialogActions } from '../ui/Dialog.tsx';
import { CHANNELS_SHOWN } from './channel.ts';
import classes from './VerificationDialog.module.css';

interface Props {
  otp: VerificationDetail;
  onSent: (id: string) => void;
  onBack: () => void;
}

/** Asks before another message leaves, because a person receives it and it costs credits. */
export function AskResend({ otp, onSent, onBack }: Props) {
  const { data: list } = useQuery(prices);
  // One attempt, however often its button is pressed.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const resend = useAction({
    run: () => call(sendVerificationAgain, { params: { id: otp.id }, idempotencyKey }),
    success: 'Code sent again',
    failure: 'Failed to send the code again',
    refresh: [listVerifications, getMe],
    done: ({ otp_id }) => onSent(otp_id),
  });
  const isOpen = otp.status === 'pending' || otp.status === 'sent';
  return (
    <fieldset className={classes.asking}>
      <legend className={classes.question}>
        {otp.test ? 'Send this test code again?' : `Send another message to ${otp.recipient}?`}
      </legend>
      <p className={classes.note}>
        {otp.test
          ? 'A test sends no message, and nothing is charged.'
          : `It goes out by ${CHANNELS_SHOWN[otp.channel].noun} with the key ${otp.api_key.name}, like the first one, and costs ${list ? count(costOf(list.sends, otp)) : 'credits'}.`}{' '}
        {isOpen ? 'Both messages have the same code.' : 'It has a new code.'}
      </p>
      <DialogActions>
        <Button variant="default" onClick={onBack} autoFocus>
          Go Back
        </Button>
        <Button
          {...busyButton(resend.isPending)}
          onClick={() => {
            if (!resend.isPending) resend.mutate();
          }}
        >
          {resend.isPending ? 'Sending...' : otp.test ? 'Send Test Code' : 'Send Message'}
        </Button>
      </DialogActions>
    </fieldset>
  );
}
