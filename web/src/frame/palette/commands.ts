import { useMantineColorScheme } from '@mantine/core';
import {
  IconDeviceDesktop,
  type IconKey,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSun,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type Action, useMay } from '../../accounts/role.ts';
import { useSignOut } from '../../accounts/sign-out.ts';
import { hasSingleKeys } from '../../table/list-keys.ts';
import type { Choice } from '../../ui/Finder.tsx';

export interface PaletteProps {
  opened: boolean;
  onClose: () => void;
  openHelp: () => void;
}

/** A page or an action. */
export interface Command extends Choice {
  /** more search words */
  words?: string;
}

/** A page, perhaps with the state that its URL holds or one of its sections. */
export type AddressIn<Page extends { path: string }> =
  | Page['path']
  | `${Page['path']}?${string}`
  | `${Page['path']}#${string}`;

/** A command that opens an address: its label, more search words, icon, address, and the call that the user's role must allow. */
export type Lead<Address extends string = string> = readonly [
  label: string,
  words: string,
  Icon: typeof IconKey,
  address: Address,
  needs?: Action,
];

export function useLeads(): (leads: readonly Lead[]) => Command[] {
  const navigate = useNavigate();
  const may = useMay();
  return (leads) =>
    leads
      .filter(([, , , , needs]) => needs === undefined || may(needs))
      .map(([label, words, Icon, href]) => ({
        id: href,
        label,
        words,
        Icon,
        run: () => void navigate({ href }),
      }));
}

const SCHEMES = [
  ['auto', 'Use System Theme', IconDeviceDesktop],
  ['light', 'Use Light Theme', IconSun],
  ['dark', 'Use Dark Theme', IconMoon],
] as const;

/** The actions of every screen. */
export function useFrameActions(openHelp: () => void): Command[] {
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return [
    ...SCHEMES.map(([scheme, label, Icon]) => ({
      label,
      words: 'colour color scheme mode switch',
      Icon,
      run: () => setColorScheme(scheme),
    })),
    {
      label: 'Keyboard Shortcuts',
      words: 'help keys',
      ...(hasSingleKeys() && { shortcut: '?' }),
      Icon: IconKeyboard,
      run: openHelp,
    },
    { label: 'Log Out', words: 'sign out leave', Icon: IconLogout, run: () => signOut.mutate() },
  ];
}

/** The commands that contain every word of the text. Those whose label begins with it come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ label }: Command): number => (label.toLowerCase().startsWith(words.join(' ')) ? 0 : 1);
  return commands
    .filter(({ label, words: others = '' }) => {
      const all = `${label} ${others}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((one, other) => rank(one) - rank(other));
}
