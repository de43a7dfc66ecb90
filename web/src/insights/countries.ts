const names = new Intl.DisplayNames('en-US', { type: 'region' });

/** 'United States'; e-mail has no country. */
export const countryName = (country: string | null): string =>
  country === null ? 'No country (email)' : (names.of(country) ?? country);
