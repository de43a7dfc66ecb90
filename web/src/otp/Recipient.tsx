import { TestBadge } from '../ui/Badge.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import classes from './Recipient.module.css';

interface Props {
  recipient: string | null | undefined;
  /** the API key that sent it */
  keyName: string;
  /** made with a test key */
  isTest?: boolean;
}

/** A table cell with the recipient and the API key. */
export const Recipient = ({ recipient, keyName, isTest = false }: Props) => (
  <span>
    <span className={classes.recipient} title={recipient ?? undefined}>
      {recipient ? <RecipientText recipient={recipient} /> : 'No recipient'}
      {isTest ? (
        <>
          {' '}
          <TestBadge />
        </>
      ) : null}
    </span>
    <span className={classes.key} title={keyName}>
      {keyName}
    </span>
  </span>
);
