import { z } from 'zod';

const clientIp = z
  .string()
  .trim()
  .max(64, 'Enter a valid IP address.')
  .refine((text) => z.ipv4().safeParse(text).success || z.ipv6().safeParse(text).success, {
    error: 'Enter a valid IP address.',
  });

/** The end user's address in a send. */
export const endUserAddress = clientIp.meta({
  description:
    'The IP address of the end user who asked for the code, never that of your own server. With it, the rules on clients protect you from one visitor who asks for many codes. Private addresses are ignored',
});
