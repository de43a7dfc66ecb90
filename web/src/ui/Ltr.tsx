import type { ReactNode } from 'react';

/** A signed amount. In a page translated to Arabic or Hebrew, its sign would otherwise move behind the number. */
export const Ltr = ({ children }: { children: ReactNode }) => <bdi dir="ltr">{children}</bdi>;
