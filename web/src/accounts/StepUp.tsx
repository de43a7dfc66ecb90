import { useSyncExternalStore } from 'react';
import { endProof, isProofWanted, onProofWanted } from '../api/step-up.ts';
import { lazyDialog } from '../ui/lazy-dialog.tsx';

const StepUpDialog = lazyDialog(async () => (await import('./StepUpDialog.tsx')).StepUpDialog);

/** Shows the dialog while a call waits for proof of identity. */
export function StepUp() {
  const isWanted = useSyncExternalStore(onProofWanted, isProofWanted);
  return <StepUpDialog opened={isWanted} onClose={endProof} />;
}
