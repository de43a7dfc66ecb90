import { BrandMark } from '../ui/BrandMark.tsx';
import { ButtonLink } from '../ui/links.tsx';

export const NotFound = () => (
  <main className="grid min-h-[60dvh] place-content-center justify-items-center gap-2 p-8 text-center">
    <BrandMark />
    <h1 className="m-0 text-22 font-650">Not Found</h1>
    <p className="mt-0 mb-4 text-balance text-ink-soft">
      There is no page at this address. The link may be old or mistyped.
    </p>
    {/* A new page finds the account used last. */}
    <ButtonLink to="/" variant="default" reloadDocument>
      Back to the start
    </ButtonLink>
  </main>
);
