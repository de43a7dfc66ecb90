import type { OperatorAttempt, revealAttempt } from '@sixdigit/contract/operator/account-data.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { SideSheet } from '../../ui/SideSheet.tsx';
import { Facts, number } from '../Facts.tsx';
import classes from '../Operator.module.css';

interface Props {
  /** stays while the sheet slides away */
  attempt: OperatorAttempt | undefined;
  revealed: Reply<typeof revealAttempt> | undefined;
  isOpen: boolean;
  onClose: () => void;
  /** reveals it */
  action: ReactNode;
  resend: ReactNode;
}

/** One delivery attempt. What it sent and what came back can name recipients, so they are hidden first. */
export const AttemptSheet = ({ attempt, revealed, isOpen, onClose, action, resend }: Props) => (
  <SideSheet opened={isOpen} onClose={onClose} title={attempt?.event_type ?? ''} size="34rem">
    {attempt ? (
      <div className={classes.sections}>
        <Facts
          facts={{
            Date: fullDateTime(attempt.attempted_at),
            Attempt: number(attempt.attempt),
            Answer: attempt.response_status ?? 'No answer',
            Duration: `${number(attempt.duration_ms)} ms`,
            ...(attempt.error ? { Error: attempt.error } : {}),
            ...(attempt.next_attempt_at ? { 'Next try': fullDateTime(attempt.next_attempt_at) } : {}),
            Message: <code>{attempt.message_id}</code>,
            ...(attempt.otp_id ? { Verification: <code>{attempt.otp_id}</code> } : {}),
          }}
        />
        {revealed ? (
          <>
            <CodeBlock label="Sent" code={revealed.body ?? 'The message has been removed.'} />
            <CodeBlock label="Answer" code={revealed.response_excerpt || 'Empty'} />
          </>
        ) : (
          <div>
            <p className={`${classes.soft} ${classes.aboveReveal}`}>
              The message and the answer can name recipients.
            </p>
            {action}
          </div>
        )}
        {resend ? <div>{resend}</div> : null}
      </div>
    ) : null}
  </SideSheet>
);
