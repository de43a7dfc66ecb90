/** Enough of an address for its owner to recognize it: 'a•••@example.com', '••• 2671'. */
export function masked({ channel, recipient }: { channel: 'email' | 'sms'; recipient: string }): string {
  if (channel === 'sms') return `••• ${recipient.slice(-4)}`;
  const at = recipient.lastIndexOf('@');
  return `${[...recipient][0] ?? ''}•••${recipient.slice(at)}`;
}
