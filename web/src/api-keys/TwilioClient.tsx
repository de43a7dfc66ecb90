import { Suspense } from 'react';
import { Folded } from '../ui/Folded.tsx';
import { lazyPart } from '../ui/lazy-part.ts';

interface Props {
  apiKey: { id: string; key?: string };
}

const TwilioValues = lazyPart(async () => (await import('./TwilioValues.tsx')).TwilioValues);

/** How Twilio's clients use a key. */
export const TwilioClient = ({ apiKey }: Props) => (
  <Folded title="Use with Twilio's client" about="base URL, SIDs">
    {(isOpen) => <Suspense>{isOpen ? <TwilioValues id={apiKey.id} secret={apiKey.key} /> : null}</Suspense>}
  </Folded>
);
