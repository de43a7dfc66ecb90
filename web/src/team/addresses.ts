/** The addresses of a text, which commas, semicolons and white space separate, each once. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((address) => address.replace(/^<|>$/g, ''))
      .filter((address) => address !== ''),
  ),
];
