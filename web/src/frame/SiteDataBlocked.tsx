import { Button } from '@mantine/core';

/** Replaces the sign-in form if the browser cannot store a session. */
export const SiteDataBlocked = () => (
  <>
    <h1>Site data is blocked</h1>
    <p>
      This browser does not store data for {window.location.host}, so it cannot keep you signed in. In the
      browser's settings, allow cookies and site data for this address, or free some space. Then try again.
    </p>
    <Button fullWidth onClick={() => window.location.reload()}>
      Try Again
    </Button>
  </>
);
