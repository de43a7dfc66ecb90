const names = new Intl.DisplayNames('en-US', { type: 'region' });

/** 'United States' */
export const countryName = (code: string): string => names.of(code) ?? code;

const conjunction = new Intl.ListFormat('en-US');

/** 'Canada and United States' */
export const countryNames = (codes: readonly string[]): string => conjunction.format(codes.map(countryName));
