import { Button } from '@mantine/core';
import { IconBan, IconListDetails, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { cancelVerification, type VerificationDetail } from '#contract/otp.ts';
import { CURRENT_USER } from '../accounts/current-user.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { DialogActions } from '../ui/Dialog.tsx';
import { ButtonLink } from '../ui/links.tsx';
import classes from './VerificationDialog.module.css';
import { VERIFICATIONS, verificationDetail } from './verifications.ts';

interface Props {
  otp: VerificationDetail;
  onResend: (otp: VerificationDetail) => void;
}

/** Leads to the requests of a verification, sends to its recipient again, and cancels it while its code can verify. */
export function VerificationActions({ otp, onResend }: Props) {
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const cancel = useAction({
    run: () => call(cancelVerification, { params: { id: otp.id } }),
    success: 'Verification canceled',
    failure: 'Failed to cancel the verification',
    refresh: [VERIFICATIONS, CURRENT_USER],
    done: (canceled) => queryClient.setQueryData(verificationDetail(otp.id).queryKey, canceled),
  });
  const canCancel = otp.status === 'pending' || otp.status === 'sent';

  if (isAsking && canCancel)
    return (
      <fieldset className={classes.asking}>
        <legend className={classes.question}>Cancel this verification?</legend>
        <p className={classes.note}>
          The code stops working. The credits are refunded only if no carrier has the message yet.
        </p>
        <DialogActions>
          <Button variant="default" onClick={() => setAsking(false)} autoFocus>
            Go Back
          </Button>
          <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
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
      <Button
        variant="default"
        leftSection={<IconSend size={16} aria-hidden />}
        onClick={() => onResend(otp)}
      >
        Resend
      </Button>
      {canCancel ? (
        <Button
          variant="default"
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          Cancel Verification
        </Button>
      ) : null}
    </DialogActions>
  );
}
