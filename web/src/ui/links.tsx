import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Rest = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps | keyof ButtonProps> & {
  ref?: Ref<HTMLAnchorElement>;
};

/** An underlined link to a page, in the font of the text around it. The compiler checks its path and search. */
export const PageLink = createLink((props: AnchorProps & Rest) => <Anchor inherit {...props} />);

/** A link on its own line, large enough for a finger. */
export const LoneLink = createLink(({ className = '', ...props }: AnchorProps & Rest) => (
  <Anchor inherit className={`inline-flex items-center touch:min-h-11 ${className}`} {...props} />
));

/** A link to a page that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & Rest) => <Button component="a" {...props} />);
