/** Bytes in PostgreSQL's hex format, for JSON. */
export const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
export const fromHex = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');
