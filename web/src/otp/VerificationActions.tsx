import { Button } from '@mantine/core';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { cancelVerification, listVerifications, type VerificationDetail } from '@sixdigit/contract/otp.ts';
import { IconBan, IconListDetails, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { busyButton } from '../ui/busy-button.ts';
import { DialogActions } from '../ui/Dialog.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { AskResend } from './AskResend.tsx';
import classes from './VerificationDialog.module.css';
import { verificationDetail } from './verification-detail.ts';

interface Props {
  otp: VerificationDetail;
  onSent: (id: string) => void;
}

/** Leads to the requests of a verification, sends to its recipient again, and cancels it while its code can verify. */
export function VerificationActions({ otp, onSent }: Props) {
  const [asking, setAsking] = useState<'cancel' | 'resend'>();
  const goBack = (): void => setAsking(undefined);
  const queryClient = useQueryClient();
  const cancel = useAction({
    run: () => call(cancelVerification, { params: { id: otp.id } }),
    success: 'Verification canceled',
    failure: 'Failed to cancel the verification',
    refresh: [listVerifications, getMe],
    done: (canceled) => queryClient.setQueryData(verificationDetail(otp.id).queryKey, canceled),
  });
  const canCancel = otp.status === 'pending' || otp.status === 'sent';

  if (asking === 'resend') return <AskResend otp={otp} onSent={onSent} onBack={goBack} />;
  if (asking === 'cancel' && canCancel)
    return (
      <fieldset className={classes.asking}>
        <legend className={classes.question}>Cancel this verification?</legend>
        <p className={classes.note}>
          The code stops working. The credits are refunded only if no carrier has the message yet.
        </p>
        <DialogActions>
          <Button variant="default" onClick={goBack} autoFocus>
            Go Back
          </Button>
          <Button
            color="red"
            {...busyButton(cancel.isPending)}
            onClick={() => {
              if (!cancel.isPending) cancel.mutate();
            }}
          >
            Cancel Verification
          </Button>
        </DialogActions>
      </fieldset>
    );
  return (
    <DialogActions>
      <ButtonLink
        to="/logs"
        search={{ search: otp.id, days: 'all', ...(otp.test && { mode: 'test' as const }) }}
        variant="default"
        leftSection={<IconListDetails size={16} aria-hidden />}
      >
        Requests
      </ButtonLink>
      {otp.status === 'verified' ? null : (
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => setAsking('resend')}
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
    </DialogActions>
  );
}
