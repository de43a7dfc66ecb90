import { RECIPIENT_LENGTH, truncate } from '../ui/truncate.ts';
import classes from './Recipient.module.css';

interface Props {
  recipient: string | null | undefined;
  /** the API key that sent it */
  keyName: string;
}

/** A table cell with the recipient and the API key. */
export const Recipient = ({ recipient, keyName }: Props) => (
  <span>
    <span className={classes.recipient} title={recipient ?? undefined}>
      {recipient ? truncate(recipient, RECIPIENT_LENGTH) : 'No recipient'}
    </span>
    <span className={classes.key} title={keyName}>
      {keyName}
    </span>
  </span>
);
