import { siteData } from '../api/site-data.ts';

/** Choices that this browser remembers. */
export const remembered = (name: string): string | undefined => siteData.get(name) ?? undefined;

/** Without a value, the choice is forgotten. */
export const remember = (name: string, value: string | undefined): void =>
  void siteData.set(name, value ?? null);
