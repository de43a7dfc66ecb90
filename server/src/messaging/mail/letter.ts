import type { Html } from './html.ts';
import { html } from './html.ts';
import { link } from './layout.ts';

/** A rendered mail, ready for a carrier. */
export interface Mail {
  subject: string;
  html: string;
  text: string;
}

/** The brand and the support address that a mail shows. */
export interface Letterhead {
  brand: string;
  supportEmail?: string | undefined;
}

export function supportLine(
  { supportEmail }: Letterhead,
  invitation = 'Questions? Write to',
): { html: Html; text: string } | undefined {
  if (!supportEmail) return undefined;
  return {
    html: html`${invitation} ${link(`mailto:${supportEmail}`, supportEmail)}.`,
    text: `${invitation} ${supportEmail}.`,
  };
}

/** "5 minutes", "1 hour", "1 minute and 30 seconds". */
export function duration(totalSeconds: number): string {
  const units: [string, number][] = [
    ['hour', Math.floor(totalSeconds / 3600)],
    ['minute', Math.floor((totalSeconds % 3600) / 60)],
    ['second', totalSeconds % 60],
  ];
  const spoken = units
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return spoken.join(' and ');
}
