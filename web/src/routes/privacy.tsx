import { createFileRoute } from '@tanstack/react-router';
import { Privacy } from '../legal/Privacy.tsx';
import { otherPages } from '../pages.ts';
import { titled } from '../shell/title.ts';

export const Route = createFileRoute('/privacy')({ head: titled(otherPages.privacy), component: Privacy });
