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
    'The IP address of the end user who requested the code, never that of your own server. The client rules use it to stop one visitor from requesting many codes. Ports, brackets and zones are removed. Private addresses are ignored',
});
