/** Bytes as PostgreSQL writes them into JSON. */
export const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
export const fromHex = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');
