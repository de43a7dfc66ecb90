/** `+1415555••71`, `a••@example.com`: enough to recognise a recipient that the customer names, too little to contact it. */
export function maskedRecipient(recipient: string): string {
  const at = recipient.lastIndexOf('@');
  if (at >= 0) return `${recipient.slice(0, 1)}••${recipient.slice(at)}`;
  return recipient.length < 8 ? '••' : `${recipient.slice(0, 5)}••••${recipient.slice(-2)}`;
}
