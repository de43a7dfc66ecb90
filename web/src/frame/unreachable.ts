import { ApiError } from '../api/wire.ts';

/** Code of a screen that could not be loaded. Browsers word it differently. */
const CHUNK =
  /dynamically imported module|Unable to preload CSS|Importing a module script failed|error loading dynamically/i;

export const isMissingCode = (error: unknown): boolean => error instanceof Error && CHUNK.test(error.message);

/** Whether an error comes from the service being unreachable, so that it goes away with it. */
export const isUnreachable = (error: unknown): boolean =>
  isMissingCode(error) ||
  (error instanceof ApiError && (error.status === 0 || error.status >= 500)) ||
  (error instanceof Error && error.name === 'UnreachableError');

/** Thrown if the first document could not be loaded. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}
