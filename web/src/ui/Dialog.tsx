import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { type Action, useAction } from '../api/action.ts';
import { busyButton } from './busy-button.ts';
import classes from './Dialog.module.css';
import { isOnTop, openDialog, watchDialogs } from './focus-return.ts';
import { Drawer, Modal } from './Modal.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** false while Escape or a click outside must not close the dialog */
  closesOnClickOutside?: boolean;
  /** called after the closing transition, when the content can be dropped */
  onClosed?: () => void;
  /** above other dialogs that stay open */
  zIndex?: number;
  children?: ReactNode;
}

/**
 * The base of every dialog. The focus moves to the element with `data-autofocus`, or else to the first control, and returns on
 * close (see focus-return.ts). The title is a plain div, because Mantine's `<header>` would be a second banner landmark.
 */
export function Dialog({ opened, onClose, title, description, size = 'md', children, ...props }: Props) {
  const isTopmost = useOpenDialog(opened);
  // A click outside the dialog must not discard what was typed.
  const [isEdited, setEdited] = useState(false);
  if (!opened && isEdited) setEdited(false);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered
      returnFocus={false}
      classNames={{ content: `${classes.content} border border-line bg-surface` }}
      closeOnClickOutside={(props.closesOnClickOutside ?? true) && !isEdited}
      closeOnEscape={isTopmost && (props.closesOnClickOutside ?? true)}
      {...(props.zIndex && { zIndex: props.zIndex })}
      {...(props.onClosed && { onExitTransitionEnd: props.onClosed })}
      transitionProps={{ transition: 'pop', duration: 120 }}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content onInput={() => setEdited(true)}>
        <DialogContent of={Modal} title={title} description={description}>
          {children}
        </DialogContent>
      </Modal.Content>
    </Modal.Root>
  );
}

interface ContentProps {
  of: typeof Modal | typeof Drawer;
  title: string;
  description: ReactNode;
  /** cuts a long description */
  isShort?: boolean;
  /** buttons next to Close */
  tools?: ReactNode;
  children: ReactNode;
}

const DialogContent = ({
  of: { Title, CloseButton, Body },
  title,
  description,
  isShort,
  tools,
  children,
}: ContentProps) => (
  <>
    <div className={`${classes.head} bg-surface px-6 pt-5 pb-3 max-sm:px-4.5 max-sm:pt-4 max-sm:pb-2.5`}>
      <div className="flex items-start justify-between gap-4">
        <Title className={`${classes.title} min-w-0 text-18 font-650 wrap-anywhere`}>{title}</Title>
        <div className="flex flex-none gap-1">
          {tools}
          <CloseButton
            aria-label="Close"
            className={`${classes.close} flex-none`}
            {...(tools ? { 'data-autofocus': true } : {})}
          />
        </div>
      </div>
      {description ? (
        <p
          className={`mt-[0.2rem] mb-0 text-14 wrap-anywhere text-ink-soft ${isShort ? 'line-clamp-3' : ''}`}
          title={isShort && typeof description === 'string' ? description : undefined}
        >
          {description}
        </p>
      ) : null}
    </div>
    <Body className="px-6 pt-1 pb-6 max-sm:px-4.5">{children}</Body>
  </>
);

/** The buttons of a dialog, the primary one last.  */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={`${classes.actions} mt-3 flex flex-wrap justify-end gap-2.5 bg-surface pt-3 pb-6`}>
    {children}
  </div>
);

interface SheetProps
  extends Pick<Props, 'opened' | 'onClose' | 'onClosed' | 'title' | 'description' | 'children'>,
    Pick<ContentProps, 'tools'> {
  side?: 'right' | 'left' | 'top' | 'bottom';
  size?: string;
}

/** A panel that slides in over the screen. */
export function SideSheet({ opened, onClose, title, description, tools, children, ...props }: SheetProps) {
  const isTopmost = useOpenDialog(opened);
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      position={props.side ?? 'right'}
      size={props.size ?? '30rem'}
      returnFocus={false}
      closeOnEscape={isTopmost}
      {...(props.onClosed && { onExitTransitionEnd: props.onClosed })}
      transitionProps={{ duration: 160 }}
      // `className` of the content would also color the layer that covers the screen
      classNames={{ content: 'bg-surface' }}
    >
      <Drawer.Overlay backgroundOpacity={0.45} />
      <Drawer.Content>
        <DialogContent of={Drawer} title={title} description={description} tools={tools} isShort>
          {children}
        </DialogContent>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** Registers a dialog while it is open. Whether it is the topmost one, which alone closes on Escape. */
function useOpenDialog(opened: boolean): boolean {
  const [own] = useState(() => ({}));
  useEffect(() => (opened ? openDialog(own) : undefined), [opened, own]);
  return useSyncExternalStore(watchDialogs, () => isOnTop(own));
}

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** the consequences, in a sentence or two */
  children: ReactNode;
  confirm: string;
  /** default: 'Cancel' */
  cancel?: string;
  onConfirm: () => void;
  isBusy?: boolean;
  /** called after the closing transition */
  onClosed?: () => void;
  /** red, for destructive actions */
  isDangerous?: boolean;
}

/** Asks for confirmation. Cancel has the focus. The caller closes it when the action has finished. */
export const ConfirmDialog = ({
  opened,
  onClose,
  title,
  children,
  confirm,
  cancel = 'Cancel',
  onConfirm,
  ...props
}: ConfirmProps) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title={title}
    size="md"
    {...(props.onClosed && { onClosed: props.onClosed })}
  >
    {children}
    <DialogActions>
      <Button variant="default" onClick={onClose} data-autofocus>
        {cancel}
      </Button>
      <Button
        {...(props.isDangerous && { color: 'red' })}
        {...busyButton(props.isBusy ?? false)}
        onClick={() => {
          if (!props.isBusy) onConfirm();
        }}
      >
        {confirm}
      </Button>
    </DialogActions>
  </Dialog>
);

interface ActionProps<Given, Result>
  extends Omit<ConfirmProps, 'onConfirm' | 'isBusy'>,
    Omit<Action<Given, Result>, 'key'> {
  /** what the action is about; undefined until it is chosen */
  of?: Given | undefined;
}

/** Asks for confirmation, then runs an action. `done` runs instead of closing the dialog. */
export function ActionDialog<Given, Result>({
  of,
  run,
  success,
  failure,
  refresh,
  done,
  ...dialog
}: ActionProps<Given, Result>) {
  const action = useAction({
    run,
    failure,
    done: done ?? dialog.onClose,
    ...(success && { success }),
    ...(refresh && { refresh }),
  });
  return <ConfirmDialog {...dialog} isBusy={action.isPending} onConfirm={() => action.mutate(of as Given)} />;
}
