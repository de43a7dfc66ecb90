/** Whether a text looks like a whole phone number or e-mail address. The server decides. */
export const isRecipient = (text: string): boolean => {
  if (/^\S+@\S+\.\S+$/.test(text)) return true;
  if (!/^\+?[\d\s()./-]+$/.test(text)) return false;
  const { length } = digitsOf(text);
  // All numbers of country code 1 have ten more digits.
  return length >= (/^\+\s*1/.test(text) ? 11 : 7);
};

/** Whether a found recipient shows that a typed one is only its beginning. */
export const isBeginningOf = (text: string, recipient: string): boolean => {
  const typed = text.includes('@') ? text.toLowerCase() : `+${digitsOf(text)}`;
  return recipient.startsWith(typed) && recipient !== typed;
};

const digitsOf = (text: string): string => text.replace(/\D/g, '');
