import { z } from 'zod';
import { addressIn } from '../text/address-text.ts';

const clientIp = z
  .string()
  .trim()
  .max(64, 'Enter a valid IP address.')
  .overwrite((text) => addressIn(text) ?? text)
  .refine((text) => addressIn(text) === text, 'Enter a valid IP address.');

/** The end user's address in a send. */
export const endUserAddress = clientIp.meta({
  description:
    'The IP address of the end user who asked for the code, never that of your own server. With it, the rules on clients protect you from one visitor who asks for many codes. A port, brackets and a zone are ignored, and so are private addresses',
});
