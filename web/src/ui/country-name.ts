const names = new Intl.DisplayNames('en-US', { type: 'region' });

/** 'United States' */
export const countryName = (code: string): string => names.of(code) ?? code;
