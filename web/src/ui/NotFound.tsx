import { IconUnlink } from '@tabler/icons-react';
import { isSignedIn } from '../api/session.ts';
import { IconTile } from './EmptyState.tsx';
import { ButtonLink } from './links.tsx';
import { PublicHeader } from './PublicHeader.tsx';

/** In the place of a screen, inside its `main`. */
export const NotFound = () => (
  <section className="grid min-h-[60dvh] flex-1 place-content-center justify-items-center gap-2 p-8 text-center">
    <IconTile>
      <IconUnlink size={24} />
    </IconTile>
    <h1 className="m-0 text-[1.625rem] font-650">Not Found</h1>
    <p className="mt-0 mb-4 text-balance text-ink-soft">
      There is no page at this address. The link may be old or mistyped.
    </p>
    {/* A new page finds the account used last. */}
    <ButtonLink to="/" reloadDocument>
      {isSignedIn() ? 'Go to Verifications' : 'Sign In'}
    </ButtonLink>
  </section>
);

/** A page of its own. */
export const NotFoundPage = () => (
  <div className="flex min-h-dvh flex-col">
    <PublicHeader />
    <main className="flex flex-1 flex-col">
      <NotFound />
    </main>
  </div>
);
