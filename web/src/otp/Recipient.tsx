import { RECIPIENT_LENGTH, truncate } from '../ui/truncate.ts';
import classes from './Recipient.module.css';

interface Props {
  recipient: string | null | undefined;
  /** whose key asked for it */
  keyName: string;
}

/** In a cell of a list: whom the code went to, and by which key. */
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
