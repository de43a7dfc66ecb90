/** Whether a text looks like a whole phone number or e-mail address. The server decides. */
export const isRecipient = (text: string): boolean =>
  /^\S+@\S+\.\S+$/.test(text) || (/^\+?[\d\s()./-]+$/.test(text) && text.replace(/\D/g, '').length >= 7);
