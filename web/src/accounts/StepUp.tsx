import { lazy, useSyncExternalStore } from 'react';
import { endProof, isProofWanted, onProofWanted } from '../api/step-up.ts';
import { OnceOpened } from '../ui/OnceOpened.tsx';

const StepUpDialog = lazy(async () => ({ default: (await import('./StepUpDialog.tsx')).StepUpDialog }));

/** Shows the dialog while a call waits for proof of identity. */
export function StepUp() {
  const isWanted = useSyncExternalStore(onProofWanted, isProofWanted);
  return (
    <OnceOpened opened={isWanted}>
      {(opened) => <StepUpDialog opened={opened} onClose={endProof} />}
    </OnceOpened>
  );
}
