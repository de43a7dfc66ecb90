/** Types for the part of split-sms that this product uses; the package has none. */
declare module 'split-sms' {
  interface Split {
    characterSet: 'GSM' | 'Unicode';
    parts: { length: number; bytes: number }[];
  }
  const splitSms: { split(message: string, options?: { summary?: boolean }): Split };
  export default splitSms;
}
