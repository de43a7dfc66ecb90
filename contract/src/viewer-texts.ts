import { z } from 'zod';

/**
 * What viewers get of a text in a response. Unless it has an entry here, or is an id, a time or one of a set of names, the server
 * masks the phone numbers and e-mail addresses in it. So a new field hides recipients unless it is listed on purpose.
 */
export const viewerTexts = z.registry<{ shown: 'masked' | 'whole' }>();

/** A recipient: viewers get it masked, whatever it looks like. */
export const recipientText = z.string().register(viewerTexts, { shown: 'masked' });

/** A text that contains no recipient, such as the first digits of numbers, or the user's own address. Viewers get it whole. */
export const wholeText = z.string().register(viewerTexts, { shown: 'whole' });
