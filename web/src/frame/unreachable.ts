import { ApiError } from '../api/wire.ts';

/** A screen's code could not be loaded. */
export class MissingCodeError extends Error {
  override name = 'MissingCodeError';
  constructor(cause: unknown) {
    super(`This screen could not be loaded. ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** A part's code could not be loaded. Browsers word the error differently. */
const CHUNK =
  /dynamically imported module|Unable to preload CSS|Importing a module script failed|error loading dynamically/i;

export const isMissingCode = (error: unknown): boolean =>
  error instanceof MissingCodeError || (error instanceof Error && CHUNK.test(error.message));

/** Whether an error was caused by the service being unreachable, so that a retry can succeed. */
export const isUnreachable = (error: unknown): boolean =>
  isMissingCode(error) ||
  (error instanceof ApiError && (error.status === 0 || error.status >= 500)) ||
  (error instanceof Error && error.name === 'UnreachableError');

/** Thrown if the deployment's configuration could not be loaded. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}
