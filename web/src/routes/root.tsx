import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet, useMatches } from '@tanstack/react-router';
import { Suspense } from 'react';
import { deployment } from '../api/deployment.ts';
import { ScreenError } from '../frame/RouteError.tsx';
import { lazyPart } from '../ui/lazy-part.ts';

/** The title of the innermost route that has one. The router's own `HeadContent` also renders tags that no route has. */
const Title = () => (
  <title>
    {useMatches({
      select: (matches) =>
        matches.flatMap(({ meta }) => meta ?? []).findLast((tag) => tag?.title !== undefined)?.title ?? '',
    })}
  </title>
);

const NotFoundPage = lazyPart(async () => (await import('../ui/NotFound.tsx')).NotFoundPage);

export const NotFound = () => (
  <Suspense>
    <NotFoundPage />
  </Suspense>
);

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  head: () => ({ meta: [{ title: deployment().brand_name }] }),
  component: () => (
    <>
      <Title />
      <Outlet />
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: ScreenError,
});
