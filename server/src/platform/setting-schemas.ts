import { z } from 'zod';

/** Schemas of environment variables. The messages follow the variable's name. */
export const exactUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must be an absolute http or https URL',
  );

/** A base URL without trailing slash. */
export const httpUrl = exactUrl.transform((text) => text.replace(/\/+$/, ''));

export const secret = z.string().min(16, 'must be at least 16 characters long');

/** A secret that is sent in a header, so it may contain only printable ASCII. */
export const key = z.string().regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');
