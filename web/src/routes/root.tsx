import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet, useMatches } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ScreenError } from '../frame/RouteError.tsx';

/** The title of the innermost route that has one. The router's own `HeadContent` also renders tags that no route has. */
const Title = () => (
  <title>
    {useMatches({
      select: (matches) =>
        matches.flatMap(({ meta }) => meta ?? []).findLast((tag) => tag?.title !== undefined)?.title ?? '',
    })}
  </title>
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
