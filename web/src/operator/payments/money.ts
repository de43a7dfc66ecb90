const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** '$1,012.50' */
export const displayCents = (cents: number): string => dollars.format(cents / 100);
