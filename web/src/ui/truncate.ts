/** Cuts a longer text and adds an ellipsis. */
export const truncate = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
};

export const RECIPIENT_LENGTH = 25;
export const OTP_ID_LENGTH = 16;
export const PROVIDER_ID_LENGTH = 60;
