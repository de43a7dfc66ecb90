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

/** Country codes of one or two digits; all others have three (ITU-T E.164, list of assigned codes). */
const PHONE = /^(\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}))(\d{4,14})$/;

/** '+1', '415', '555', '2671': an E.164 number in groups for reading. Undefined for any other text. */
export function phoneGroups(text: string): string[] | undefined {
  const [, code, national] = PHONE.exec(text) ?? [];
  if (code === undefined || national === undefined) return undefined;
  // Groups of three digits. To avoid a group of one digit, the first group may have two and the last one four.
  const first = national.length % 3 === 2 ? national.slice(0, 2) : '';
  const rest = national.slice(first.length).match(/\d{3}(?!\d?$)|\d{3,4}$/g) ?? [];
  return [code, ...(first === '' ? [] : [first]), ...rest];
}

/** Cuts a longer text and adds an ellipsis. */
export const truncate = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
};

export const RECIPIENT_LENGTH = 25;
export const OTP_ID_LENGTH = 16;
export const PROVIDER_ID_LENGTH = 60;
