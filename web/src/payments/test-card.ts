/** Formats and checks the fields of a sandbox's card form, with the same sentences as Stripe's form. */
export interface Entry {
  number: string;
  expiry: string;
  cvc: string;
}

const digits = (text: string): string => text.replace(/\D/g, '');

export const formats: Record<keyof Entry, (text: string) => string> = {
  number: (text) =>
    digits(text)
      .slice(0, 19)
      .replace(/(.{4})(?=.)/g, '$1 '),
  expiry(text) {
    const all = digits(text);
    const month = /^[2-9]/.test(all) ? `0${all}` : all;
    return month.length <= 2 ? month : `${month.slice(0, 2)} / ${month.slice(2, 4)}`;
  },
  cvc: (text) => digits(text).slice(0, 4),
};

export function problemsOf(entry: Entry): Partial<Entry> {
  const expiry = digits(entry.expiry);
  const month = Number(expiry.slice(0, 2));
  return {
    ...(digits(entry.number).length < 14 && { number: 'Your card number is incomplete.' }),
    ...(expiry.length < 4
      ? { expiry: "Your card's expiration date is incomplete." }
      : (month < 1 || month > 12) && { expiry: "Your card's expiration date is invalid." }),
    ...(digits(entry.cvc).length < 3 && { cvc: "Your card's security code is incomplete." }),
  };
}

export const cardOf = ({ number, expiry, cvc }: Entry) => ({
  number: digits(number),
  exp_month: Number(digits(expiry).slice(0, 2)),
  exp_year: 2000 + Number(digits(expiry).slice(2)),
  cvc: digits(cvc),
});

/** https://docs.stripe.com/testing */
export const testCards = [
  { number: '4242 4242 4242 4242', does: 'Succeeds' },
  { number: '4000 0025 0000 3155', does: 'Asks for confirmation' },
  { number: '4000 0000 0000 0002', does: 'Declined' },
  { number: '4000 0000 0000 9995', does: 'Insufficient funds' },
  { number: '4000 0000 0000 0069', does: 'Expired' },
] as const;
