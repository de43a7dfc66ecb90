import classes from './RecipientText.module.css';
import { RECIPIENT_LENGTH, truncate } from './truncate.ts';

/** A recipient in a list: a US or Canadian number in groups, any other text cut to its length. */
export function RecipientText({ recipient }: { recipient: string }) {
  const groups = /^(\+1)(\d{3})(\d{3})(\d{4})$/.exec(recipient)?.slice(1);
  if (!groups) return truncate(recipient, RECIPIENT_LENGTH);
  return (
    <span>
      {groups.map((digits, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups of a number have fixed places
        <span key={index} className={classes.group}>
          {digits}
        </span>
      ))}
    </span>
  );
}
