import { z } from 'zod';
import { optionalTime, requiredText } from '../field.ts';
import { adminRoute, reason, supportRoute } from './operator.ts';

const phone_number = requiredText().max(32, 'Please enter a valid phone number');
export const findOptOut = supportRoute('opt-outs:read', 'POST /operator/opt-outs/find/', {
  name: 'findOptOut',
  summary: 'Look up a phone number in the opt-out list, which stores only keyed hashes',
  description: 'This is a POST so that logs of URLs do not contain the number.',
  body: z.object({ phone_number }),
  reply: z.object({ phone_number: z.string(), is_opted_out: z.boolean(), opted_out_at: optionalTime }),
});
export const removeOptOut = adminRoute('opt-outs:write', 'POST /operator/opt-outs/remove/', {
  name: 'removeOptOut',
  summary: 'Remove a phone number from the opt-out list, at the request of its owner',
  body: z.object({ phone_number, reason }),
});
