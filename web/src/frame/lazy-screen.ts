import { lazyRouteComponent as lazyComponent } from '@tanstack/react-router';
import { MissingCodeError } from './unreachable.ts';

/**
 * A screen's component. By the browser's error, the router would recognize missing code and reload the page, also without a
 * connection. By this one it does not: `ScreenError` reloads the page when the service responds.
 */
export const lazyRouteComponent: typeof lazyComponent = (load, name) =>
  lazyComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new MissingCodeError(cause);
      }),
    name,
  );
