import { phoneGroups } from './phone-groups.ts';
import { RECIPIENT_LENGTH, truncate } from './truncate.ts';

/**
 * A recipient in a list: a phone number in groups, any other text cut to its length. The space between groups is not in the text: what
 * is copied is the E.164 number.
 */
export function RecipientText({ recipient }: { recipient: string }) {
  const groups = phoneGroups(recipient);
  if (!groups) return truncate(recipient, RECIPIENT_LENGTH);
  return (
    <span>
      {groups.map((digits, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups of a number have fixed places
        <span key={index} className="not-first:ms-[0.28em]">
          {digits}
        </span>
      ))}
    </span>
  );
}
