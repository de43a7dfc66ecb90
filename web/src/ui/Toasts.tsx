import { lazy, Suspense, useSyncExternalStore } from 'react';
import { hasToasts, onFirstToast } from '../api/toast.ts';

/** Loaded by the first toast. */
const ToastContainer = lazy(async () => ({ default: (await import('./ToastContainer.tsx')).ToastContainer }));

export const Toasts = () =>
  useSyncExternalStore(onFirstToast, hasToasts) ? (
    <Suspense>
      <ToastContainer />
    </Suspense>
  ) : null;
