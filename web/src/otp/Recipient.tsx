import { RecipientText } from '../ui/RecipientText.tsx';
import { TestBadge } from '../ui/TestBadge.tsx';

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
    <span className="block font-550 whitespace-nowrap" title={recipient ?? undefined}>
      {recipient ? <RecipientText recipient={recipient} /> : 'No recipient'}
      {isTest ? (
        <>
          {' '}
          <TestBadge />
        </>
      ) : null}
    </span>
    <span className="block max-w-50 truncate text-13 font-400 text-ink-soft" title={keyName}>
      {keyName}
    </span>
  </span>
);
