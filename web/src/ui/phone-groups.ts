import { AsYouType } from 'libphonenumber-js/min';

/** '+44 20 7946 0958': a phone number, or its beginning, in the groups of its country. */
export const phoneGroups = (number: string): string =>
  /^\+\d+$/.test(number) ? new AsYouType().input(number) : number;
